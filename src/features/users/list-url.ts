/** What the address of the users page says: the listing, its filters and the open drawer (C-01). */
import type { Id } from '#contract/endpoint.ts'
import { usersFills } from '#contract/users.ts'
import { type UserStatus, userStatuses } from '#domain/accounts/users.ts'
import {
  changeListing,
  type Listing,
  pageOf,
  plainListing,
  readListing,
  readWhole,
  searchOf,
  writeListing,
} from '#state/list-url.ts'

export interface View extends Listing {
  statusType: UserStatus | null
  includedDel: boolean
  /** The row in the drawer, `new` for one to be made, null: closed. */
  open: Id | 'new' | null
}

export { usersFills }

export const plainView: View = {
  statusType: null,
  includedDel: false,
  ...plainListing(usersFills),
  open: null,
}

export function readView(query: URLSearchParams): View {
  return {
    statusType: readStatus(query.get('statusType')),
    includedDel: query.get('includedDel') === 'true',
    ...readListing(query, usersFills),
    open: readOpen(query.get('user')),
  }
}

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: View): URLSearchParams {
  const query = new URLSearchParams()
  if (view.statusType !== null) query.set('statusType', String(view.statusType))
  if (view.includedDel) query.set('includedDel', 'true')
  writeListing(query, view, usersFills)
  if (view.open !== null) query.set('user', String(view.open))
  return query
}

/** Opening a row lists nothing else. */
export const changeView = (view: View, change: Partial<View>): View => changeListing(view, change, 'open')

/** What is remembered of a view when one comes back to the page (C-02): all but the drawer. */
export const remembered = (view: View): string => writeView({ ...view, open: null }).toString()

export const isFiltered = (view: View): boolean =>
  view.statusType !== null || view.includedDel || view.searchText.trim() !== ''

/** The filters as both the call and the device's rows understand them. */
export const filtersOf = (view: View) => ({
  ...(view.statusType === null ? {} : { statusType: view.statusType }),
  ...(view.includedDel ? { includedDel: true } : {}),
  ...searchOf(view),
})

export const queryOf = (view: View) => ({ ...pageOf(view), ...filtersOf(view) })

const readStatus = (value: string | null) => userStatuses.find((status) => String(status) === value) ?? null

function readOpen(value: string | null): View['open'] {
  if (value === 'new') return 'new'
  if (value !== null && /^~[0-9a-f-]{36}$/i.test(value)) return value as `~${string}` // the pattern has just said so
  return readWhole(value, 2_147_483_647)
}
