import { describe, expect, it } from 'vitest'
import { groupThousands } from '#domain/money.ts'

describe('groupThousands (contracts 9)', () => {
  it.each([
    ['0.00', '0.00'],
    ['999.99', '999.99'],
    ['1000.00', '1,000.00'],
    ['-1234567.80', '-1,234,567.80'],
    ['-100.00', '-100.00'],
  ])('writes %s as %s', (amount, grouped) => expect(groupThousands(amount)).toBe(grouped))
})
