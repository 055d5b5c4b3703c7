import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkConfirmation, checkPassword } from '#domain/accounts/passwords.ts'
import { cleanText } from '#domain/text.ts'

export interface ProfileValues {
  name: string
  avatar: File | string | null
}

export const fromProfileValues = ({ name, avatar }: ProfileValues): ProfileValues => ({ name: cleanText(name), avatar })

export interface PasswordFormValues {
  original: string
  newPassword: string
  confirm: string
}

/** Checks that all three passwords are typed, and that the last two are equal (portal 5). */
export function checkPasswords({ original, newPassword, confirm }: PasswordFormValues): FieldProblem[] {
  const problems = [
    original === '' ? { field: 'original', code: 'REQUIRED' as const } : null,
    checkPassword('newPassword', newPassword),
    checkConfirmation('confirm', confirm, newPassword),
  ]
  return problems.filter((problem) => problem !== null)
}
