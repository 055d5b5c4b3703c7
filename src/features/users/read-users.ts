import type { RowRef, Intent } from '#contract/endpoint.ts'
import { userListSpec, type UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { normaliseText } from '#domain/text.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { readList } from '#local/lists/read-list.ts'
import { readRow } from '#local/lists/read-row.ts'

const readAllRows = (companyId: number, filters: Record<string, string | number>) =>
  readList<UserRow>(userListSpec, { scope: companyId, filters, sort: userListSpec.sort, page: 1, results: 1_000_000 })

/** Returns the only active admin (D54). Null if there is not exactly one, or if this device lacks some users. */
export async function readLastAdmin(companyId: number): Promise<RowRef | null> {
  const { rows, complete: isComplete } = await readAllRows(companyId, { statusType: userStatus.activated })
  const [firstAdmin, ...otherAdmins] = rows.filter(({ row }) => row.admin)
  return isComplete && firstAdmin && otherAdmins.length === 0 ? firstAdmin.row.id : null
}

/** Returns whether a user on this device has the e-mail. Ignores deleted users, and the user that the write `exceptIntent` creates. */
export async function hasCachedEmail(companyId: number, email: string, exceptIntent: Intent | null): Promise<boolean> {
  const { rows } = await readAllRows(companyId, { searchText: email })
  return rows.some(({ row }) => row.id !== `~${exceptIntent}` && normaliseText(row.email) === normaliseText(email))
}

/** Reads rows with their optimistic overlay. Ids that are no longer on this device are skipped. */
export async function readUserRows(ids: readonly RowRef[]): Promise<OverlaidRow<UserRow>[]> {
  const rows = await Promise.all(ids.map((id) => readRow<UserRow>(userListSpec.table, id)))
  return rows.filter((overlaidRow) => overlaidRow !== null)
}
