/** Password strength for the meter (S-27). It only advises; `checkPassword` and the server refuse passwords. */
import { isGuessable, passwordLength } from '#domain/accounts/passwords.ts'

export type PasswordStrength = 'weak' | 'fair' | 'good' | 'strong'
export const passwordStrengths: readonly PasswordStrength[] = ['weak', 'fair', 'good', 'strong']

/** Minimum bits for fair, good and strong. */
const bitThresholds = [36, 56, 76] as const

/** `ownWords`: name, e-mail and company of the user. They make a password only slightly stronger. */
export function ratePassword(password: string, ownWords: readonly string[] = []): PasswordStrength {
  if ([...password].length < passwordLength.min || isGuessable(password, ownWords)) return 'weak'
  const bits = estimateBits(shortenWords(password, ownWords))
  return passwordStrengths[bitThresholds.filter((threshold) => bits >= threshold).length] ?? 'weak'
}

/** Replaces each of the user's own words with a single letter if it has at least three letters. */
function shortenWords(password: string, ownTexts: readonly string[]): string {
  const words = ownTexts
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length >= 3)
  return words.reduce((shortened, word) => shortened.toLowerCase().replaceAll(word, 'w'), password)
}

/** Returns the length times the bits per character. A character that repeats or follows its predecessor adds little. */
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
