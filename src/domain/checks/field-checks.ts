import { findHiddenCharacter, oneLinePattern, findBidiControl } from '#domain/text.ts'

/**
 * What is wrong with a field, as a code: the same checks run under a form and in the server, and words are found for a
 * code where they are shown. `limit` fills the number a message names.
 */
export interface FieldProblem {
  field: string
  code: FieldCode
  limit?: number
  /** The least of a range that ends at `limit`. */
  from?: number
  /** The value that a message repeats; the field's name where it is not said. */
  named?: string
}

export type FieldCode =
  | 'REQUIRED'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'OUT_OF_RANGE'
  | 'INVALID_FORMAT'
  /** `named`: a character that nobody sees, or that turns the direction of the text, as `U+200B`. */
  | 'HIDDEN_CHARACTER'
  | 'INVALID_EMAIL'
  | 'INVALID_CODE'
  | 'INVALID_TEL'
  /** There is a number, and no country code before it. */
  | 'DIAL_CODE_MISSING'
  | 'INVALID_URL'
  | 'MISMATCH'
  | 'COMMON_PASSWORD'
  | 'LOCKED'
  | 'DUPLICATE'
  /** `named`: a fault of a package as a word (domain/catalogue/mapp.ts). */
  | 'BAD_PACKAGE'
  | 'RESERVED'
  | 'UNKNOWN_FIELD'
  /** Of a request as a whole: it has more values, names or pairs than `limit`, or more levels. */
  | 'TOO_MANY'
  | 'TOO_DEEP'

export type FieldCheck = (value: string) => Omit<FieldProblem, 'field'> | null

export const checkRequired: FieldCheck = (value) => (value.trim() === '' ? { code: 'REQUIRED' } : null)

export const createMaxLengthCheck =
  (limit: number): FieldCheck =>
  (value) =>
    value.length > limit ? { code: 'TOO_LONG', limit } : null

const toHiddenCharacterProblem = (character: string | null): ReturnType<FieldCheck> =>
  character === null ? null : { code: 'HIDDEN_CHARACTER', named: character }

/** Of names and other texts of one line. */
export const checkHiddenCharacter: FieldCheck = (value) => toHiddenCharacterProblem(findHiddenCharacter(value))

/** Of texts of several lines. */
export const checkBidiControl: FieldCheck = (value) => toHiddenCharacterProblem(findBidiControl(value))

export const checkOneLine: FieldCheck = (value) => (oneLinePattern.test(value) ? null : { code: 'INVALID_FORMAT' })

// Linear on purpose (no nested repetition): it meets text of any length (S-10).
const emailPattern = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i

export const checkEmail: FieldCheck = (value) =>
  value.length > 254 || !emailPattern.test(value.trim()) ? { code: 'INVALID_EMAIL' } : null

/** Runs the checks of each field in turn; the first that fails speaks for its field. */
export function checkFields(
  values: Record<string, string>,
  checksByField: Record<string, FieldCheck[]>,
): FieldProblem[] {
  return Object.entries(checksByField).flatMap(([field, checks]) => {
    const value = values[field] ?? ''
    for (const check of checks) {
      const problem = check(value)
      if (problem) return [{ field, ...problem }]
    }
    return []
  })
}
