import { describe, expect, it } from 'vitest'
import { places, stands } from '#app/routes/paths.ts'
import type { Caller } from '#domain/access.ts'
import { cards, greetingAt, offered, quick } from '#features/home/cards.ts'

const caller = (given: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...given,
})
const names = (given: Partial<Caller>) => offered(cards, caller(given), () => true).map((card) => card.name)

describe('home offers what one may do, and nothing else', () => {
  it.each([
    ['a user without flags', {}, ['profile', 'password']],
    ['the order flag', { order: true }, ['contract', 'profile', 'password']],
    ['an admin of a customer', { admin: true }, ['user', 'company', 'systrail', 'profile', 'password']],
    ['a colleague of the provider without flags', { companyCode: 'm18' }, ['profile', 'password']],
    [
      'an admin of the provider',
      { companyCode: 'm18', admin: true },
      ['user', 'company', 'systrail', 'service', 'module', 'price', 'profile', 'password'],
    ],
    [
      'the delete level without the admin flag (D46, D47, D51)',
      { companyCode: 'm18', accessLevel: 100 as const },
      ['systrail', 'service', 'module', 'price', 'profile', 'password'],
    ],
    [
      'an access level outside the provider, which counts for nothing',
      { accessLevel: 100 as const },
      ['profile', 'password'],
    ],
  ])('%s', (_, given, expected) => expect(names(given)).toEqual(expected))
})

it('home begins nothing for somebody who may not finish it', () => {
  const acts = (given: Partial<Caller>) => offered(quick, caller(given), stands).map((way) => way.name)
  expect(acts({})).toEqual([])
  expect(acts({ admin: true })).toEqual(['newUser'])
  expect(acts({ order: true })).toEqual(['newContract'])
})

it('home offers no page that does not stand', () => {
  const all = offered(cards, caller({ companyCode: 'm18', admin: true, order: true }), stands)
  expect(all.map(({ name }) => name)).toEqual([
    'contract',
    'user',
    'company',
    'systrail',
    'service',
    'module',
    'price',
    'profile',
    'password',
  ])
})

it('home leads only to places that stand, by the rule that guards them', () => {
  const guards = new Map(Object.values(places).map(({ path, who }) => [path as string, who as string]))
  for (const { path, who } of [...cards, ...quick])
    expect([path, guards.get(path.split('?')[0] ?? '')]).toEqual([path, who])
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
