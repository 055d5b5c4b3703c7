import type { UserRow } from '#contract/users.ts'
import { accessLevels } from '#domain/access.ts'
import { cleanText } from '#domain/text.ts'
import { titles, type UserFields, userStatus } from '#domain/accounts/users.ts'

/** Values of the inputs. Radio buttons and select boxes have text values. */
export type UserFormValues = Omit<UserFields, 'title' | 'access_level'> & { title: string; access_level: string }
export type UserField = keyof UserFields

export const emptyUserFields: UserFields = {
  title: 0,
  name: '',
  email: '',
  admin: false,
  order: false,
  alert: false,
  access_level: 0,
}

export const conflictFields = [...(Object.keys(emptyUserFields) as UserField[]), 'status'] as const

export const toUserFields = ({ title, name, email, admin, order, alert, access_level }: UserRow): UserFields => ({
  title,
  name,
  email,
  admin,
  order,
  alert,
  access_level,
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

const plainLineFields: readonly string[] = ['name', 'email', 'title']

/** Returns whether the form shows the field as a plain line, without an input: it can change neither name, e-mail nor title of the user. */
export const isPlainLine = (field: string, row: Pick<UserRow, 'status'> | null, actor: { isSelf: boolean }): boolean =>
  row !== null && plainLineFields.includes(field) && getLockReason('name', row, actor) !== null

/**
 * Returns whether the write needs a connection. Admin flag and access level decide what a user may do, so they are never queued
 * (`mustNotQueue` of the same endpoints in the contract).
 */
export const needsConnection = (action: 'create' | 'change', changes: Partial<UserFields>): boolean =>
  action === 'create'
    ? (changes.access_level ?? 0) !== 0
    : changes.admin !== undefined || changes.access_level !== undefined

type LockReason = 'deleted' | 'email' | 'self' | 'ownName' | 'activated'

const ownLockReasons: Partial<Record<UserField, LockReason>> = { name: 'ownName', title: 'ownName', admin: 'self' }
const activatedLockReasons: Partial<Record<UserField, LockReason>> = { name: 'activated', title: 'activated' }

/** Returns the message key of the reason why a field is locked, or null if it is not locked (`getLockedFields`). */
export function getLockReason(
  field: UserField,
  { status }: Pick<UserRow, 'status'>,
  { isSelf }: { isSelf: boolean },
): LockReason | null {
  if (status === userStatus.deleted) return 'deleted'
  if (field === 'email') return 'email'
  return (isSelf && ownLockReasons[field]) || (status === userStatus.activated && activatedLockReasons[field]) || null
}
