import { describe, expect, test } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { currencies } from '#domain/money.ts'
import { paymentTypes, whyNotPaidBy } from '#domain/payments.ts'

const customer: Caller = { userId: 1, companyId: 2, companyCode: 'acme', admin: true, order: true, accessLevel: 0 }
const clerk: Caller = { ...customer, companyCode: 'm18', admin: false }
const staff: Caller = { ...clerk, admin: true }
const deletes: Caller = { ...clerk, accessLevel: 100 }

describe('ways of paying (D66, Z-20, Z-21)', () => {
  const waysOf = (caller: Caller) =>
    Object.fromEntries(
      currencies.map((currency) => [currency, paymentTypes.filter((type) => !whyNotPaidBy(type, currency, caller))]),
    )

  test('customers pay by card, and RMB by Alipay', () => {
    expect(waysOf(customer)).toEqual({ HKD: ['stripe'], USD: ['stripe'], RMB: ['stripe', 'alipay'] })
  })

  test('the provider’s staff have Alipay for every currency, each by its own gateway', () => {
    const everywhere = { HKD: ['stripe', 'globalAlipay'], USD: ['stripe', 'globalAlipay'], RMB: ['stripe', 'alipay'] }
    expect(waysOf(clerk)).toEqual(everywhere)
  })

  test.each([staff, deletes])('only its admins and the delete level simulate', (caller) => {
    expect(waysOf(caller).HKD).toEqual(['stripe', 'globalAlipay', 'simulate'])
  })

  test('why it is not: nobody may, or only the staff', () => {
    expect(whyNotPaidBy('alipay', 'HKD', staff)).toBe('currency')
    expect(whyNotPaidBy('globalAlipay', 'RMB', staff)).toBe('currency')
    expect(whyNotPaidBy('globalAlipay', 'USD', customer)).toBe('staff')
    expect(whyNotPaidBy('simulate', 'HKD', clerk)).toBe('staff')
  })
})
