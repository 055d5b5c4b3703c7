import { findHiddenCharacter, oneLinePattern, findBidiControl } from '#domain/text.ts'

/** A field problem as a code, used by form and server. `limit` is the number in the message. */
export interface FieldProblem {
  field: string
  code: FieldCode
  limit?: number
  from?: number
  /** The value in the message. If omitted, the message contains the name of the field. */
  named?: string
}

export type FieldCode =
  | 'REQUIRED'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'OUT_OF_RANGE'
  | 'INVALID_FORMAT'
  /** `named`: the character that is invisible or changes the text direction, such as `U+200B`. */
  | 'HIDDEN_CHARACTER'
  | 'INVALID_EMAIL'
  | 'INVALID_CODE'
  | 'INVALID_TEL'
  | 'DIAL_CODE_MISSING'
  | 'INVALID_URL'
  | 'MISMATCH'
  /** `named`: the text that the user types to confirm. */
  | 'NOT_CONFIRMED'
  | 'MIXED_ITEMS'
  | 'COMMON_PASSWORD'
  | 'LOCKED'
  | 'DUPLICATE'
  /** `named`: the name or item that the request has more than once. */
  | 'REPEATED'
  /** `named`: a package fault as text (domain/catalogue/mapp.ts). */
  | 'BAD_PACKAGE'
  /** `named`: a fault of a bank statement as text (domain/checks/statement-faults.ts). */
  | 'BAD_STATEMENT'
  | 'RESERVED'
  | 'UNKNOWN_FIELD'
  /** For a complete request: it has more values, names or pairs than `limit`, or more levels. */
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

export const checkHiddenCharacter: FieldCheck = (value) => toHiddenCharacterProblem(findHiddenCharacter(value))

export const checkBidiControl: FieldCheck = (value) => toHiddenCharacterProblem(findBidiControl(value))

export const checkOneLine: FieldCheck = (value) => (oneLinePattern.test(value) ? null : { code: 'INVALID_FORMAT' })

// Linear, without nested repetition, because it runs on text of any length (S-10).
const emailPattern = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/i

export const checkEmail: FieldCheck = (value) =>
  value.length > 254 || !emailPattern.test(value.trim()) ? { code: 'INVALID_EMAIL' } : null

/** Runs the checks of each field in order. Reports only the first failure per field. */
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
