import type { Problem } from '#contract/problem.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'

export interface NewPasswords {
  password: string
  confirm: string
}

/** Checks that both passwords are typed and equal (portal 5). Only the server knows which passwords are too common. */
export function checkPasswords({ password, confirm }: NewPasswords): FieldProblem[] {
  const problem = checkPassword('password', password) ?? checkConfirmation('confirm', confirm, password)
  return problem ? [problem] : []
}

export const isWeakPassword = (problem: Problem | null): problem is Problem => problem?.code === 'WEAK_PASSWORD'
