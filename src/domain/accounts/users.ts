/** A company's users: their states, what may be done in each, which fields are locked, and the checks of their form. */
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

/** portal 4 */
export const userStatus = { deleted: -2, disabled: -1, deactivated: 0, activated: 1 } as const
export type UserStatus = (typeof userStatus)[keyof typeof userStatus]
export const userStatuses: readonly UserStatus[] = [1, 0, -1, -2]

/** portal 3: 0 Mr, 1 Ms, 2 Mrs */
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

/** Roles of a user, each on or off. */
export const userFlags = ['admin', 'order', 'alert'] as const

/** The moves of portal 4: action -> the states that allow it. */
export const userActions = {
  activatemail: [userStatus.deactivated],
  disable: [userStatus.activated],
  enable: [userStatus.disabled],
  remove: [userStatus.deactivated, userStatus.disabled, userStatus.activated],
} satisfies Record<string, UserStatus[]>
export type UserAction = keyof typeof userActions

/** Where a move leads. A new activation mail leaves the state as it is. */
export const statusAfterUserAction = {
  activatemail: userStatus.deactivated,
  disable: userStatus.disabled,
  enable: userStatus.activated,
  remove: userStatus.deleted,
} satisfies Record<UserAction, UserStatus>

/**
 * Why a move is not allowed; null when it is. Nobody disables or deletes themselves (portal 4), nor the last active admin
 * (D54); `isLastAdmin`: whether it is that one, as far as it is known.
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
 * Fields that an edit may not change (portal 4): the e-mail never; title, name and admin of oneself; name and title of
 * an activated user; everything of a deleted one.
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

/** The checks of portal 5 on a user's form; `fields` names those that are being set. */
export const checkUser = (values: Partial<Pick<UserFields, 'name' | 'email'>>): FieldProblem[] => {
  const rules = Object.fromEntries(Object.entries(userRules).filter(([field]) => field in values))
  return checkFields(values as Record<string, string>, rules)
}
