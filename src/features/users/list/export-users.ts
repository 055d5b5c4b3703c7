/** All users that the list's filter means, in its order, and the table that is made of them. */
import { getSettings } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { listUsers, type UserRow } from '#contract/users.ts'
import { toTimestamp } from '#domain/time.ts'
import { createRowComparer, normaliseTexts, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { toFilterQuery, toListQuery, userListSpec, type UsersView } from '#features/users/view.ts'
import { usersList } from '#features/users/slice.ts'

/** More than any company has. */
const maxRows = 1_000_000

/** What of the filter is on this device; for a live query. */
export const readAllUsers = (companyId: number, view: UsersView): Promise<ListView<UserRow>> =>
  usersList.readPage(companyId, { ...toListQuery(view), page: 1, results: maxRows })

/** Null: nobody could be asked, and this device has not kept it. */
export const fetchTimeZone =
  (): AppThunk<string | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(getSettings, {})
    return result.kind === 'fresh' || result.kind === 'cached' ? (result.output?.time_zone ?? null) : null
  }

/**
 * The server's whole list in one answer, for a device that has not all of it: no row is missed or doubled between pages,
 * as it could be while somebody else works on the list. Filtered and put in order here by the server's own rules (protocol 36).
 */
export const fetchAllUsers =
  (companyId: number, view: UsersView): AppThunk<OverlaidRow<UserRow>[] | Problem> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(listUsers, { params: { companyId }, query: { since: '' } })
    if (result.kind === 'problem') return result.problem
    const rows = result.kind === 'fresh' && 'changed' in result.output ? result.output.changed : []
    return filterAndSort(rows as UserRow[], view).map((row) => ({ row, waiting: null }))
  }

/** Those of the rows that the view means, in its order. */
export function filterAndSort(rows: readonly UserRow[], view: UsersView): UserRow[] {
  const matchesFilter = createRowMatcher(userListSpec, toFilterQuery(view))
  const candidates = rows.map((row) => ({ row, folds: normaliseTexts(userListSpec, row) }))
  const matchingUsers = candidates.filter(matchesFilter).sort(createRowComparer(userListSpec, view.sort))
  return matchingUsers.map(({ row }) => row as UserRow)
}

/** `users-acme-2026-11-21-1405.csv`; what is not all of them says so: `-240-of-8431`, or `-240-incomplete`. */
export function buildFileName(
  [rowNoun, company]: readonly [noun: string, company: string],
  {
    timeZone,
    asOf,
    partialCount,
  }: { timeZone: string; asOf: number; partialCount: { cachedCount: number; total: number | null } | null },
): string {
  const time = toTimestamp(timeZone, asOf).slice(0, 16).replace(' ', '-').replace(':', '')
  const coverage = partialCount
    ? `-${partialCount.cachedCount}-${partialCount.total === null ? 'incomplete' : `of-${partialCount.total}`}`
    : ''
  return `${rowNoun}-${company}-${time}${coverage}.csv`
}
