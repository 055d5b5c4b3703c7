/** One move on many users: which of them it is for, why not for the others, and each one's own write (portal 4). */
import type { RowRef } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { type UserAction, type UserStatus, getUserActionRefusal } from '#domain/accounts/users.ts'
import { userListSpec } from '#features/users/view.ts'
import { runUserAction } from '#features/users/slice.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

/** A user as they were when they were chosen: that is whom a verdict names, whatever becomes of the row. */
export interface SelectedUser {
  id: RowRef
  name: string
  email: string
  status: UserStatus
}

export interface BulkActionPlan {
  includedUsers: SelectedUser[]
  excludedUsers: { user: SelectedUser; reason: NonNullable<ReturnType<typeof getUserActionRefusal>> }[]
}

export function planBulkAction(
  action: UserAction,
  users: readonly SelectedUser[],
  context: { selfId: RowRef; lastAdminId: RowRef | null },
): BulkActionPlan {
  const plan: BulkActionPlan = { includedUsers: [], excludedUsers: [] }
  for (const user of users) {
    const reason = getUserActionRefusal(action, user, {
      isSelf: user.id === context.selfId,
      isLastAdmin: user.id === context.lastAdminId,
    })
    if (reason) plan.excludedUsers.push({ user, reason })
    else plan.includedUsers.push(user)
  }
  return plan
}

/** As the device has them now, own waiting writes included; who is no longer here is left out. */
export async function readSelectedUsers(ids: readonly RowRef[]): Promise<SelectedUser[]> {
  const rows = await Promise.all(ids.map((id) => readRow<UserRow>(userListSpec.table, id)))
  return rows.flatMap((overlaidRow) => (overlaidRow ? [toSelectedUser(overlaidRow.row)] : []))
}

export const toSelectedUser = ({ id, name, email, status }: UserRow): SelectedUser => ({ id, name, email, status })

export interface BulkActionResult {
  user: SelectedUser
  /** Null: another move of theirs was under way. */
  result: CallResult<unknown> | null
}

/** Recorded in one transaction of the device and sent in one request (protocol 23). */
export const batchSize = 50

/** Each an ordinary write of its own, queued and judged by itself; `onProgress` as they are answered. */
export const runBulkAction =
  (
    action: UserAction,
    users: readonly SelectedUser[],
    onProgress: (results: BulkActionResult[]) => void,
  ): AppThunk<BulkActionResult[]> =>
  async (dispatch) => {
    const results: BulkActionResult[] = []
    for (let start = 0; start < users.length; start += batchSize) {
      const batch = users.slice(start, start + batchSize)
      results.push(
        ...(await Promise.all(
          batch.map(async (user) => ({ user, result: await dispatch(runUserAction(action, user.id)) })),
        )),
      )
      onProgress(results)
    }
    return results
  }
