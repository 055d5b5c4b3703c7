import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import {
  changeView,
  toFilterQuery,
  defaultListView,
  toListQuery,
  readView,
  toRememberedQuery,
  userListSpec,
  type UsersView,
  writeView,
} from '#features/users/view.ts'

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
  it('restores exactly the view that wrote it (C-01)', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(readView(new URLSearchParams(writeView(view).toString()))).toEqual(view)
      }),
    )
  })

  it('is empty for the plain list', () => {
    expect(writeView(defaultListView).toString()).toBe('')
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
  ])('leaves at its default what it cannot read: %s', (query) => {
    expect(readView(new URLSearchParams(query))).toEqual(defaultListView)
  })

  it('begins at the first page again when what is listed changes', () => {
    const thirdPage = { ...defaultListView, page: 3 }
    for (const change of [
      { statusType: 1 as const },
      { includedDel: true },
      { searchText: 'li' },
      { sort: ['email', 'asc'] as const },
      { results: 50 },
    ])
      expect(changeView(thirdPage, change).page).toBe(1)
  })

  it('stays on its page when a row is opened', () => {
    expect(changeView({ ...defaultListView, page: 3 }, { open: 42 })).toMatchObject({ page: 3, open: 42 })
  })

  it('is remembered without the drawer (C-02)', () => {
    expect(toRememberedQuery({ ...defaultListView, page: 2, statusType: 0, open: 42 })).toBe('statusType=0&page=2')
  })

  it('asks the server and the device with the same filters', () => {
    const view: UsersView = { ...defaultListView, statusType: -1, includedDel: true, searchText: '  Li ' }
    expect(toFilterQuery(view)).toEqual({ statusType: -1, includedDel: true, searchText: 'Li' })
    expect(toListQuery(view)).toEqual({
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
