import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ordersFills } from '#contract/orders.ts'
import {
  changeView,
  filtersOf,
  orderStatuses,
  plainView,
  queryOf,
  readView,
  type View,
  writeView,
} from '#features/orders/list-url.ts'

const views: fc.Arbitrary<View> = fc.record({
  status: fc.constantFrom(null, ...orderStatuses),
  company: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 2_147_483_647 })),
  searchText: fc.string({ maxLength: 100 }).filter((text) => text === '' || text.trim() !== ''),
  sort: fc.tuple(fc.constantFrom(...Object.keys(ordersFills.sorts)), fc.constantFrom('asc', 'desc')),
  page: fc.integer({ min: 1, max: 1_000_000 }),
  results: fc.constantFrom(10, 20, 30, 40, 50),
})

describe('the address of the contract list', () => {
  it('restores exactly the view that wrote it (C-01)', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(readView(new URLSearchParams(writeView(view).toString()))).toEqual(view)
      }),
    )
  })

  it('is empty for the plain list', () => {
    expect(writeView(plainView).toString()).toBe('')
  })

  it.each([['status=9'], ['status=one'], ['company=0'], ['company=acme'], ['page=0'], ['sortField=amount']])(
    'leaves at its default what it cannot read: %s',
    (query) => {
      expect(readView(new URLSearchParams(query))).toEqual(plainView)
    },
  )

  it('begins at the first page again when what is listed changes', () => {
    const third = { ...plainView, page: 3 }
    for (const change of [{ status: 0 as const }, { company: 7 }, { searchText: 'hr' }, { results: 50 }])
      expect(changeView(third, change).page).toBe(1)
    expect(changeView(third, { page: 4 }).page).toBe(4)
  })

  it('asks the server and the device for the client type with the same filters', () => {
    const view: View = { ...plainView, status: -1, searchText: '  Hr ' }
    expect(filtersOf('mma', view)).toEqual({ type: 'mma', status: -1, searchText: 'Hr' })
    expect(queryOf('mma', view)).toEqual({
      type: 'mma',
      status: -1,
      searchText: 'Hr',
      results: 10,
      page: 1,
      sortField: 'create_time',
      sortOrder: 'desc',
    })
  })
})
