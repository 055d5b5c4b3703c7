/** What a password must be (D74, S-27). The list of common ones lives on the server; this is what a form can tell at once. */
import type { FieldProblem } from '#domain/checks.ts'

export const passwordLength = { min: 8, max: 128 } as const

/** Counted in code points and never trimmed or normalised: a password is compared exactly as typed. */
export function checkPassword(field: string, password: string): FieldProblem | null {
  if (password === '') return { field, code: 'REQUIRED' }
  const length = [...password].length
  if (length < passwordLength.min) return { field, code: 'TOO_SHORT', limit: passwordLength.min }
  if (length > passwordLength.max) return { field, code: 'TOO_LONG', limit: passwordLength.max }
  return null
}
