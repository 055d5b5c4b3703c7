/** Which passwords are refused beside their length (S-28): those that many use, and those made of the account's own words. */
import { readFileSync } from 'node:fs'
import { checkPassword } from '#domain/passwords.ts'
import { invalid, ProblemError } from '#server/problem.ts'

const common = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
)

const productWords = ['portal', 'saas', 'demo', 'm18', 'password', 'admin', 'welcome', 'login']

export interface Owner {
  companyCode: string
  companyName: string
  userName: string
  email: string
}

/** Throws VALIDATION_ERROR for a wrong length and WEAK_PASSWORD for one that is easy to guess. */
export function requireGoodPassword(field: string, password: string, owner: Owner): void {
  const problem = checkPassword(field, password)
  if (problem) throw invalid([problem])
  if (isCommon(password) || isOwnWords(password, owner))
    throw new ProblemError('WEAK_PASSWORD', [{ field, code: 'COMMON_PASSWORD' }])
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase()
  if (common.has(lower) || common.has(lower.replace(/[^a-z0-9]+$/, ''))) return true
  // Birthdays and telephone numbers.
  return /^[\d\s./-]{0,14}$/.test(lower) || new Set(lower).size < 4 || isRun(lower)
}

/** abcdefgh, 98765432: each character next to the one before it. */
function isRun(text: string): boolean {
  const steps = new Set([...text].slice(1).map((_, at) => text.charCodeAt(at + 1) - text.charCodeAt(at)))
  return steps.size === 1 && (steps.has(1) || steps.has(-1))
}

/** What is left once the words are taken out decides: a name with a year is still the name. */
function isOwnWords(password: string, owner: Owner): boolean {
  const said = [owner.companyCode, owner.companyName, owner.userName, owner.email].join(' ').toLowerCase()
  const words = said.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 3)
  let left = password.toLowerCase()
  for (const word of [...words, ...productWords].sort((a, b) => b.length - a.length)) left = left.replaceAll(word, '')
  return left.length < password.length && left.replace(/[^\p{L}\p{N}]/gu, '').length < 5
}
