import { expect, it } from 'vitest'
import { getFailureTexts } from '#features/orders/payment/payment-stages.ts'

it('has texts for an outcome that this build does not know: the payment is unfinished', () => {
  expect(getFailureTexts('received')).toEqual(['received.title', 'received.text'])
  expect(getFailureTexts('refunded' as 'open')).toEqual(['unfinished'])
})
