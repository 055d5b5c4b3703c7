import { describe, expect, test } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { currencies } from '#domain/money.ts'
import {
  isBelowPayable,
  getLargestPayable,
  findPayableFault,
  paymentTypes,
  getSmallestPayable,
  getAmountRefusal,
  getPaymentTypeRefusal,
} from '#domain/payments.ts'

const customer: Caller = { userId: 1, companyId: 2, companyCode: 'acme', admin: true, order: true, accessLevel: 0 }
const clerk: Caller = { ...customer, companyCode: 'm18', admin: false }
const staff: Caller = { ...clerk, admin: true }
const deleter: Caller = { ...clerk, accessLevel: 100 }

describe('getPaymentTypeRefusal (D66, Z-20, Z-21)', () => {
  const listPaymentTypes = (caller: Caller) =>
    Object.fromEntries(
      currencies.map((currency) => [
        currency,
        paymentTypes.filter((type) => !getPaymentTypeRefusal(type, currency, caller)),
      ]),
    )

  test('allows customers to pay by card, and by Alipay in RMB', () => {
    expect(listPaymentTypes(customer)).toEqual({ HKD: ['stripe'], USD: ['stripe'], RMB: ['stripe', 'alipay'] })
  })

  test("allows the provider's staff Alipay in every currency, through the gateway of that currency", () => {
    const expected = { HKD: ['stripe', 'globalAlipay'], USD: ['stripe', 'globalAlipay'], RMB: ['stripe', 'alipay'] }
    expect(listPaymentTypes(clerk)).toEqual(expected)
  })

  test.each([staff, deleter])('allows simulated payments to provider admins and the delete level only', (caller) => {
    expect(listPaymentTypes(caller).HKD).toEqual(['stripe', 'globalAlipay', 'simulate'])
  })

  test('distinguishes a wrong currency from a method for staff only', () => {
    expect(getPaymentTypeRefusal('alipay', 'HKD', staff)).toBe('currency')
    expect(getPaymentTypeRefusal('globalAlipay', 'RMB', staff)).toBe('currency')
    expect(getPaymentTypeRefusal('globalAlipay', 'USD', customer)).toBe('staff')
    expect(getPaymentTypeRefusal('simulate', 'HKD', clerk)).toBe('staff')
  })
})

describe('Amounts that each payment method takes (fault 7f)', () => {
  test.each([
    ['stripe', 'USD', 49n, 50n, 99_999_999n],
    ['stripe', 'HKD', 399n, 400n, 99_999_999n],
    ['stripe', 'RMB', 399n, 400n, 99_999_999n],
    ['alipay', 'RMB', 0n, 1n, 10_000_000_000n],
    ['globalAlipay', 'HKD', 0n, 1n, 100_000_000n],
  ] as const)('%s in %s refuses %d, and takes %d to %d', (type, currency, tooSmall, min, max) => {
    expect([tooSmall, min, max, max + 1n].map((amount) => getAmountRefusal(type, currency, amount))).toEqual([
      'tooSmall',
      null,
      null,
      'tooLarge',
    ])
  })

  test('The smallest payable amount is that of the methods that are set up for customers', () => {
    expect(getSmallestPayable(paymentTypes, 'HKD')).toBe(400n)
    expect(getSmallestPayable(paymentTypes, 'RMB')).toBe(1n)
    expect(getSmallestPayable(['stripe'], 'RMB')).toBe(400n)
    expect(getSmallestPayable([], 'HKD')).toBe(0n)
    expect([0n, 1n, 399n, 400n].map((amount) => isBelowPayable(paymentTypes, 'HKD', amount))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('The largest payable amount depends on the caller, and staff who simulate have no limit', () => {
    expect(getLargestPayable(paymentTypes, 'HKD', customer)).toBe(99_999_999n)
    expect(getLargestPayable(paymentTypes, 'RMB', customer)).toBe(10_000_000_000n)
    expect(getLargestPayable(paymentTypes, 'HKD', clerk)).toBe(100_000_000n)
    expect(getLargestPayable(paymentTypes, 'HKD', staff)).toBeNull()
    expect(getLargestPayable([], 'HKD', customer)).toBeNull()
  })

  test('findPayableFault returns whether an amount is waived, too small, too large or not payable by card', () => {
    const findFaultKind = (currency: 'HKD' | 'RMB', amount: bigint, isWaivable = false) =>
      findPayableFault(paymentTypes, { currency, amount, isWaivable }, customer)?.kind ?? null
    expect([
      findFaultKind('HKD', 274n, true),
      findFaultKind('HKD', 274n),
      findFaultKind('HKD', 0n),
      findFaultKind('HKD', 400n),
    ]).toEqual(['waived', 'tooSmall', null, null])
    expect([
      findFaultKind('HKD', 100_000_000n),
      findFaultKind('RMB', 100_000_000n),
      findFaultKind('RMB', 99_999_999n),
    ]).toEqual(['tooLarge', 'noCard', null])
  })
})
