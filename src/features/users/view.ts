/** What the address of the users page says: the listing, its filters and the open drawer (C-01). */
import type { RowRef } from '#contract/endpoint.ts'
import { userListSpec } from '#contract/users.ts'
import { type UserStatus, userStatuses } from '#domain/accounts/users.ts'
import {
  changeListState,
  type ListUrlState,
  toPageQuery,
  plainListState,
  readListState,
  parseWholeNumber,
  toSearchQuery,
  writeListState,
} from '#state/list-url.ts'

export interface UsersView extends ListUrlState {
  statusType: UserStatus | null
  includedDel: boolean
  /** The row in the drawer, `new` for one to be made, null: closed. */
  open: RowRef | 'new' | null
}

export { userListSpec }

export const defaultListView: UsersView = {
  statusType: null,
  includedDel: false,
  ...plainListState(userListSpec),
  open: null,
}

export function readView(query: URLSearchParams): UsersView {
  return {
    statusType: readStatus(query.get('statusType')),
    includedDel: query.get('includedDel') === 'true',
    ...readListState(query, userListSpec),
    open: readOpen(query.get('user')),
  }
}

/** Defaults are left out, so that the plain list has the plain address. */
export function writeView(view: UsersView): URLSearchParams {
  const query = new URLSearchParams()
  if (view.statusType !== null) query.set('statusType', String(view.statusType))
  if (view.includedDel) query.set('includedDel', 'true')
  writeListState(query, view, userListSpec)
  if (view.open !== null) query.set('user', String(view.open))
  return query
}

/** Opening a row lists nothing else. */
export const changeView = (view: UsersView, change: Partial<UsersView>): UsersView =>
  changeListState(view, change, 'open')

/** What is remembered of a view when one comes back to the page (C-02): all but the drawer. */
export const toRememberedQuery = (view: UsersView): string => writeView({ ...view, open: null }).toString()

export const isFiltered = (view: UsersView): boolean =>
  view.statusType !== null || view.includedDel || view.searchText.trim() !== ''

/** The filters as both the call and the device's rows understand them. */
export const toFilterQuery = (view: UsersView) => ({
  ...(view.statusType === null ? {} : { statusType: view.statusType }),
  ...(view.includedDel ? { includedDel: true } : {}),
  ...toSearchQuery(view),
})

export const toListQuery = (view: UsersView) => ({ ...toPageQuery(view), ...toFilterQuery(view) })

const readStatus = (value: string | null) => userStatuses.find((status) => String(status) === value) ?? null

function readOpen(value: string | null): UsersView['open'] {
  if (value === 'new') return 'new'
  if (value !== null && /^~[0-9a-f-]{36}$/i.test(value)) return value as `~${string}` // the pattern has just said so
  return parseWholeNumber(value, 2_147_483_647)
}
