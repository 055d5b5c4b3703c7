/** What the device knows of the users beside their list. */
import type { RowRef, Intent } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { normaliseText } from '#domain/text.ts'
import { readList } from '#local/lists/read-list.ts'
import { userListSpec } from '#features/users/view.ts'

/** The only active admin there is (D54); null: there are more, or this device does not know them all. */
export async function readLastAdmin(companyId: number): Promise<RowRef | null> {
  const filters = { statusType: userStatus.activated }
  const query = { scope: companyId, filters, sort: userListSpec.sort, page: 1, results: 1_000_000 }
  const { rows, complete: isComplete } = await readList<UserRow>(userListSpec, query)
  const [firstAdmin, ...otherAdmins] = rows.filter(({ row }) => row.admin)
  return isComplete && firstAdmin && otherAdmins.length === 0 ? firstAdmin.row.id : null
}

/** Whether a user on this device has that address; `exceptIntent`: the one that is being made by this write. A deleted user's is free. */
export async function hasCachedEmail(companyId: number, email: string, exceptIntent: Intent | null): Promise<boolean> {
  const filters = { searchText: email }
  const { rows } = await readList<UserRow>(userListSpec, {
    scope: companyId,
    filters,
    sort: userListSpec.sort,
    page: 1,
    results: 1_000_000,
  })
  return rows.some(({ row }) => row.id !== `~${exceptIntent}` && normaliseText(row.email) === normaliseText(email))
}
