/** A new password, typed twice. */
import type { Problem } from '#contract/problem.ts'
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

/** Its field shows this problem. */
export const isWeakPassword = (problem: Problem | null): problem is Problem => problem?.code === 'WEAK_PASSWORD'
