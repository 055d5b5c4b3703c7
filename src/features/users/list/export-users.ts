/** All users that the list's filter means, in its order, and the table that is made of them. */
import { getSettings } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
import { listUsers, type UserRow } from '#contract/users.ts'
import { timestampIn } from '#domain/time.ts'
import { comparer, foldsOf, matches } from '#local/list-query/query.ts'
import type { ListView, OverlaidRow } from '#local/lists/list-view.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { filtersOf, queryOf, usersFills, type View } from '#features/users/list-url.ts'
import { usersList } from '#features/users/slice.ts'

/** More than any company has. */
const everything = 1_000_000

/** What of the filter is on this device; for a live query. */
export const readAllUsers = (companyId: number, view: View): Promise<ListView<UserRow>> =>
  usersList.readPage(companyId, { ...queryOf(view), page: 1, results: everything })

/** Null: nobody could be asked, and this device has not kept it. */
export const askZone =
  (): AppThunk<string | null> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(getSettings, {})
    return result.kind === 'fresh' || result.kind === 'kept' ? (result.output?.time_zone ?? null) : null
  }

/**
 * The server's whole list in one answer, for a device that has not all of it: no row is missed or doubled between pages,
 * as it could be while somebody else works on the list. Filtered and put in order here by the server's own rules (protocol 36).
 */
export const askAllUsers =
  (companyId: number, view: View): AppThunk<OverlaidRow<UserRow>[] | Problem> =>
  async (_dispatch, _getState, { api }) => {
    const result = await api.call(listUsers, { params: { companyId }, query: { since: '' } })
    if (result.kind === 'problem') return result.problem
    const rows = result.kind === 'fresh' && 'changed' in result.output ? result.output.changed : []
    return listed(rows as UserRow[], view).map((row) => ({ row, waiting: null }))
  }

/** Those of the rows that the view means, in its order. */
export function listed(rows: readonly UserRow[], view: View): UserRow[] {
  const fits = matches(usersFills, filtersOf(view))
  const candidates = rows.map((row) => ({ row, folds: foldsOf(usersFills, row) }))
  const found = candidates.filter(fits).sort(comparer(usersFills, view.sort))
  return found.map(({ row }) => row as UserRow)
}

/** `users-acme-2026-11-21-1405.csv`; what is not all of them says so: `-240-of-8431`, or `-240-incomplete`. */
export function fileName(
  [noun, company]: readonly [noun: string, company: string],
  { zone, asOf, part }: { zone: string; asOf: number; part: { here: number; total: number | null } | null },
): string {
  const at = timestampIn(zone, asOf).slice(0, 16).replace(' ', '-').replace(':', '')
  const how = part ? `-${part.here}-${part.total === null ? 'incomplete' : `of-${part.total}`}` : ''
  return `${noun}-${company}-${at}${how}.csv`
}
