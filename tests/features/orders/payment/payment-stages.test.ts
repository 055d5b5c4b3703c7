import { expect, it } from 'vitest'
import { getFailureTexts } from '#features/orders/payment/payment-stages.ts'

it('getFailureTexts treats an unknown outcome as an unfinished payment', () => {
  expect(getFailureTexts('received')).toEqual(['received.title', 'received.text'])
  expect(getFailureTexts('refunded' as 'open')).toEqual(['unfinished'])
})
