/** The profile's form: what of it is sent, and what is wrong with it. */
import { getUser } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'
import { cleanText } from '#domain/text.ts'
import { checkUser } from '#domain/accounts/users.ts'

/** What is chosen for the picture: undefined leaves it, null takes it away. */
export type PictureChange = File | null | undefined

export interface ProfileValues {
  name: string
  picture: PictureChange
}

export interface ProfileChanges {
  name?: string
  picture?: File | null
}

/** Path under which the device keeps the own row. */
export const ownUserPath = toHttpRequest(getUser, {}).path

export function toProfileChanges(
  { name, picture }: ProfileValues,
  base: Pick<UserRow, 'name' | 'avatar'>,
): ProfileChanges {
  const normalisedName = cleanText(name)
  return {
    ...(normalisedName === base.name ? {} : { name: normalisedName }),
    ...(picture === undefined || (picture === null && base.avatar === null) ? {} : { picture }),
  }
}

export const checkName = (name: string): FieldProblem | null => checkUser({ name: cleanText(name) })[0] ?? null

export interface PasswordFormValues {
  original: string
  newPassword: string
  confirm: string
}

/** portal 5: all required, the last two equal; portal 8: not the one that there is. */
export function checkPasswords({ original, newPassword, confirm }: PasswordFormValues): FieldProblem[] {
  const problems = [
    original === '' ? { field: 'original', code: 'REQUIRED' as const } : null,
    checkPassword('newPassword', newPassword),
    checkConfirmation('confirm', confirm, newPassword),
  ]
  return problems.filter((problem) => problem !== null)
}
