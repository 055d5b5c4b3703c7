/** What the form opens on: a row, nothing yet, or a write of one's own that came back (protocol 20). */
import { currentIn } from '#contract/conflict.ts'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { createUser, updateCompanyUser, type UserRow } from '#contract/users.ts'
import { type UserFields, userStatus } from '#domain/accounts/users.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { createUnsaved } from '#state/unsaved-forms.ts'
import { fieldsOf, newFields } from '#features/users/form/user-form.ts'

export interface Opened {
  /** What changes are measured against; null: a user is being made. */
  base: OverlaidRow<UserRow> | null
  /** What the fields show. */
  typed: UserFields
  /** The write that came back: saved again under its intent it is the same wish. */
  parked: { intent: Intent; problem: Problem | null } | null
}

/** Forms whose users have to sign in again, by what they were opened on. */
export const unsavedUser = createUnsaved<Opened>()

export const openedNew: Opened = { base: null, typed: newFields, parked: null }

export function openedOn(shown: OverlaidRow<UserRow>, entries: readonly EntryView[]): Opened {
  const typed = fieldsOf(shown.row)
  const entry = entries.find(({ intent }) => intent === shown.waiting?.intent)
  const parked = entry && isParked(entry) ? { intent: entry.intent, problem: entry.problem } : null
  if (!entry || !parked) return { base: shown, typed, parked: null }
  if (entry.endpoint === createUser.name) return { base: null, typed, parked }
  // Not on the write itself, which has not happened: on the row beneath it.
  return { base: { row: beneath(shown.row, entry), waiting: null }, typed, parked }
}

/** A move that came back (disable, delete) is no form's to mend. */
const isParked = ({ state, endpoint }: EntryView) =>
  (state === 'refused' || state === 'conflict') && (endpoint === createUser.name || endpoint === updateCompanyUser.name)

/** The row without the write: as the server last told it, or with the old values put back where it told nothing. */
const beneath = (row: UserRow, { problem, base }: EntryView): UserRow => currentOf(problem) ?? { ...row, ...base }

/** The 412 of a user carries the user's row as it is now (protocol 6). */
export const currentOf = (problem: Problem | null) => currentIn(problem) as UserRow | null

/** A refused write on its own, whatever else waits for the row: what it asked for over the row without it. */
export function openedToMend(
  { intent, endpoint, problem, base, input: asked }: EntryView,
  shown: OverlaidRow<UserRow> | null,
): Opened {
  const typed = (asked.body ?? {}) as Partial<UserFields>
  const parked = { intent, problem }
  if (endpoint === createUser.name) return { base: null, typed: { ...newFields, ...typed }, parked }
  const before = Object.entries(base ?? {}).filter(([field]) => field in typed)
  // A row that is not here any more is as much of one as the form had noted.
  const under = shown?.row ?? ({ ...newFields, status: userStatus.deactivated, ...base } as UserRow)
  const row = { ...under, ...Object.fromEntries(before) }
  return { base: { row, waiting: null }, typed: { ...fieldsOf(row), ...typed }, parked }
}
