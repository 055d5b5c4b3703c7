import {
  type FieldCheck,
  createMaxLengthCheck,
  checkFields,
  checkEmail,
  type FieldProblem,
  checkOneLine,
  checkHiddenCharacter,
  checkRequired,
} from '#domain/checks/field-checks.ts'
import type { AccessLevel } from '#domain/access.ts'

/** Statuses of portal 4. */
export const userStatus = { deleted: -2, disabled: -1, deactivated: 0, activated: 1 } as const
export type UserStatus = (typeof userStatus)[keyof typeof userStatus]
export const userStatuses: readonly UserStatus[] = [1, 0, -1, -2]

/** Titles of portal 3: 0 Mr, 1 Ms, 2 Mrs. */
export type UserTitle = 0 | 1 | 2
export const titles: readonly UserTitle[] = [0, 1, 2]

export type Language = 'en' | 'zh'
export const languages: readonly Language[] = ['en', 'zh']

export interface UserFields {
  title: UserTitle
  name: string
  email: string
  admin: boolean
  order: boolean
  alert: boolean
  access_level: AccessLevel
}

export const userFlags = ['admin', 'order', 'alert'] as const

/** portal 4: for each action the states that allow it. */
export const userActions = {
  activatemail: [userStatus.deactivated],
  disable: [userStatus.activated],
  enable: [userStatus.disabled],
  remove: [userStatus.deactivated, userStatus.disabled, userStatus.activated],
} satisfies Record<string, UserStatus[]>
export type UserAction = keyof typeof userActions

/** The state after each action. A new activation mail does not change it. */
export const statusAfterUserAction = {
  activatemail: userStatus.deactivated,
  disable: userStatus.disabled,
  enable: userStatus.activated,
  remove: userStatus.deleted,
} satisfies Record<UserAction, UserStatus>

/** The action that undoes another (C-14). An action is not delayed for a possible undo: a disabled user must lose access immediately. */
export const reverseActions: Partial<Record<UserAction, UserAction>> = { disable: 'enable', enable: 'disable' }

/**
 * Returns the reason why an action is refused, or null. Users cannot disable or delete themselves (portal 4). The last active admin cannot
 * be disabled or deleted (D54). `isLastAdmin`: whether the user is that admin; omitted if unknown.
 */
export function getUserActionRefusal(
  action: UserAction,
  user: { status: UserStatus },
  actor: { isSelf: boolean; isLastAdmin?: boolean },
): 'USER_STATUS_INVALID' | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | null {
  const allowedStatuses: readonly UserStatus[] = userActions[action]
  const isRemoval = action === 'disable' || action === 'remove'
  if (actor.isSelf && isRemoval) return 'SELF_FORBIDDEN'
  if (!allowedStatuses.includes(user.status)) return 'USER_STATUS_INVALID'
  return actor.isLastAdmin && isRemoval ? 'LAST_ADMIN' : null
}

/**
 * Fields that an edit may not change (portal 4): always the e-mail; title, name and admin of the caller's own user; name and title of an
 * activated user; all fields of a deleted user.
 */
export function getLockedFields(
  user: { status: UserStatus },
  actor: { isSelf: boolean },
): ReadonlySet<keyof UserFields> {
  if (user.status === userStatus.deleted)
    return new Set(['title', 'name', 'email', 'admin', 'order', 'alert', 'access_level'])
  const locked = new Set<keyof UserFields>(['email'])
  if (actor.isSelf) for (const field of ['title', 'name', 'admin'] as const) locked.add(field)
  if (user.status === userStatus.activated) for (const field of ['name', 'title'] as const) locked.add(field)
  return locked
}

const userRules = {
  name: [checkRequired, createMaxLengthCheck(100), checkHiddenCharacter, checkOneLine],
  email: [checkRequired, checkHiddenCharacter, checkEmail],
} satisfies Record<string, FieldCheck[]>

/** The checks of portal 5 for a user form. Checks only the fields in `values`. */
export const checkUser = (values: Partial<Pick<UserFields, 'name' | 'email'>>): FieldProblem[] => {
  const rules = Object.fromEntries(Object.entries(userRules).filter(([field]) => field in values))
  return checkFields(values as Record<string, string>, rules)
}
