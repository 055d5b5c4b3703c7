/** One change of the flags of many users: whom it is for, why not the others, and each one's own write (portal 4). */
import type { RowRef } from '#contract/endpoint.ts'
import { updateCompanyUser, userListSpec, type UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { toUserFields } from '#features/users/form/user-form.ts'
import {
  batchSize,
  type SelectedUser,
  toSelectedUser,
  type BulkActionResult,
} from '#features/users/list/run-bulk-action.ts'

export const roleFlags = ['admin', 'order', 'alert'] as const
export type RoleFlag = (typeof roleFlags)[number]
/** What becomes of each flag; a flag that is not named stays as it is. */
export type RoleChanges = Partial<Record<RoleFlag, boolean>>

export interface RolesPlan {
  plannedChanges: { overlaidRow: OverlaidRow<UserRow>; changes: RoleChanges }[]
  excludedUsers: { user: SelectedUser; reason: 'deleted' | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | 'same' }[]
}

/** Nobody changes whether they are an admin themselves (portal 4), nor takes it from the last one (D54). */
export function planRoleChanges(
  users: readonly OverlaidRow<UserRow>[],
  roles: RoleChanges,
  context: { selfId: RowRef; lastAdminId: RowRef | null },
): RolesPlan {
  const plan: RolesPlan = { plannedChanges: [], excludedUsers: [] }
  for (const overlaidRow of users) {
    const { row } = overlaidRow
    const changes = Object.fromEntries(
      Object.entries(roles).filter(([flag, isSet]) => row[flag as RoleFlag] !== isSet),
    ) as RoleChanges
    const reason = findExclusionReason(row, changes, context)
    if (reason) plan.excludedUsers.push({ user: toSelectedUser(row), reason })
    else plan.plannedChanges.push({ overlaidRow, changes })
  }
  return plan
}

function findExclusionReason(
  row: UserRow,
  changes: RoleChanges,
  context: { selfId: RowRef; lastAdminId: RowRef | null },
) {
  if (row.status === userStatus.deleted) return 'deleted'
  if (Object.keys(changes).length === 0) return 'same'
  if (changes.admin !== undefined && row.id === context.selfId) return 'SELF_FORBIDDEN'
  return changes.admin === false && row.id === context.lastAdminId ? 'LAST_ADMIN' : null
}

/** As the device has them now, own waiting writes included; who is no longer here is left out. */
export async function readUserRows(ids: readonly RowRef[]): Promise<OverlaidRow<UserRow>[]> {
  const rows = await Promise.all(ids.map((id) => readRow<UserRow>(userListSpec.table, id)))
  return rows.filter((overlaidRow) => overlaidRow !== null)
}

/** Each an ordinary write of its own, queued and judged by itself; `onProgress` as they are answered. */
export const changeRoles =
  ({ plannedChanges }: RolesPlan, onProgress: (results: BulkActionResult[]) => void): AppThunk<BulkActionResult[]> =>
  async (_dispatch, _getState, { api }) => {
    const results: BulkActionResult[] = []
    for (let start = 0; start < plannedChanges.length; start += batchSize) {
      const batch = plannedChanges
        .slice(start, start + batchSize)
        .map(async ({ overlaidRow, changes }): Promise<BulkActionResult> => {
          const { row } = overlaidRow
          // All that a form would show, so that a conflict can tell what somebody else has changed.
          const base = { rowVersion: getBaseVersion(overlaidRow), values: { ...toUserFields(row) } }
          const result = await api.call(updateCompanyUser, { params: { id: row.id }, body: changes }, { base })
          return { user: toSelectedUser(row), result }
        })
      results.push(...(await Promise.all(batch)))
      onProgress(results)
    }
    return results
  }
