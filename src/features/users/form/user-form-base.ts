/** What the user form is opened on: a row, a new user, or an own write that was refused (protocol 20). */
import { getCurrentRow } from '#contract/current-row.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { type UserFields, userStatus } from '#domain/accounts/users.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { toUserFields, emptyUserFields } from '#features/users/form/user-form.ts'

export interface UserFormBase {
  /** What changes are measured against; null: a new user. */
  base: OverlaidRow<UserRow> | null
  /** What the inputs show. */
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
  // Not on the row with the refused write over it: on the row as the server has it.
  return { base: { row: restoreBaseRow(overlaidRow.row, entry), waiting: null }, values, refusedWrite }
}

/** A refused action (disable, delete) is not resent from a form. */
const isRefusedFormWrite = ({ state, endpoint }: EntryView) =>
  (state === 'refused' || state === 'conflict') && (endpoint === createUser.name || endpoint === updateCompanyUser.name)

/** The row without the write: as the refusal of a changed row carries it (protocol 6), or with the previous values. */
const restoreBaseRow = (row: UserRow, { problem, base }: EntryView): UserRow =>
  (getCurrentRow(problem) as UserRow | null) ?? { ...row, ...base }

/** A refused write alone, whatever else waits for the row: its values over the row without it. */
export function buildFormBaseOfWrite(
  { intent, endpoint, problem, base, input }: EntryView,
  overlaidRow: OverlaidRow<UserRow> | null,
): UserFormBase {
  const values = (input.body ?? {}) as Partial<UserFields>
  const refusedWrite = { intent, problem }
  if (endpoint === createUser.name) return { base: null, values: { ...emptyUserFields, ...values }, refusedWrite }
  const previousEntries = Object.entries(base ?? {}).filter(([field]) => field in values)
  // Of a row that is not on the device any more there is what the form had noted.
  const underlyingRow = overlaidRow?.row ?? ({ ...emptyUserFields, status: userStatus.deactivated, ...base } as UserRow)
  const row = { ...underlyingRow, ...Object.fromEntries(previousEntries) }
  return { base: { row, waiting: null }, values: { ...toUserFields(row), ...values }, refusedWrite }
}
