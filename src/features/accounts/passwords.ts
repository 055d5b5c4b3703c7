/** A new password, typed twice. */
import type { FieldProblem } from '#domain/checks.ts'
import { checkPassword } from '#domain/passwords.ts'

export interface Passwords {
  password: string
  confirm: string
}

/** portal 5: both required, and equal; which words are too common only the server knows. */
export function checkPasswords({ password, confirm }: Passwords): FieldProblem[] {
  const wrong = checkPassword('password', password)
  if (wrong) return [wrong]
  if (confirm === '') return [{ field: 'confirm', code: 'REQUIRED' }]
  return confirm === password ? [] : [{ field: 'confirm', code: 'MISMATCH' }]
}
