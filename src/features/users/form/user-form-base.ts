/** What the form opens on: a row, nothing yet, or a write of one's own that came back (protocol 20). */
import { getCurrentRow } from '#contract/current-row.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { type UserFields, userStatus } from '#domain/accounts/users.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { createUnsavedForms } from '#state/unsaved-forms.ts'
import { toUserFields, emptyUserFields } from '#features/users/form/user-form.ts'

export interface UserFormBase {
  /** What changes are measured against; null: a user is being made. */
  base: OverlaidRow<UserRow> | null
  /** What the fields show. */
  values: UserFields
  /** The write that came back: saved again under its intent it is the same wish. */
  refusedWrite: { intent: Intent; problem: Problem | null } | null
}

/** Forms whose users have to sign in again, by what they were opened on. */
export const unsavedUserForms = createUnsavedForms<UserFormBase>()

export const newUserFormBase: UserFormBase = { base: null, values: emptyUserFields, refusedWrite: null }

export function buildFormBase(overlaidRow: OverlaidRow<UserRow>, entries: readonly EntryView[]): UserFormBase {
  const values = toUserFields(overlaidRow.row)
  const entry = entries.find(({ intent }) => intent === overlaidRow.waiting?.intent)
  const refusedWrite = entry && isRefusedFormWrite(entry) ? { intent: entry.intent, problem: entry.problem } : null
  if (!entry || !refusedWrite) return { base: overlaidRow, values, refusedWrite: null }
  if (entry.endpoint === createUser.name) return { base: null, values, refusedWrite }
  // Not on the write itself, which has not happened: on the row beneath it.
  return { base: { row: restoreBaseRow(overlaidRow.row, entry), waiting: null }, values, refusedWrite }
}

/** A move that came back (disable, delete) is no form's to mend. */
const isRefusedFormWrite = ({ state, endpoint }: EntryView) =>
  (state === 'refused' || state === 'conflict') && (endpoint === createUser.name || endpoint === updateCompanyUser.name)

/** The row without the write: as the server last told it, or with the old values put back where it told nothing. */
const restoreBaseRow = (row: UserRow, { problem, base }: EntryView): UserRow =>
  readCurrentUser(problem) ?? { ...row, ...base }

/** The 412 of a user carries the user's row as it is now (protocol 6). */
export const readCurrentUser = (problem: Problem | null) => getCurrentRow(problem) as UserRow | null

/** A refused write on its own, whatever else waits for the row: what it asked for over the row without it. */
export function buildFormBaseOfWrite(
  { intent, endpoint, problem, base, input }: EntryView,
  overlaidRow: OverlaidRow<UserRow> | null,
): UserFormBase {
  const values = (input.body ?? {}) as Partial<UserFields>
  const refusedWrite = { intent, problem }
  if (endpoint === createUser.name) return { base: null, values: { ...emptyUserFields, ...values }, refusedWrite }
  const previousEntries = Object.entries(base ?? {}).filter(([field]) => field in values)
  // A row that is not here any more is as much of one as the form had noted.
  const underlyingRow = overlaidRow?.row ?? ({ ...emptyUserFields, status: userStatus.deactivated, ...base } as UserRow)
  const row = { ...underlyingRow, ...Object.fromEntries(previousEntries) }
  return { base: { row, waiting: null }, values: { ...toUserFields(row), ...values }, refusedWrite }
}
