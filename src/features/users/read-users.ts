/** What the device knows of the users beside their list. */
import type { Id, Intent } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { foldText } from '#domain/text.ts'
import { readList } from '#local/lists/read-list.ts'
import { usersFills } from '#features/users/list-url.ts'

/** The only active admin there is (D54); null: there are more, or this device does not know them all. */
export async function readLastAdmin(companyId: number): Promise<Id | null> {
  const filters = { statusType: userStatus.activated }
  const all = { scope: companyId, filters, sort: usersFills.sort, page: 1, results: 1_000_000 }
  const { rows, complete } = await readList<UserRow>(usersFills, all)
  const [first, ...others] = rows.filter(({ row }) => row.admin)
  return complete && first && others.length === 0 ? first.row.id : null
}

/** Whether a user on this device has that address; `except`: the one that is being made by this write. A deleted user's is free. */
export async function hasEmailHere(companyId: number, email: string, except: Intent | null): Promise<boolean> {
  const filters = { searchText: email }
  const { rows } = await readList<UserRow>(usersFills, {
    scope: companyId,
    filters,
    sort: usersFills.sort,
    page: 1,
    results: 1_000_000,
  })
  return rows.some(({ row }) => row.id !== `~${except}` && foldText(row.email) === foldText(email))
}
