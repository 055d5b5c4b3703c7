/**
 * How hard a password is to guess, for the meter beside its field (S-27): it advises and never refuses. What is refused is
 * said by `checkPassword`, and by the server, which knows the common ones.
 */
import { isGuessable, passwordLength } from '#domain/accounts/passwords.ts'

export type Strength = 'weak' | 'fair' | 'good' | 'strong'
export const strengths: readonly Strength[] = ['weak', 'fair', 'good', 'strong']

/** Bits from which on it is fair, good, strong. */
const steps = [36, 56, 76] as const

/** `own`: words that stand for the user anyway (name, e-mail, company): what is made of them is worth nothing. */
export function strengthOf(password: string, own: readonly string[] = []): Strength {
  if ([...password].length < passwordLength.min || isGuessable(password, own)) return 'weak'
  const bits = bitsOf(without(password, own))
  return strengths[steps.filter((least) => bits >= least).length] ?? 'weak'
}

/** Each word of three letters or more counts as one letter, wherever it stands. */
function without(password: string, own: readonly string[]): string {
  const words = own.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length >= 3)
  return words.reduce((left, word) => left.toLowerCase().replaceAll(word, 'w'), password)
}

/** Length times what one sign could have been; a sign that repeats or follows the one before it counts for little. */
function bitsOf(password: string): number {
  const signs = [...password]
  const perSign = Math.log2(kinds.reduce((sum, [kind, count]) => sum + (kind.test(password) ? count : 0), 0) || 1)
  const worth = signs.map((sign, at) => (at > 0 && isExpected(signs[at - 1] ?? '', sign) ? 0.25 : 1))
  const variety = new Set(signs).size / signs.length
  return worth.reduce<number>((sum, one) => sum + one, 0) * perSign * (0.5 + variety / 2)
}

const isExpected = (before: string, sign: string) =>
  Math.abs((sign.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)) <= 1

const kinds: readonly [kind: RegExp, count: number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^\u0020-\u007e]/, 500],
]
