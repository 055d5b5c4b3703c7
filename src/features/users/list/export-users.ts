import { listUsers, userListSpec, type UserRow } from '#contract/users.ts'
import { toTimestamp } from '#domain/time.ts'
import { createRowComparer, normaliseTexts, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ConnectionState } from '#state/connection-slice.ts'
import { type UsersView, usersView } from '#features/users/view.ts'
import { usersList } from '#features/users/slice.ts'

const maxRows = 1_000_000

export const readAllUsers = (companyId: number, view: UsersView): Promise<ListView<UserRow>> =>
  usersList.readPage(companyId, { ...usersView.toListQuery(view), page: 1, results: maxRows })

/** Returns whether the device lacks rows of the filter and the server can be reached. */
export const shouldFetchAll = (list: ListView<UserRow>, { networkState, isSessionExpired }: ConnectionState): boolean =>
  !list.complete && networkState === 'online' && !isSessionExpired

/**
 * Fetches the complete list in one response. With pages, a row could be missed or repeated if somebody changes the list in between. Rows
 * are filtered and sorted by the same rules as on the server (protocol 36).
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

/** Returns a name such as `users-acme-2026-11-21-1405.csv`. If rows are missing, it also contains `-240-of-8431` or `-240-incomplete`. */
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
