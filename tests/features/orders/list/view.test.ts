import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderListSpec } from '#contract/orders.ts'
import {
  getOrderTab,
  orderStatuses,
  type OrderTab,
  orderTabs,
  ordersView,
  type OrdersView,
  toListQuery,
  toTabView,
} from '#features/orders/view.ts'

const views: fc.Arbitrary<OrdersView> = fc.record({
  status: fc.constantFrom(null, ...orderStatuses),
  ending: fc.boolean(),
  company: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 2_147_483_647 })),
  searchText: fc.string({ maxLength: 100 }).filter((text) => text === '' || text.trim() !== ''),
  sort: fc.tuple(fc.constantFrom(...Object.keys(orderListSpec.sorts)), fc.constantFrom('asc', 'desc')),
  page: fc.integer({ min: 1, max: 1_000_000 }),
  results: fc.constantFrom(10, 20, 30, 40, 50),
})

describe('the address of the contract list', () => {
  it('restores exactly the view that was written to it (C-01)', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(ordersView.read(new URLSearchParams(ordersView.write(view).toString()))).toEqual(view)
      }),
    )
  })

  it('is empty for the default view', () => {
    expect(ordersView.write(ordersView.defaultView).toString()).toBe('')
  })

  it('keeps the names and the order of its parameters', () => {
    const view: OrdersView = {
      company: 7,
      status: 0,
      ending: false,
      searchText: 'hr',
      sort: ['name', 'asc'],
      page: 2,
      results: 20,
    }
    expect(ordersView.write(view).toString()).toBe(
      'company=7&status=0&searchText=hr&sortField=name&sortOrder=asc&page=2&results=20',
    )
  })

  it.each([['status=9'], ['status=one'], ['company=0'], ['company=acme'], ['page=0'], ['sortField=amount']])(
    'uses the default for an invalid parameter: %s',
    (query) => {
      expect(ordersView.read(new URLSearchParams(query))).toEqual(ordersView.defaultView)
    },
  )

  it('returns to the first page when the listed contracts change', () => {
    const thirdPage = { ...ordersView.defaultView, page: 3 }
    for (const change of [{ status: 0 as const }, { company: 7 }, { searchText: 'hr' }, { results: 50 }])
      expect(ordersView.change(thirdPage, change).page).toBe(1)
    expect(ordersView.change(thirdPage, { page: 4 }).page).toBe(4)
  })

  it('shows all contracts of the same company if nothing matches the filters (C-04)', () => {
    const view = { ...ordersView.defaultView, company: 7, status: 0 as const, searchText: 'hr' }
    expect(ordersView.isFiltered({ ...ordersView.defaultView, company: 7 })).toBe(false)
    expect({ ...view, ...ordersView.unfiltered }).toEqual({ ...ordersView.defaultView, company: 7 })
    expect({ ...view, ...ordersView.clearedFilters }).toEqual(ordersView.defaultView)
  })

  it('requests the client type with the same filters from the server and the device', () => {
    const view: OrdersView = { ...ordersView.defaultView, company: 7, status: -1, searchText: '  Hr ' }
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

  it('has a tab for all contracts, what is to be paid, what ends soon and what has expired', () => {
    const view = { ...ordersView.defaultView, company: 7, results: 20, page: 3, searchText: 'hr' }
    const writeTab = (tab: OrderTab) => ordersView.write(toTabView(view, tab)).toString()
    expect(orderTabs.map(writeTab)).toEqual([
      'company=7&results=20',
      'company=7&status=0&results=20',
      'company=7&ending=true&sortField=expired_date&sortOrder=asc&results=20',
      'company=7&status=2&results=20',
    ])
    expect(orderTabs.map((tab) => getOrderTab(ordersView.read(new URLSearchParams(writeTab(tab)))))).toEqual(orderTabs)
    expect([1, 3, -1].map((status) => getOrderTab({ ...view, status: status as 1 | 3 | -1 }))).toEqual(
      Array(3).fill('all'),
    )
  })

  it('requests contracts in effect whose last day is at most 60 days away as ending soon', () => {
    const query = toListQuery('saas', toTabView(ordersView.defaultView, 'ending'), '2026-11-22')
    expect(query).toMatchObject({ status: 1, endUntil: '2027-01-22', sortField: 'expired_date', type: 'saas' })
    expect(toListQuery('saas', ordersView.defaultView, '2026-11-22')).not.toHaveProperty('endUntil')
  })
})
