/** A new password, typed twice. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmed, checkPassword } from '#domain/accounts/passwords.ts'

export interface Passwords {
  password: string
  confirm: string
}

/** portal 5: both required, and equal; which words are too common only the server knows. */
export function checkPasswords({ password, confirm }: Passwords): FieldProblem[] {
  const wrong = checkPassword('password', password) ?? checkConfirmed('confirm', confirm, password)
  return wrong ? [wrong] : []
}
