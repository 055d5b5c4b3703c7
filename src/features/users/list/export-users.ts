/** All users of the list's filter, in its order, and the file that they are exported to. */
import { listUsers, userListSpec, type UserRow } from '#contract/users.ts'
import { toTimestamp } from '#domain/time.ts'
import { createRowComparer, normaliseTexts, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ConnectionState } from '#state/connection-slice.ts'
import { type UsersView, usersView } from '#features/users/view.ts'
import { usersList } from '#features/users/slice.ts'

/** More than any company has. */
const maxRows = 1_000_000

/** The users of the filter that are on this device; for a live query. */
export const readAllUsers = (companyId: number, view: UsersView): Promise<ListView<UserRow>> =>
  usersList.readPage(companyId, { ...usersView.toListQuery(view), page: 1, results: maxRows })

/** Whether the server has to be asked: this device does not have all rows of the filter, and the server can be reached. */
export const shouldFetchAll = (list: ListView<UserRow>, { networkState, isSessionExpired }: ConnectionState): boolean =>
  !list.complete && networkState === 'online' && !isSessionExpired

/**
 * The server's complete list in one response, for a device that does not have all of it: no row is missed or doubled between pages
 * while somebody else changes the list. Filtered and sorted here by the server's own rules (protocol 36).
 */
export const fetchAllUsers =
  (
    companyId: number,
    view: UsersView,
  ): AppThunk<Extract<CallResult<OverlaidRow<UserRow>[]>, { kind: 'fresh' | 'problem' }>> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(listUsers, { params: { companyId }, query: { since: '' } })
    if (result.kind === 'problem') return result
    const rows = result.kind === 'fresh' && 'changed' in result.output ? result.output.changed : []
    return {
      kind: 'fresh',
      output: filterAndSort(rows as UserRow[], view).map((row) => ({ row, waiting: null })),
    }
  }

/** The rows that match the view's filter, in its order. */
export function filterAndSort(rows: readonly UserRow[], view: UsersView): UserRow[] {
  const matchesFilter = createRowMatcher(userListSpec, usersView.toFilterQuery(view))
  const candidates = rows.map((row) => ({ row, folds: normaliseTexts(userListSpec, row) }))
  const matchingUsers = candidates.filter(matchesFilter).sort(createRowComparer(userListSpec, view.sort))
  return matchingUsers.map(({ row }) => row as UserRow)
}

interface ExportedFile {
  timeZone: string
  asOf: number
  partialCount: { cachedCount: number; total: number | null } | null
}

/** `users-acme-2026-11-21-1405.csv`; an incomplete file says so: `-240-of-8431`, or `-240-incomplete`. */
export function buildFileName(
  [rowNoun, company]: readonly [noun: string, company: string],
  { timeZone, asOf, partialCount }: ExportedFile,
): string {
  const time = toTimestamp(timeZone, asOf).slice(0, 16).replace(' ', '-').replace(':', '')
  const coverage = partialCount
    ? `-${partialCount.cachedCount}-${partialCount.total === null ? 'incomplete' : `of-${partialCount.total}`}`
    : ''
  return `${rowNoun}-${company}-${time}${coverage}.csv`
}
