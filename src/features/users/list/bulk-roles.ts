/** Changes flags of several users with one write each, and gives a reason for each excluded user (portal 4). */
import type { RowRef } from '#contract/endpoint.ts'
import { updateCompanyUser, type UserRow } from '#contract/users.ts'
import { type userFlags, userStatus } from '#domain/accounts/users.ts'
import { type OverlaidRow, getBaseVersion } from '#local/lists/list-view.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { toUserFields } from '#features/users/form/user-form.ts'
import {
  runInBatches,
  type SelectedUser,
  toSelectedUser,
  type BulkActionResult,
} from '#features/users/list/run-bulk-action.ts'

/** New values of flags. A flag that is missing stays unchanged. */
export type RoleChanges = Partial<Record<(typeof userFlags)[number], boolean>>

export interface RolesPlan {
  plannedChanges: { overlaidRow: OverlaidRow<UserRow>; changes: RoleChanges }[]
  excludedUsers: { user: SelectedUser; reason: 'deleted' | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | 'same' }[]
}

/**
 * Splits the users into included and excluded ones. A user cannot change their own admin flag (portal 4), and the last admin cannot lose it
 * (D54).
 */
export function planRoleChanges(
  users: readonly OverlaidRow<UserRow>[],
  roles: RoleChanges,
  context: { selfId: RowRef; lastAdminId: RowRef | null },
): RolesPlan {
  const plan: RolesPlan = { plannedChanges: [], excludedUsers: [] }
  for (const overlaidRow of users) {
    const { row } = overlaidRow
    const changes = Object.fromEntries(
      Object.entries(roles).filter(([flag, isSet]) => row[flag as keyof RoleChanges] !== isSet),
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

/** Returns the changes that restore the flags as they were, based on the rows that the server returned. */
export function planRolesUndo(
  { plannedChanges }: RolesPlan,
  results: readonly BulkActionResult[],
): Pick<RolesPlan, 'plannedChanges'> {
  const changedRows = new Map(
    results.flatMap(({ user, result }) =>
      result?.kind === 'fresh' ? [[user.id, result.output as UserRow] as const] : [],
    ),
  )
  return {
    plannedChanges: plannedChanges.flatMap(({ overlaidRow: { row }, changes }) => {
      const changedRow = changedRows.get(row.id)
      const flags = Object.keys(changes) as (keyof RoleChanges)[]
      const previousFlags = Object.fromEntries(flags.map((flag) => [flag, row[flag]]))
      return changedRow ? [{ overlaidRow: { row: changedRow, waiting: null }, changes: previousFlags }] : []
    }),
  }
}

export const changeRoles =
  (
    { plannedChanges }: Pick<RolesPlan, 'plannedChanges'>,
    onProgress: (results: BulkActionResult[]) => void,
  ): AppThunk<BulkActionResult[]> =>
  (_dispatch, _getState, { api }) =>
    runInBatches(
      plannedChanges,
      async ({ overlaidRow, changes }) => {
        const { row } = overlaidRow
        // Includes all fields of the form, so that a conflict can list what somebody else has changed.
        const base = { rowVersion: getBaseVersion(overlaidRow), values: { ...toUserFields(row) } }
        const result = await api.call(updateCompanyUser, { params: { id: row.id }, body: changes }, { base })
        return { user: toSelectedUser(row), result }
      },
      onProgress,
    )
