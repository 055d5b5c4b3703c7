import { describe, expect, it } from 'vitest'
import { routes } from '#app/routes/paths.ts'
import { type AccessRule, type Caller, isAllowed } from '#domain/access.ts'
import { listStartActions } from '#features/home/start-actions.ts'
import { mergeDuties } from '#features/home/merge-duties.ts'
import { listFigures } from '#features/home/figures.ts'
import { type HomeDuty, type HomeReport, getKnownState, combineStates } from '#ui/page/home-report.ts'

const createCaller = (overrides: Partial<Caller>): Caller => ({
  userId: 1,
  companyId: 2,
  companyCode: 'acme',
  admin: false,
  order: false,
  accessLevel: 0,
  ...overrides,
})
const callerKinds: Partial<Caller>[] = [
  {},
  { order: true },
  { admin: true },
  { admin: true, order: true },
  { companyCode: 'm18', admin: true, order: true },
  { companyCode: 'm18', accessLevel: 100 },
]

describe('the figures on the home page', () => {
  it.each([
    ['a user without flags', {}, []],
    ['a user with the order flag', { order: true }, ['contracts', 'toPay', 'waiting']],
    ['an admin of a customer', { admin: true }, ['users', 'waiting']],
    ['a user with the admin and order flags', { admin: true, order: true }, ['contracts', 'toPay', 'users', 'waiting']],
    ['a user of the provider without flags', { companyCode: 'm18' }, []],
    [
      'an admin of the provider',
      { companyCode: 'm18', admin: true, order: true },
      ['unpaid', 'ending', 'down', 'customers'],
    ],
    ['staff with the order flag only', { companyCode: 'm18', order: true }, ['unpaid', 'customers']],
    [
      'a user with only the delete level (D46, D47)',
      { companyCode: 'm18', accessLevel: 100 as const },
      ['unpaid', 'ending', 'down', 'customers'],
    ],
    ['an access level outside the provider, which has no effect', { accessLevel: 100 as const }, []],
  ])('match the permissions of the user: %s', (_, overrides, expected) =>
    expect(listFigures(createCaller(overrides)).map(({ name }) => name)).toEqual(expected),
  )

  it('lead, like the start actions, to existing pages with the same permission', () => {
    const permissionsByPath = new Map<string, AccessRule>(
      Object.values(routes).map(({ path, access }) => [path, access]),
    )
    for (const overrides of callerKinds)
      for (const { path, requiredRole } of [
        ...listFigures(createCaller(overrides)),
        ...listStartActions(createCaller(overrides)),
      ]) {
        const permission = permissionsByPath.get(path.split('?')[0] ?? '') ?? 'anybody'
        expect([path, isAllowed(permission, createCaller(overrides))]).toEqual([path, true])
        expect([path, permission]).not.toEqual([path, 'anybody'])
        expect(isAllowed(requiredRole, createCaller(overrides))).toBe(true)
      }
  })
})

it('The home page offers no start action to users who may not complete it', () => {
  const listActionNames = (overrides: Partial<Caller>) =>
    listStartActions(createCaller(overrides)).map(({ name }) => name)
  expect(listActionNames({})).toEqual([])
  expect(listActionNames({ admin: true })).toEqual(['newUser'])
  expect(listActionNames({ order: true })).toEqual(['newContract'])
})

describe('the list of open tasks', () => {
  const createDuty = (key: string, date: HomeDuty['at']): HomeDuty => ({
    key,
    at: date,
    icon: 'alert',
    title: key,
    text: '',
    action: { label: 'Look', path: '/' },
  })
  const createReport = (from: HomeReport['source'], duties: HomeDuty[]): HomeReport => ({
    source: from,
    state: 'known',
    duties,
    figures: {},
  })

  it('starts with tasks that cannot wait, sorts by day and ends with tasks without a day', () => {
    const duties = mergeDuties([
      createReport('users', [createDuty('invited', null)]),
      createReport('orders', [createDuty('later', '2026-12-04'), createDuty('soon', '2026-11-28')]),
      createReport('backups', [createDuty('overdue', '2026-11-01')]),
      createReport('outbox', [createDuty('refused', '')]),
    ])
    expect(duties.map(({ title }) => title)).toEqual(['refused', 'overdue', 'soon', 'later', 'invited'])
  })

  it('keeps two tasks with the same title apart', () => {
    const duties = mergeDuties([
      createReport('orders', [createDuty('one', '')]),
      createReport('backups', [createDuty('one', '')]),
    ])
    expect(new Set(duties.map(({ key }) => key)).size).toBe(2)
  })

  it('is "known" once all parts are known, and "loading" while any part is loading', () => {
    expect(combineStates(['known', 'unknown', 'loading'])).toBe('loading')
    expect(combineStates(['known', 'unknown'])).toBe('unknown')
    expect(combineStates(['known'])).toBe('known')
    expect(getKnownState({ asOf: 1, isCached: true })).toBe('known')
    expect(getKnownState({ asOf: null, isCached: true })).toBe('unknown')
    expect(getKnownState({ asOf: null, isCached: false })).toBe('loading')
  })
})
