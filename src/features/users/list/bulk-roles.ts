/** One change of the flags of many users: whom it is for, why not the others, and each one's own write (portal 4). */
import type { Id } from '#contract/endpoint.ts'
import { updateCompanyUser, usersFills, type UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { type OverlaidRow, versionOf } from '#local/lists/list-view.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { fieldsOf } from '#features/users/form/user-form.ts'
import { atOnce, type Chosen, chosenOf, type Verdict } from '#features/users/list/bulk-action.ts'

export const flags = ['admin', 'order', 'alert'] as const
export type Flag = (typeof flags)[number]
/** What becomes of each flag; a flag that is not named stays as it is. */
export type Roles = Partial<Record<Flag, boolean>>

export interface RolesPlan {
  go: { shown: OverlaidRow<UserRow>; changes: Roles }[]
  out: { user: Chosen; why: 'deleted' | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | 'same' }[]
}

/** Nobody changes whether they are an admin themselves (portal 4), nor takes it from the last one (D54). */
export function planOfRoles(
  users: readonly OverlaidRow<UserRow>[],
  roles: Roles,
  by: { self: Id; last: Id | null },
): RolesPlan {
  const plan: RolesPlan = { go: [], out: [] }
  for (const shown of users) {
    const { row } = shown
    const changes = Object.fromEntries(Object.entries(roles).filter(([flag, on]) => row[flag as Flag] !== on)) as Roles
    const why = whyNot(row, changes, by)
    if (why) plan.out.push({ user: chosenOf(row), why })
    else plan.go.push({ shown, changes })
  }
  return plan
}

function whyNot(row: UserRow, changes: Roles, by: { self: Id; last: Id | null }) {
  if (row.status === userStatus.deleted) return 'deleted'
  if (Object.keys(changes).length === 0) return 'same'
  if (changes.admin !== undefined && row.id === by.self) return 'SELF_FORBIDDEN'
  return changes.admin === false && row.id === by.last ? 'LAST_ADMIN' : null
}

/** As the device has them now, own waiting writes included; who is no longer here is left out. */
export async function readRows(ids: readonly Id[]): Promise<OverlaidRow<UserRow>[]> {
  const rows = await Promise.all(ids.map((id) => readRow<UserRow>(usersFills.table, id)))
  return rows.filter((shown) => shown !== null)
}

/** Each an ordinary write of its own, queued and judged by itself; `told` as they are answered. */
export const changeRoles =
  ({ go }: RolesPlan, told: (verdicts: Verdict[]) => void): AppThunk<Verdict[]> =>
  async (_dispatch, _getState, { api }) => {
    const verdicts: Verdict[] = []
    for (let at = 0; at < go.length; at += atOnce) {
      const some = go.slice(at, at + atOnce).map(async ({ shown, changes }): Promise<Verdict> => {
        const { row } = shown
        // All that a form would show, so that a conflict can tell what somebody else has changed.
        const base = { rowVersion: versionOf(shown), values: { ...fieldsOf(row) } }
        const result = await api.call(updateCompanyUser, { params: { id: row.id }, body: changes }, { base })
        return { user: chosenOf(row), result }
      })
      verdicts.push(...(await Promise.all(some)))
      told(verdicts)
    }
    return verdicts
  }
