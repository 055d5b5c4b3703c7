/**
 * JSON as received. JSON.parse takes what we do not: names given twice (the last would win unseen), `__proto__`, and
 * depths that later code would walk recursively (S-02, S-11).
 */
import { jsonTrick } from '#domain/checks/json-checks.ts'
import { ProblemError } from '#server/problem-error.ts'

/** Throws VALIDATION_ERROR for anything but well-formed JSON within the limits. */
export function readJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed('')
  }
  const trick = jsonTrick(text)
  if (trick !== null) throw malformed(trick.slice(0, 100))
  return value
}

export const malformed = (field: string) => new ProblemError('VALIDATION_ERROR', [{ field, code: 'INVALID_FORMAT' }])
