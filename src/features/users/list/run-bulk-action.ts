/** Runs one action on several users with one write each, and gives a reason for each excluded user (portal 4). */
import type { RowRef } from '#contract/endpoint.ts'
import type { UserRow } from '#contract/users.ts'
import { type UserAction, type UserStatus, getUserActionRefusal } from '#domain/accounts/users.ts'
import { runUserAction } from '#features/users/slice.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'

/** A user as they were when the dialog was opened. The results show this name, even if the row changes. */
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

export const toSelectedUser = ({ id, name, email, status }: UserRow): SelectedUser => ({ id, name, email, status })

export interface BulkActionResult {
  user: SelectedUser
  /** Null if another action on the user was still running. */
  result: CallResult<unknown> | null
}

/** Returns whether the action was executed or queued in the outbox. */
export const isSettled = ({ result }: BulkActionResult) => result?.kind === 'fresh' || result?.kind === 'queued'

/** Returns false if the user has to read the result: the action was refused, or it waits for more than a connection. */
export const needsNoAttention = ({ result }: BulkActionResult): boolean =>
  result?.kind === 'fresh' || (result?.kind === 'queued' && !result.holdReason)

/** Writes per batch. A batch is stored in one transaction on the device and sent in one request (protocol 23). */
const batchSize = 50

/** Sends one write per item. Calls `onProgress` with all results so far after each batch. */
export async function runInBatches<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<BulkActionResult>,
  onProgress: (results: BulkActionResult[]) => void,
): Promise<BulkActionResult[]> {
  const results: BulkActionResult[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    results.push(...(await Promise.all(items.slice(start, start + batchSize).map(send))))
    onProgress(results)
  }
  return results
}

export const runBulkAction =
  (
    action: UserAction,
    users: readonly SelectedUser[],
    onProgress: (results: BulkActionResult[]) => void,
  ): AppThunk<BulkActionResult[]> =>
  (dispatch) =>
    runInBatches(users, async (user) => ({ user, result: await dispatch(runUserAction(action, user.id)) }), onProgress)
