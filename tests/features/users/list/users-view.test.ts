import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { userListSpec } from '#contract/users.ts'
import { type UsersView, usersView } from '#features/users/view.ts'

const { defaultView } = usersView

const views: fc.Arbitrary<UsersView> = fc.record({
  statusType: fc.constantFrom(null, 1, 0, -1, -2),
  includedDel: fc.boolean(),
  searchText: fc.string({ maxLength: 100 }).filter((text) => text === '' || text.trim() !== ''),
  sort: fc.tuple(fc.constantFrom(...Object.keys(userListSpec.sorts)), fc.constantFrom('asc', 'desc')),
  page: fc.integer({ min: 1, max: 1_000_000 }),
  results: fc.constantFrom(10, 20, 30, 40, 50),
  open: fc.oneof(
    fc.constantFrom(null, 'new' as const),
    fc.integer({ min: 1, max: 2_147_483_647 }),
    fc.uuid().map((intent) => `~${intent}` as const),
  ),
})

describe('the address of the users page', () => {
  it('restores exactly the view that was written to it (C-01)', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(usersView.read(new URLSearchParams(usersView.write(view).toString()))).toEqual(view)
      }),
    )
  })

  it('is empty for the default view', () => {
    expect(usersView.write(defaultView).toString()).toBe('')
  })

  it.each([
    ['page=0'],
    ['page=-3'],
    ['page=1e3'],
    ['results=15'],
    ['results=500'],
    ['sortField=password_hash'],
    ['sortField=__proto__'],
    ['statusType=7'],
    ['includedDel=maybe'],
    ['user=abc'],
    ['user=~1'],
    ['user=99999999999'],
  ])('uses the default for an invalid parameter: %s', (query) => {
    expect(usersView.read(new URLSearchParams(query))).toEqual(defaultView)
  })

  it('returns to the first page when the listed users change', () => {
    const thirdPage = { ...defaultView, page: 3 }
    for (const change of [
      { statusType: 1 as const },
      { includedDel: true },
      { searchText: 'li' },
      { sort: ['email', 'asc'] as const },
      { results: 50 },
    ])
      expect(usersView.change(thirdPage, change).page).toBe(1)
  })

  it('stays on its page when a row is opened', () => {
    expect(usersView.change({ ...defaultView, page: 3 }, { open: 42 })).toMatchObject({ page: 3, open: 42 })
  })

  it('is remembered without the opened user (C-02)', () => {
    expect(usersView.toSavedQuery({ ...defaultView, page: 2, statusType: 0, open: 42 })).toBe('statusType=0&page=2')
  })

  it('requests the same filters from the server and the device', () => {
    const view: UsersView = { ...defaultView, statusType: -1, includedDel: true, searchText: '  Li ' }
    expect(usersView.toFilterQuery(view)).toEqual({ statusType: -1, includedDel: true, searchText: 'Li' })
    expect(usersView.toListQuery(view)).toEqual({
      results: 10,
      page: 1,
      sortField: 'name',
      sortOrder: 'asc',
      statusType: -1,
      includedDel: true,
      searchText: 'Li',
    })
  })
})
