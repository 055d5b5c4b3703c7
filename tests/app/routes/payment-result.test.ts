import { expect, it } from 'vitest'
import { paymentResultPath } from '#app/routes/route-guard.tsx'

it('paymentResultPath leads from the gateway to the payment result without a login (fault 26c)', () => {
  const key = 'a'.repeat(32)
  expect(paymentResultPath('?payment=paid', `#return=${key}`)).toBe(`/public/payment/return/${key}?page=result`)
  expect(paymentResultPath('?tab=subscribe', `#return=${key}`)).toBeNull()
  expect(paymentResultPath('?payment=paid', '')).toBeNull()
  expect(paymentResultPath('?payment=paid', '#return=//evil.example/x')).toBeNull()
})
