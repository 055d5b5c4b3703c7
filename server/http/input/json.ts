/** Parses JSON. Refuses duplicate names, `__proto__`, deep nesting and too many values, which `JSON.parse` would accept (S-02, S-11). */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { findJsonFault, type JsonFault } from '#domain/checks/json-checks.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** Throws VALIDATION_ERROR if the text is malformed or exceeds the limits. */
export function readJson(text: string): unknown {
  const fault = findJsonFault(text, inputLimits.json)
  if (fault !== null) throw new ProblemError('VALIDATION_ERROR', [toFieldProblem(fault)])
  try {
    return JSON.parse(text)
  } catch {
    throw createMalformedProblem('')
  }
}

function toFieldProblem(fault: JsonFault): FieldProblem {
  const { depth, names, values, nameLength } = inputLimits.json
  switch (fault.code) {
    case 'NAME':
      return { field: fault.name.slice(0, inputLimits.fieldLength), code: 'INVALID_FORMAT' }
    case 'NO_JSON':
      return { field: '', code: 'INVALID_FORMAT' }
    case 'TOO_DEEP':
      return { field: '', code: 'TOO_DEEP', limit: depth }
    case 'TOO_MANY_NAMES':
      return { field: '', code: 'TOO_MANY', limit: names }
    case 'TOO_MANY_VALUES':
      return { field: '', code: 'TOO_MANY', limit: values }
    case 'NAME_TOO_LONG':
      return { field: '', code: 'TOO_LONG', limit: nameLength }
  }
}

export const createMalformedProblem = (field: string) =>
  new ProblemError('VALIDATION_ERROR', [{ field: field.slice(0, inputLimits.fieldLength), code: 'INVALID_FORMAT' }])
