import { expect, it } from 'vitest'
import { getFailureTexts } from '#features/orders/payment/payment-stages.ts'

it('getFailureTexts treats an unknown outcome as an unfinished payment', () => {
  expect(getFailureTexts('received', false)).toEqual(['received.title', 'received.text'])
  expect(getFailureTexts('received', true)).toEqual(['received.titleItems', 'received.text'])
  for (const hasItems of [false, true]) expect(getFailureTexts('refunded' as 'open', hasItems)).toEqual(['unfinished'])
})
