import { describe, expect, test } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { currencies } from '#domain/money.ts'
import {
  isBelowPayable,
  largestPayable,
  payableFault,
  paymentTypes,
  smallestPayable,
  whyAmountNotTaken,
  whyNotPaidBy,
} from '#domain/payments.ts'

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

describe('fault 7f amounts that each method takes', () => {
  test.each([
    ['stripe', 'USD', 49n, 50n, 99_999_999n],
    ['stripe', 'HKD', 399n, 400n, 99_999_999n],
    ['stripe', 'RMB', 399n, 400n, 99_999_999n],
    ['alipay', 'RMB', 0n, 1n, 10_000_000_000n],
    ['globalAlipay', 'HKD', 0n, 1n, 100_000_000n],
  ] as const)('%s in %s: not %d, but from %d to %d', (type, currency, below, min, max) => {
    expect([below, min, max, max + 1n].map((amount) => whyAmountNotTaken(type, currency, amount))).toEqual([
      'tooSmall',
      null,
      null,
      'tooLarge',
    ])
  })

  test('the least that customers can pay is that of the methods that are set up for them', () => {
    expect(smallestPayable(paymentTypes, 'HKD')).toBe(400n)
    expect(smallestPayable(paymentTypes, 'RMB')).toBe(1n)
    expect(smallestPayable(['stripe'], 'RMB')).toBe(400n)
    expect(smallestPayable([], 'HKD')).toBe(0n)
    expect([0n, 1n, 399n, 400n].map((amount) => isBelowPayable(paymentTypes, 'HKD', amount))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('the most is that of the caller, and staff who simulate have no limit', () => {
    expect(largestPayable(paymentTypes, 'HKD', customer)).toBe(99_999_999n)
    expect(largestPayable(paymentTypes, 'RMB', customer)).toBe(10_000_000_000n)
    expect(largestPayable(paymentTypes, 'HKD', clerk)).toBe(100_000_000n)
    expect(largestPayable(paymentTypes, 'HKD', staff)).toBeNull()
    expect(largestPayable([], 'HKD', customer)).toBeNull()
  })

  test('what is said before an order: waived, too small, too large, or not by card', () => {
    const fault = (currency: 'HKD' | 'RMB', amount: bigint, waives = false) =>
      payableFault(paymentTypes, { currency, amount, waives }, customer)?.kind ?? null
    expect([fault('HKD', 274n, true), fault('HKD', 274n), fault('HKD', 0n), fault('HKD', 400n)]).toEqual([
      'waived',
      'tooSmall',
      null,
      null,
    ])
    expect([fault('HKD', 100_000_000n), fault('RMB', 100_000_000n), fault('RMB', 99_999_999n)]).toEqual([
      'tooLarge',
      'noCard',
      null,
    ])
  })
})
