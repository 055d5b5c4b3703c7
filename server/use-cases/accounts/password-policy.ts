/** Refuses common passwords, and passwords that are made of words from the account (S-28). */
import { readFileSync } from 'node:fs'
import { dictionary } from '@zxcvbn-ts/language-common'
import { checkPassword, isGuessable } from '#domain/accounts/passwords.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'

/** The most common leaked passwords, and variants, sequences, dates and words of this product. */
const commonPasswords = new Set([
  ...dictionary['passwords-common'],
  ...readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
])

export interface PasswordOwner {
  companyCode: string
  companyName: string
  userName: string
  email: string
}

export function requireGoodPassword(field: string, password: string, owner: PasswordOwner): void {
  const problem = checkPassword(field, password)
  if (problem) throw createValidationProblem([problem])
  const { companyCode, companyName, userName, email } = owner
  if (isCommonPassword(password) || isGuessable(password, [companyCode, companyName, userName, email]))
    throw new ProblemError('WEAK_PASSWORD', [{ field, code: 'COMMON_PASSWORD' }])
}

function isCommonPassword(password: string): boolean {
  const lowerCase = password.toLowerCase()
  const endOfWord = lowerCase.split('').findLastIndex((sign) => /[a-z0-9]/.test(sign)) + 1
  return commonPasswords.has(lowerCase) || commonPasswords.has(lowerCase.slice(0, endOfWord))
}
