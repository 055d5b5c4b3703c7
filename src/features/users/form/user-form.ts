/** The user's form: its values, what of them is sent, and what is wrong with them. Values mirror the form, not the call. */
import type { UserRow } from '#contract/users.ts'
import { accessLevels } from '#domain/access.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { cleanText } from '#domain/text.ts'
import { checkUser, titles, type UserFields, userStatus } from '#domain/accounts/users.ts'

/** Radio buttons and select boxes hold text. */
export type UserFormValues = Omit<UserFields, 'title' | 'access_level'> & { title: string; access_level: string }
export type UserField = keyof UserFields
/** What an edit sends: the e-mail is never among it (portal 4). */
export type UserChanges = Partial<Omit<UserFields, 'email'>>

export const emptyUserFields: UserFields = {
  title: 0,
  name: '',
  email: '',
  admin: false,
  order: false,
  alert: false,
  access_level: 0,
}
const fields = Object.keys(emptyUserFields) as UserField[]

export const toUserFields = (row: UserRow): UserFields => ({
  title: row.title,
  name: row.name,
  email: row.email,
  admin: row.admin,
  order: row.order,
  alert: row.alert,
  access_level: row.access_level,
})

export const toFormValues = (userFields: UserFields): UserFormValues => ({
  ...userFields,
  title: String(userFields.title),
  access_level: String(userFields.access_level),
})

export const fromFormValues = (values: UserFormValues): UserFields => ({
  ...values,
  name: cleanText(values.name),
  email: cleanText(values.email),
  title: titles.find((title) => String(title) === values.title) ?? emptyUserFields.title,
  access_level: accessLevels.find((level) => String(level) === values.access_level) ?? emptyUserFields.access_level,
})

/** Only what differs from what the form was opened on, and only what is not locked: a PUT leaves the rest alone. */
export function toUserChanges(
  currentFields: UserFields,
  baseFields: UserFields,
  lockedFieldNames: ReadonlySet<UserField>,
): UserChanges {
  const changedFields = fields.filter(
    (field) => field !== 'email' && !lockedFieldNames.has(field) && currentFields[field] !== baseFields[field],
  )
  return Object.fromEntries(changedFields.map((field) => [field, currentFields[field]]))
}

/** Locked fields are not the user's to mend, and a name that stands already is in nobody's way: neither is checked. */
export function checkForm(
  { name, email }: UserFields,
  lockedFieldNames: ReadonlySet<UserField>,
  savedName: string | null = null,
): FieldProblem[] {
  const isSaved = name === savedName || lockedFieldNames.has('name')
  return checkUser({ ...(isSaved ? {} : { name }), ...(lockedFieldNames.has('email') ? {} : { email }) })
}

/**
 * Whether saving must reach the server at once: admin and access level decide what others may do, so they are never
 * left waiting in a queue (the contract's `unless` on the same two calls).
 */
export const needsConnection = (action: 'create' | 'change', changes: UserChanges): boolean =>
  action === 'create'
    ? (changes.access_level ?? 0) !== 0
    : changes.admin !== undefined || changes.access_level !== undefined

/** Why a field is locked, as a key of the words; null for a field that is not (domain/users lockedFields). */
export function getLockReason(
  field: UserField,
  user: Pick<UserRow, 'status'>,
  context: { isSelf: boolean },
): 'deleted' | 'email' | 'self' | 'ownName' | 'activated' | 'activatedTitle' | null {
  if (user.status === userStatus.deleted) return 'deleted'
  if (field === 'email') return 'email'
  // The profile has the name and not the title (portal 2), so only of the name it can be said where it is changed.
  if (context.isSelf && field === 'name') return 'ownName'
  if (context.isSelf && (field === 'title' || field === 'admin')) return 'self'
  if (user.status === userStatus.activated && field === 'name') return 'activated'
  if (user.status === userStatus.activated && field === 'title') return 'activatedTitle'
  return null
}

export interface UserDifference {
  field: UserField | 'status'
  currentValue: string | number | boolean
}

/** What somebody else made of the row since the form was opened (412). */
export function listDifferences(base: UserRow, current: UserRow): UserDifference[] {
  const comparedFields = [...fields, 'status'] as const
  return comparedFields
    .filter((field) => base[field] !== current[field])
    .map((field) => ({ field, currentValue: current[field] }))
}

/** The form after a conflict: theirs, with what was typed here still over it, so that nothing typed is lost. */
export function rebaseFields(localFields: UserFields, baseFields: UserFields, serverFields: UserFields): UserFields {
  const changedFields = fields.filter((field) => localFields[field] !== baseFields[field])
  return { ...serverFields, ...Object.fromEntries(changedFields.map((field) => [field, localFields[field]])) }
}
