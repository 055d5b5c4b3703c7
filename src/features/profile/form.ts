/** The profile's form: what of it is sent, and what is wrong with it. */
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserRow } from '#contract/users.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmed, checkPassword } from '#domain/accounts/passwords.ts'
import { tidyText } from '#domain/text.ts'
import { checkUser } from '#domain/accounts/users.ts'

/** What is chosen for the picture: undefined leaves it, null takes it away. */
export type Picture = File | null | undefined

export interface Typed {
  name: string
  picture: Picture
}

export interface Changes {
  name?: string
  picture?: File | null
}

/** Path under which the device keeps the own row. */
export const ownPath = toWire(getUser, {}).path

export function changesOf({ name, picture }: Typed, base: Pick<UserRow, 'name' | 'avatar'>): Changes {
  const tidy = tidyText(name)
  return {
    ...(tidy === base.name ? {} : { name: tidy }),
    ...(picture === undefined || (picture === null && base.avatar === null) ? {} : { picture }),
  }
}

export const checkName = (name: string): FieldProblem | null => checkUser({ name: tidyText(name) })[0] ?? null

export interface Passwords {
  original: string
  chosen: string
  confirm: string
}

/** portal 5: all required, the last two equal; portal 8: not the one that there is. */
export function checkPasswords({ original, chosen, confirm }: Passwords): FieldProblem[] {
  const found = [
    original === '' ? { field: 'original', code: 'REQUIRED' as const } : null,
    checkPassword('chosen', chosen),
    checkConfirmed('confirm', confirm, chosen),
  ]
  return found.filter((one) => one !== null)
}
