import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderListSpec } from '#contract/orders.ts'
import {
  changeListView,
  toListFilters,
  orderStatuses,
  defaultListView,
  toListQuery,
  readListView,
  type OrdersView,
  writeListView,
} from '#features/orders/list-url.ts'

const views: fc.Arbitrary<OrdersView> = fc.record({
  status: fc.constantFrom(null, ...orderStatuses),
  company: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 2_147_483_647 })),
  searchText: fc.string({ maxLength: 100 }).filter((text) => text === '' || text.trim() !== ''),
  sort: fc.tuple(fc.constantFrom(...Object.keys(orderListSpec.sorts)), fc.constantFrom('asc', 'desc')),
  page: fc.integer({ min: 1, max: 1_000_000 }),
  results: fc.constantFrom(10, 20, 30, 40, 50),
})

describe('the address of the contract list', () => {
  it('restores exactly the view that wrote it (C-01)', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(readListView(new URLSearchParams(writeListView(view).toString()))).toEqual(view)
      }),
    )
  })

  it('is empty for the plain list', () => {
    expect(writeListView(defaultListView).toString()).toBe('')
  })

  it.each([['status=9'], ['status=one'], ['company=0'], ['company=acme'], ['page=0'], ['sortField=amount']])(
    'leaves at its default what it cannot read: %s',
    (query) => {
      expect(readListView(new URLSearchParams(query))).toEqual(defaultListView)
    },
  )

  it('begins at the first page again when what is listed changes', () => {
    const thirdPage = { ...defaultListView, page: 3 }
    for (const change of [{ status: 0 as const }, { company: 7 }, { searchText: 'hr' }, { results: 50 }])
      expect(changeListView(thirdPage, change).page).toBe(1)
    expect(changeListView(thirdPage, { page: 4 }).page).toBe(4)
  })

  it('asks the server and the device for the client type with the same filters', () => {
    const view: OrdersView = { ...defaultListView, status: -1, searchText: '  Hr ' }
    expect(toListFilters('mma', view)).toEqual({ type: 'mma', status: -1, searchText: 'Hr' })
    expect(toListQuery('mma', view)).toEqual({
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
