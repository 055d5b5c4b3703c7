/** A new password, typed twice. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'

export interface NewPasswords {
  password: string
  confirm: string
}

/** portal 5: both required, and equal; which words are too common only the server knows. */
export function checkPasswords({ password, confirm }: NewPasswords): FieldProblem[] {
  const problem = checkPassword('password', password) ?? checkConfirmation('confirm', confirm, password)
  return problem ? [problem] : []
}
