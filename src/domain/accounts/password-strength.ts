/**
 * How hard a password is to guess, for the meter beside its field (S-27): it advises and never refuses. What is refused is
 * said by `checkPassword`, and by the server, which knows the common ones.
 */
import { isGuessable, passwordLength } from '#domain/accounts/passwords.ts'

export type PasswordStrength = 'weak' | 'fair' | 'good' | 'strong'
export const passwordStrengths: readonly PasswordStrength[] = ['weak', 'fair', 'good', 'strong']

/** Bits from which on it is fair, good, strong. */
const bitThresholds = [36, 56, 76] as const

/** `own`: words that stand for the user anyway (name, e-mail, company): what is made of them is worth nothing. */
export function ratePassword(password: string, ownWords: readonly string[] = []): PasswordStrength {
  if ([...password].length < passwordLength.min || isGuessable(password, ownWords)) return 'weak'
  const bits = estimateBits(shortenWords(password, ownWords))
  return passwordStrengths[bitThresholds.filter((threshold) => bits >= threshold).length] ?? 'weak'
}

/** Each word of three letters or more counts as one letter, wherever it stands. */
function shortenWords(password: string, ownTexts: readonly string[]): string {
  const words = ownTexts
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length >= 3)
  return words.reduce((shortened, word) => shortened.toLowerCase().replaceAll(word, 'w'), password)
}

/** Length times what one sign could have been; a sign that repeats or follows the one before it counts for little. */
function estimateBits(password: string): number {
  const characters = [...password]
  const bitsPerCharacter = Math.log2(
    characterKinds.reduce((sum, [kind, count]) => sum + (kind.test(password) ? count : 0), 0) || 1,
  )
  const weights = characters.map((character, index) =>
    index > 0 && isPredictable(characters[index - 1] ?? '', character) ? 0.25 : 1,
  )
  const variety = new Set(characters).size / characters.length
  return weights.reduce<number>((sum, weight) => sum + weight, 0) * bitsPerCharacter * (0.5 + variety / 2)
}

const isPredictable = (previous: string, character: string) =>
  Math.abs((character.codePointAt(0) ?? 0) - (previous.codePointAt(0) ?? 0)) <= 1

const characterKinds: readonly [kind: RegExp, count: number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^\u0020-\u007e]/, 500],
]
