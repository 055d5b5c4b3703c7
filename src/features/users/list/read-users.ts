/** What the device knows of the users beside their list. */
import type { Id } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { readList } from '#local/lists/read-list.ts'
import { usersFills } from '#features/users/list/list-url.ts'

/** The only active admin there is (D54); null: there are more, or this device does not know them all. */
export async function readLastAdmin(companyId: number): Promise<Id | null> {
  const filters = { statusType: userStatus.activated }
  const all = { scope: companyId, filters, sort: usersFills.sort, page: 1, results: 1_000_000 }
  const { rows, complete } = await readList<UserRow>(usersFills, all)
  const [first, ...others] = rows.filter(({ row }) => row.admin)
  return complete && first && others.length === 0 ? first.row.id : null
}
