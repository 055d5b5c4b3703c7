/**
 * What a list's page shows is what its address says (C-01): search, order, page and its own filters are read from the query
 * and written back to it, so that reload, a shared link and Back restore exactly that. What cannot be read is left at its
 * default, never an error.
 */
import type { ListSpec } from '#contract/endpoint.ts'

export interface Listing {
  searchText: string
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
}

/** portal 9 and D83 */
export const pageSizes = [10, 20, 30, 40, 50] as const
const searchLimit = 100

export const plainListing = ({ sort }: ListSpec): Listing => ({ searchText: '', sort, page: 1, results: pageSizes[0] })

export const readListing = (query: URLSearchParams, list: ListSpec): Listing => ({
  searchText: (query.get('searchText') ?? '').slice(0, searchLimit),
  sort: readSort(query.get('sortField'), query.get('sortOrder'), list),
  page: readWhole(query.get('page'), 1_000_000) ?? 1,
  results: pageSizes.find((size) => String(size) === query.get('results')) ?? pageSizes[0],
})

/** Defaults are left out, so that the plain list has the plain address. */
export function writeListing(query: URLSearchParams, view: Listing, { sort }: ListSpec): void {
  if (view.searchText.trim() !== '') query.set('searchText', view.searchText)
  if (view.sort.join() !== sort.join()) {
    query.set('sortField', view.sort[0])
    query.set('sortOrder', view.sort[1])
  }
  if (view.page !== 1) query.set('page', String(view.page))
  if (view.results !== pageSizes[0]) query.set('results', String(view.results))
}

/** A change of what is listed begins at its first page again; turning the page does not, nor what is in `beside`. */
export function changeListing<V extends Listing>(view: V, change: Partial<V>, beside?: keyof V): V {
  const relists = (Object.keys(change) as (keyof V)[]).some(
    (part) => part !== 'page' && part !== beside && String(change[part]) !== String(view[part]),
  )
  return { ...view, ...(relists ? { page: 1 } : {}), ...change }
}

/** As both the call and the device's rows understand it. */
export const searchOf = ({ searchText }: Listing) => (searchText.trim() === '' ? {} : { searchText: searchText.trim() })

export const pageOf = ({ results, page, sort }: Listing) => ({
  results,
  page,
  sortField: sort[0],
  sortOrder: sort[1],
})

function readSort(field: string | null, order: string | null, list: ListSpec): Listing['sort'] {
  if (field === null || !Object.hasOwn(list.sorts, field)) return list.sort
  return [field, order === 'desc' ? 'desc' : 'asc']
}

/** A whole number from 1 to `max`; null for all else. */
export function readWhole(value: string | null, max: number): number | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return null
  const whole = Number(value)
  return whole >= 1 && whole <= max ? whole : null
}
