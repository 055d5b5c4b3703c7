import { expect, it } from 'vitest'
import { paymentResultPath } from '#app/routes/route-guard.tsx'

it('fault 26c a browser without a session that comes back from a gateway is led to the result, not to the login', () => {
  const key = 'a'.repeat(32)
  expect(paymentResultPath('?payment=paid', `#return=${key}`)).toBe(`/public/payment/return/${key}?page=result`)
  expect(paymentResultPath('?tab=subscribe', `#return=${key}`)).toBeNull()
  expect(paymentResultPath('?payment=paid', '')).toBeNull()
  expect(paymentResultPath('?payment=paid', '#return=//evil.example/x')).toBeNull()
})
