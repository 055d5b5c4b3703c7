/** Builds the starting point of the user form: a row, a new user, or the user's refused write (protocol 20). */
import { getCurrentRow } from '#contract/verdict.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { type UserFields, userStatus } from '#domain/accounts/users.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { toUserFields, emptyUserFields } from '#features/users/form/user-form.ts'

export interface UserFormBase {
  /** The row that changes are compared with. Null for a new user. */
  base: OverlaidRow<UserRow> | null
  values: UserFields
  refusedWrite: { intent: Intent; problem: Problem | null } | null
}

export const newUserFormBase: UserFormBase = { base: null, values: emptyUserFields, refusedWrite: null }

export function buildFormBase(overlaidRow: OverlaidRow<UserRow>, entries: readonly EntryView[]): UserFormBase {
  const values = toUserFields(overlaidRow.row)
  const entry = entries.find(({ intent }) => intent === overlaidRow.waiting?.intent)
  const refusedWrite = entry && isRefusedFormWrite(entry) ? { intent: entry.intent, problem: entry.problem } : null
  if (!entry || !refusedWrite) return { base: overlaidRow, values, refusedWrite: null }
  if (entry.endpoint === createUser.name) return { base: null, values, refusedWrite }
  // The base is the server's row, not the row with the refused write applied.
  return { base: { row: restoreBaseRow(overlaidRow.row, entry), waiting: null }, values, refusedWrite }
}

/** Returns whether the form can send the refused write again. It cannot for other actions (disable, delete). */
const isRefusedFormWrite = ({ state, endpoint }: EntryView) =>
  (state === 'refused' || state === 'conflict') && (endpoint === createUser.name || endpoint === updateCompanyUser.name)

/** Returns the row as it is without the write: the current row in the refusal (protocol 6), or the row with the values before the write. */
const restoreBaseRow = (row: UserRow, { problem, base }: EntryView): UserRow =>
  (getCurrentRow(problem) as UserRow | null) ?? { ...row, ...base }

/**
 * Builds the form base of one refused write: the row as it is without the write, and the values of the write. Other waiting writes are
 * ignored.
 */
export function buildFormBaseOfWrite(
  { intent, endpoint, problem, base, input }: EntryView,
  overlaidRow: OverlaidRow<UserRow> | null,
): UserFormBase {
  const values = (input.body ?? {}) as Partial<UserFields>
  const refusedWrite = { intent, problem }
  if (endpoint === createUser.name) return { base: null, values: { ...emptyUserFields, ...values }, refusedWrite }
  const previousEntries = Object.entries(base ?? {}).filter(([field]) => field in values)
  // If the row is no longer on the device, the values saved with the write are used.
  const underlyingRow = overlaidRow?.row ?? ({ ...emptyUserFields, status: userStatus.deactivated, ...base } as UserRow)
  const row = { ...underlyingRow, ...Object.fromEntries(previousEntries) }
  return { base: { row, waiting: null }, values: { ...toUserFields(row), ...values }, refusedWrite }
}
