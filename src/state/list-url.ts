/**
 * What a list's page shows is what its address says (C-01): search, order, page and its own filters are read from the query
 * and written back to it, so that reload, a shared link and Back restore exactly that. What cannot be read is left at its
 * default, never an error.
 */
import type { ListSpec } from '#contract/endpoint.ts'

export interface ListUrlState {
  searchText: string
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
}

/** portal 9 and D83 */
export const pageSizes = [10, 20, 30, 40, 50] as const
const maxSearchLength = 100

export const plainListState = ({ sort }: ListSpec): ListUrlState => ({
  searchText: '',
  sort,
  page: 1,
  results: pageSizes[0],
})

export const readListState = (query: URLSearchParams, list: ListSpec): ListUrlState => ({
  searchText: (query.get('searchText') ?? '').slice(0, maxSearchLength),
  sort: readSort(query.get('sortField'), query.get('sortOrder'), list),
  page: parseWholeNumber(query.get('page'), 1_000_000) ?? 1,
  results: pageSizes.find((size) => String(size) === query.get('results')) ?? pageSizes[0],
})

/** Defaults are left out, so that the plain list has the plain address. */
export function writeListState(query: URLSearchParams, view: ListUrlState, { sort }: ListSpec): void {
  if (view.searchText.trim() !== '') query.set('searchText', view.searchText)
  if (view.sort.join() !== sort.join()) {
    query.set('sortField', view.sort[0])
    query.set('sortOrder', view.sort[1])
  }
  if (view.page !== 1) query.set('page', String(view.page))
  if (view.results !== pageSizes[0]) query.set('results', String(view.results))
}

/** A change of what is listed begins at its first page again; turning the page does not, nor what is in `ignoredField`. */
export function changeListState<V extends ListUrlState>(view: V, change: Partial<V>, ignoredField?: keyof V): V {
  const isNewList = (Object.keys(change) as (keyof V)[]).some(
    (field) => field !== 'page' && field !== ignoredField && String(change[field]) !== String(view[field]),
  )
  return { ...view, ...(isNewList ? { page: 1 } : {}), ...change }
}

/** As both the call and the device's rows understand it. */
export const toSearchQuery = ({ searchText }: ListUrlState) =>
  searchText.trim() === '' ? {} : { searchText: searchText.trim() }

export const toPageQuery = ({ results, page, sort }: ListUrlState) => ({
  results,
  page,
  sortField: sort[0],
  sortOrder: sort[1],
})

function readSort(field: string | null, order: string | null, list: ListSpec): ListUrlState['sort'] {
  if (field === null || !Object.hasOwn(list.sorts, field)) return list.sort
  return [field, order === 'desc' ? 'desc' : 'asc']
}

/** A whole number from 1 to `max`; null for all else. */
export function parseWholeNumber(value: string | null, max: number): number | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return null
  const number = Number(value)
  return number >= 1 && number <= max ? number : null
}
