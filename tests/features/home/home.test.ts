import { describe, expect, it } from 'vitest'
import { places, stands } from '#app/routes/paths.ts'
import type { Caller } from '#domain/access.ts'
import { begunBy, greetingAt } from '#features/home/begin.ts'
import { inOrder } from '#features/home/merge-duties.ts'
import { figuresFor } from '#features/home/figures.ts'
import { type Duty, type HomeReport, knownOf, knownTogether } from '#ui/page/home-report.ts'

const caller = (given: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...given,
})
const everybody: Partial<Caller>[] = [
  {},
  { order: true },
  { admin: true },
  { admin: true, order: true },
  { companyCode: 'm18', admin: true, order: true },
  { companyCode: 'm18', accessLevel: 100 },
]

describe('home shows the figures of what one may look at', () => {
  it.each([
    ['a user without flags', {}, []],
    ['the order flag', { order: true }, ['contracts', 'toPay', 'waiting']],
    ['an admin of a customer', { admin: true }, ['users', 'waiting']],
    ['who does both', { admin: true, order: true }, ['contracts', 'toPay', 'users', 'waiting']],
    ['a colleague of the provider without flags', { companyCode: 'm18' }, []],
    ['an admin of the provider', { companyCode: 'm18', admin: true, order: true }, ['services', 'users', 'waiting']],
    ['the delete level alone (D46, D47)', { companyCode: 'm18', accessLevel: 100 as const }, ['services', 'waiting']],
    ['an access level outside the provider, which counts for nothing', { accessLevel: 100 as const }, []],
  ])('%s', (_, given, expected) => expect(figuresFor(caller(given)).map(({ name }) => name)).toEqual(expected))

  it('each leads to a place that stands, by the rule that guards it', () => {
    const guards = new Map(Object.values(places).map(({ path, who }) => [path as string, who as string]))
    for (const given of everybody)
      for (const { path, who } of [...figuresFor(caller(given)), ...begunBy(caller(given), stands)])
        expect([path, guards.get(path.split('?')[0] ?? '')]).toEqual([path, who])
  })
})

it('home begins nothing for somebody who may not finish it', () => {
  const begun = (given: Partial<Caller>) => begunBy(caller(given), stands).map(({ name }) => name)
  expect(begun({})).toEqual([])
  expect(begun({ admin: true })).toEqual(['newUser'])
  expect(begun({ order: true })).toEqual(['newContract'])
  expect(begunBy(caller({ admin: true }), () => false)).toEqual([])
})

describe('what needs attention is one list', () => {
  const duty = (key: string, at: Duty['at']): Duty => ({
    key,
    at,
    icon: 'alert',
    title: key,
    text: '',
    action: { label: 'Look', path: '/' },
  })
  const report = (from: HomeReport['from'], duties: Duty[]): HomeReport => ({
    from,
    state: 'known',
    duties,
    figures: {},
  })

  it('has what does not wait first, then goes by the day, and ends with what has none', () => {
    const shown = inOrder([
      report('users', [duty('invited', null)]),
      report('orders', [duty('later', '2026-12-04'), duty('soon', '2026-11-28')]),
      report('backups', [duty('overdue', '2026-11-01')]),
      report('outbox', [duty('refused', '')]),
    ])
    expect(shown.map(({ title }) => title)).toEqual(['refused', 'overdue', 'soon', 'later', 'invited'])
  })

  it('takes two of a name for two', () => {
    const shown = inOrder([report('orders', [duty('one', '')]), report('backups', [duty('one', '')])])
    expect(new Set(shown.map(({ key }) => key)).size).toBe(2)
  })

  it('is known when all of it is; what is being asked for is waited for', () => {
    expect(knownTogether(['known', 'unknown', 'asking'])).toBe('asking')
    expect(knownTogether(['known', 'unknown'])).toBe('unknown')
    expect(knownTogether(['known'])).toBe('known')
    expect(knownOf({ asOf: 1, isKept: true })).toBe('known')
    expect(knownOf({ asOf: null, isKept: true })).toBe('unknown')
    expect(knownOf({ asOf: null, isKept: false })).toBe('asking')
  })
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
