/**
 * What the users page shows is what its address says (C-01): filter, order, page and the open drawer are read from the
 * query and written back to it, so that reload, a shared link and Back restore exactly that. What cannot be read is
 * left at its default, never an error.
 */
import type { Id } from '#contract/endpoint.ts'
import { listUsers } from '#contract/users.ts'
import { type UserStatus, userStatuses } from '#domain/users.ts'

export interface View {
  statusType: UserStatus | null
  includedDel: boolean
  searchText: string
  sort: readonly [field: string, order: 'asc' | 'desc']
  page: number
  results: number
  /** The row in the drawer, `new` for one to be made, null: closed. */
  open: Id | 'new' | null
}

/** portal 9 and D83 */
export const pageSizes = [10, 20, 30, 40, 50] as const
export const searchLimit = 100

const fills = listUsers.fills
if (!fills) throw new Error('listUsers fills no table')
export const usersFills = fills

export const plainView: View = {
  statusType: null,
  includedDel: false,
  searchText: '',
  sort: usersFills.sort,
  page: 1,
  results: pageSizes[0],
  open: null,
}

export function readView(query: URLSearchParams): View {
  return {
    statusType: readStatus(query.get('statusType')),
    includedDel: query.get('includedDel') === 'true',
    searchText: (query.get('searchText') ?? '').slice(0, searchLimit),
    sort: readSort(query.get('sortField'), query.get('sortOrder')),
    page: readWhole(query.get('page'), 1, 1_000_000) ?? plainView.page,
    results: pageSizes.find((size) => String(size) === query.get('results')) ?? plainView.results,
    open: readOpen(query.get('user')),
  }
}

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  if (view.statusType !== null) query.set('statusType', String(view.statusType))
  if (view.includedDel) query.set('includedDel', 'true')
  if (view.searchText.trim() !== '') query.set('searchText', view.searchText)
  if (view.sort[0] !== plainView.sort[0] || view.sort[1] !== plainView.sort[1]) {
    query.set('sortField', view.sort[0])
    query.set('sortOrder', view.sort[1])
  }
  if (view.page !== plainView.page) query.set('page', String(view.page))
  if (view.results !== plainView.results) query.set('results', String(view.results))
  if (view.open !== null) query.set('user', String(view.open))
  return query
}

/** A change of what is listed begins at its first page again; turning the page or opening a row does not. */
export function changeView(view: View, change: Partial<View>): View {
  const relists = (['statusType', 'includedDel', 'searchText', 'sort', 'results'] as const).some(
    (part) => part in change && String(change[part]) !== String(view[part]),
  )
  return { ...view, ...(relists ? { page: 1 } : {}), ...change }
}

/** What is remembered of a view when one comes back to the page (C-02): all but the drawer. */
export const remembered = (view: View): string => writeView({ ...view, open: null }).toString()

export const isFiltered = (view: View): boolean =>
  view.statusType !== null || view.includedDel || view.searchText.trim() !== ''

/** The filters as both the call and the device's rows understand them. */
export const filtersOf = (view: View) => ({
  ...(view.statusType === null ? {} : { statusType: view.statusType }),
  ...(view.includedDel ? { includedDel: true } : {}),
  ...(view.searchText.trim() === '' ? {} : { searchText: view.searchText.trim() }),
})

export const queryOf = (view: View) => ({
  results: view.results,
  page: view.page,
  sortField: view.sort[0],
  sortOrder: view.sort[1],
  ...filtersOf(view),
})

const readStatus = (value: string | null) => userStatuses.find((status) => String(status) === value) ?? null

function readSort(field: string | null, order: string | null): View['sort'] {
  if (field === null || !Object.hasOwn(usersFills.sorts, field)) return plainView.sort
  return [field, order === 'desc' ? 'desc' : 'asc']
}

function readWhole(value: string | null, min: number, max: number): number | null {
  if (value === null || !/^\d{1,10}$/.test(value)) return null
  const whole = Number(value)
  return whole >= min && whole <= max ? whole : null
}

function readOpen(value: string | null): View['open'] {
  if (value === 'new') return 'new'
  if (value !== null && /^~[0-9a-f-]{36}$/i.test(value)) return value as `~${string}` // the pattern has just said so
  return readWhole(value, 1, 2_147_483_647)
}
