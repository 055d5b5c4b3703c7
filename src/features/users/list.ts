/** The list as the device has it, and how it sets off before the page is drawn. */
import type { Id } from '#contract/endpoint.ts'
import { listUsers, type UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/users.ts'
import { readList } from '#local/lists.ts'
import type { ListView } from '#local/view.ts'
import { type Ahead, heldFor, hold } from '#state/ahead.ts'
import { filtersOf, queryOf, readView, remembered, usersFills, type View } from '#features/users/address.ts'

export const readUsers = (companyId: number, view: View) =>
  readList<UserRow>(usersFills, {
    scope: companyId,
    filters: filtersOf(view),
    sort: view.sort,
    page: view.page,
    results: view.results,
  })

/** The only active admin there is (D54); null: there are more, or this device does not know them all. */
export async function readLastAdmin(companyId: number): Promise<Id | null> {
  const filters = { statusType: userStatus.activated }
  const all = { scope: companyId, filters, sort: usersFills.sort, page: 1, results: 1_000_000 }
  const { rows, complete } = await readList<UserRow>(usersFills, all)
  const [first, ...others] = rows.filter(({ row }) => row.admin)
  return complete && first && others.length === 0 ? first.row.id : null
}

const nameOf = (companyId: number, view: View) => `users ${companyId} ${remembered(view)}`

/** What `ahead` has read of this view; undefined where it did not. */
export const usersAhead = (companyId: number, view: View) =>
  heldFor(nameOf(companyId, view)) as ListView<UserRow> | undefined

export const ahead: Ahead = {
  async read(companyId, search) {
    const view = readView(search)
    const list = await readUsers(companyId, view)
    if (list.asOf === null) return false
    hold(nameOf(companyId, view), list)
    return true
  },
  ask: (api, companyId, search) => api.ask(listUsers, { params: { companyId }, query: queryOf(readView(search)) }),
}
