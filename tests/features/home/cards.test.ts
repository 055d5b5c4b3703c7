import { describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { cardsFor, greetingAt } from '#features/home/cards.ts'

const caller = (given: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...given,
})
const names = (given: Partial<Caller>) => cardsFor(caller(given)).map((card) => card.name)

describe('home offers what one may do, and nothing else', () => {
  it.each([
    ['a user without flags', {}, ['profile', 'password']],
    ['the order flag', { order: true }, ['contract', 'profile', 'password']],
    ['an admin of a customer', { admin: true }, ['user', 'company', 'systrail', 'profile', 'password']],
    ['a colleague of the provider without flags', { companyCode: 'm18' }, ['profile', 'password']],
    [
      'an admin of the provider',
      { companyCode: 'm18', admin: true },
      ['user', 'company', 'systrail', 'service', 'price', 'module', 'profile', 'password'],
    ],
    [
      'the delete level without the admin flag (D46)',
      { companyCode: 'm18', accessLevel: 100 as const },
      ['user', 'company', 'systrail', 'service', 'price', 'module', 'profile', 'password'],
    ],
    [
      'an access level outside the provider, which counts for nothing',
      { accessLevel: 100 as const },
      ['profile', 'password'],
    ],
  ])('%s', (_, given, expected) => expect(names(given)).toEqual(expected))
})

describe('home greets by the time of day', () => {
  it.each([
    [0, 'evening'],
    [4, 'evening'],
    [5, 'morning'],
    [11, 'morning'],
    [12, 'afternoon'],
    [17, 'afternoon'],
    [18, 'evening'],
    [23, 'evening'],
  ])('%i o’clock: %s', (hour, greeting) => expect(greetingAt(hour)).toBe(greeting))
})
