/** The user's form: its values, what of them is sent, and what is wrong with them. Values mirror the form, not the call. */
import type { UserRow } from '#contract/users.ts'
import { accessLevels } from '#domain/access.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { tidyText } from '#domain/text.ts'
import { checkUser, titles, type UserFields, userStatus } from '#domain/accounts/users.ts'

/** Radio buttons and select boxes hold text. */
export type Values = Omit<UserFields, 'title' | 'access_level'> & { title: string; access_level: string }
export type Field = keyof UserFields
/** What an edit sends: the e-mail is never among it (portal 4). */
export type Changes = Partial<Omit<UserFields, 'email'>>

export const newFields: UserFields = {
  title: 0,
  name: '',
  email: '',
  admin: false,
  order: false,
  alert: false,
  access_level: 0,
}
const fields = Object.keys(newFields) as Field[]

export const fieldsOf = (row: UserRow): UserFields => ({
  title: row.title,
  name: row.name,
  email: row.email,
  admin: row.admin,
  order: row.order,
  alert: row.alert,
  access_level: row.access_level,
})

export const toValues = (given: UserFields): Values => ({
  ...given,
  title: String(given.title),
  access_level: String(given.access_level),
})

export const fromValues = (values: Values): UserFields => ({
  ...values,
  name: tidyText(values.name),
  email: tidyText(values.email),
  title: titles.find((title) => String(title) === values.title) ?? newFields.title,
  access_level: accessLevels.find((level) => String(level) === values.access_level) ?? newFields.access_level,
})

/** Only what differs from what the form was opened on, and only what is not locked: a PUT leaves the rest alone. */
export function changesOf(now: UserFields, base: UserFields, locked: ReadonlySet<Field>): Changes {
  const changed = fields.filter((field) => field !== 'email' && !locked.has(field) && now[field] !== base[field])
  return Object.fromEntries(changed.map((field) => [field, now[field]]))
}

/** Locked fields are not the user's to mend, and a name that stands already is in nobody's way: neither is checked. */
export function checkForm(
  { name, email }: UserFields,
  locked: ReadonlySet<Field>,
  savedName: string | null = null,
): FieldProblem[] {
  const isSaved = name === savedName || locked.has('name')
  return checkUser({ ...(isSaved ? {} : { name }), ...(locked.has('email') ? {} : { email }) })
}

/**
 * Whether saving must reach the server at once: admin and access level decide what others may do, so they are never
 * left waiting in a queue (the contract's `unless` on the same two calls).
 */
export const needsConnection = (action: 'create' | 'change', sent: Changes): boolean =>
  action === 'create' ? (sent.access_level ?? 0) !== 0 : sent.admin !== undefined || sent.access_level !== undefined

/** Why a field is locked, as a key of the words; null for a field that is not (domain/users lockedFields). */
export function whyLocked(
  field: Field,
  user: Pick<UserRow, 'status'>,
  by: { self: boolean },
): 'deleted' | 'email' | 'self' | 'ownName' | 'activated' | 'activatedTitle' | null {
  if (user.status === userStatus.deleted) return 'deleted'
  if (field === 'email') return 'email'
  // The profile has the name and not the title (portal 2), so only of the name it can be said where it is changed.
  if (by.self && field === 'name') return 'ownName'
  if (by.self && (field === 'title' || field === 'admin')) return 'self'
  if (user.status === userStatus.activated && field === 'name') return 'activated'
  if (user.status === userStatus.activated && field === 'title') return 'activatedTitle'
  return null
}

export interface Difference {
  field: Field | 'status'
  now: string | number | boolean
}

/** What somebody else made of the row since the form was opened (412). */
export function differences(base: UserRow, current: UserRow): Difference[] {
  const shown = [...fields, 'status'] as const
  return shown.filter((field) => base[field] !== current[field]).map((field) => ({ field, now: current[field] }))
}

/** The form after a conflict: theirs, with what was typed here still over it, so that nothing typed is lost. */
export function rebase(typed: UserFields, base: UserFields, current: UserFields): UserFields {
  const mine = fields.filter((field) => typed[field] !== base[field])
  return { ...current, ...Object.fromEntries(mine.map((field) => [field, typed[field]])) }
}
