/** Password rules of form and server (D74, S-27, S-28). The list of common passwords is only on the server. */
import { checkFields, checkEmail, type FieldProblem, checkRequired } from '#domain/checks/field-checks.ts'

export const passwordLength = { min: 8, max: 128 } as const

/** The length is counted in code points of the NFC form. Passwords are never trimmed. */
export function checkPassword(field: string, password: string): FieldProblem | null {
  if (password === '') return { field, code: 'REQUIRED' }
  const length = [...password.normalize('NFC')].length
  if (length < passwordLength.min) return { field, code: 'TOO_SHORT', limit: passwordLength.min }
  if (length > passwordLength.max) return { field, code: 'TOO_LONG', limit: passwordLength.max }
  return null
}

export function checkConfirmation(field: string, confirm: string, password: string): FieldProblem | null {
  if (confirm === '') return { field, code: 'REQUIRED' }
  return confirm.normalize('NFC') === password.normalize('NFC') ? null : { field, code: 'MISMATCH' }
}

/** portal 5: checks the form for a forgotten password. */
export const checkForgottenPassword = (input: { companyCode: string; userEmail: string }): FieldProblem[] =>
  checkFields({ ...input }, { companyCode: [checkRequired], userEmail: [checkRequired, checkEmail] })

const productWords = ['portal', 'saas', 'demo', 'm18', 'password', 'admin', 'welcome', 'login']

/** `accountWords`: company, name and e-mail of the account. */
export function isGuessable(password: string, accountWords: readonly string[]): boolean {
  const lower = password.toLowerCase()
  // Detects birthdays and telephone numbers.
  if (/^[\d\s./-]{0,14}$/.test(lower) || new Set(lower).size < 4 || isSequence(lower)) return true
  return isMadeOfAccountWords(lower, accountWords)
}

/** Detects abcdefgh or 98765432, where each character follows its predecessor. */
function isSequence(text: string): boolean {
  const steps = new Set([...text].slice(1).map((_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index)))
  return steps.size === 1 && (steps.has(1) || steps.has(-1))
}

/** Removes the words of the account and checks the remaining text, because a name followed by a year is still guessable. */
function isMadeOfAccountWords(lower: string, accountWords: readonly string[]): boolean {
  const ownText = accountWords.join(' ').toLowerCase()
  const words = ownText.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 3)
  let remainder = lower
  for (const word of [...words, ...productWords].sort((a, b) => b.length - a.length))
    remainder = remainder.replaceAll(word, '')
  return remainder.length < lower.length && remainder.replace(/[^\p{L}\p{N}]/gu, '').length < 5
}
