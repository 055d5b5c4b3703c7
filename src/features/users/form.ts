/** The user's form: its values, what of them is sent, and what is wrong with them. Values mirror the form, not the call. */
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks.ts'
import { checkUser, type UserFields, userStatus } from '#domain/users.ts'

export type Values = UserFields
export type Field = keyof Values
/** What an edit sends: the e-mail is never among it (portal 4). */
export type Changes = Partial<Omit<Values, 'email'>>

export const newValues: Values = {
  title: 0,
  name: '',
  email: '',
  admin: false,
  order: false,
  alert: false,
  access_level: 0,
}

export const valuesOf = (row: UserRow): Values => ({
  title: row.title,
  name: row.name,
  email: row.email,
  admin: row.admin,
  order: row.order,
  alert: row.alert,
  access_level: row.access_level,
})

const tidy = (values: Values): Values => ({ ...values, name: values.name.trim(), email: values.email.trim() })

export const bodyOf = (values: Values) => tidy(values)

/** Only what differs from what the form was opened on, and only what is not locked: a PUT leaves the rest alone. */
export function changesOf(values: Values, base: Values, locked: ReadonlySet<Field>): Changes {
  const now = tidy(values)
  const changed = (Object.keys(now) as Field[]).filter(
    (field) => field !== 'email' && !locked.has(field) && now[field] !== base[field],
  )
  return Object.fromEntries(changed.map((field) => [field, now[field]]))
}

/** The values an edit was based on, of exactly the fields it changes. */
export const basedOn = (changes: Changes, base: Values): Record<string, unknown> =>
  Object.fromEntries((Object.keys(changes) as Field[]).map((field) => [field, base[field]]))

/** Locked fields are not the user's to mend, so they are not checked. */
export function checkForm(values: Values, locked: ReadonlySet<Field>): FieldProblem[] {
  const { name, email } = tidy(values)
  return checkUser({ ...(locked.has('name') ? {} : { name }), ...(locked.has('email') ? {} : { email }) })
}

/**
 * Whether saving must reach the server at once: admin and access level decide what others may do, so they are never
 * left waiting in a queue (the contract's `unless` on the same two calls).
 */
export const needsConnection = (makes: 'create' | 'change', sent: Changes): boolean =>
  makes === 'create' ? (sent.access_level ?? 0) !== 0 : sent.admin !== undefined || sent.access_level !== undefined

/** Why a field is locked, as a key of the words; null for a field that is not (domain/users lockedFields). */
export function whyLocked(
  field: Field,
  user: Pick<UserRow, 'status'>,
  by: { self: boolean },
): 'deleted' | 'email' | 'self' | 'activated' | null {
  if (user.status === userStatus.deleted) return 'deleted'
  if (field === 'email') return 'email'
  if (by.self && (field === 'title' || field === 'name' || field === 'admin')) return 'self'
  if (user.status === userStatus.activated && (field === 'name' || field === 'title')) return 'activated'
  return null
}

export interface Difference {
  field: Field | 'status'
  now: string | number | boolean
}

/** What somebody else made of the row since the form was opened (412). */
export function differences(base: UserRow, current: UserRow): Difference[] {
  const fields = [...(Object.keys(newValues) as Field[]), 'status'] as const
  return fields.filter((field) => base[field] !== current[field]).map((field) => ({ field, now: current[field] }))
}

/** The form after a conflict: theirs, with what was typed here still over it, so that nothing typed is lost. */
export function rebase(values: Values, base: Values, current: Values): Values {
  const mine = (Object.keys(values) as Field[]).filter((field) => values[field] !== base[field])
  return { ...current, ...Object.fromEntries(mine.map((field) => [field, values[field]])) }
}
