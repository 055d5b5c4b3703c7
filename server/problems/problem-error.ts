/** A problem on its way out of a use case: thrown where it is found, answered in one place. */
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'
import { inputLimits } from '#server/config/input-limits.ts'

export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly data: unknown
  /** Retry-After, where waiting helps. */
  readonly retryAfterSeconds: number | null

  constructor(code: ProblemCode, data: unknown = null, retryAfterSeconds: number | null = null) {
    super(code)
    this.name = 'ProblemError'
    this.code = code
    this.status = problemStatus[code]
    // In the body too: a page shows how long to wait, and what carries a problem further carries no headers.
    this.data = data ?? (retryAfterSeconds === null ? null : { retry_after: retryAfterSeconds })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Also for a row of another company: nobody learns that it exists. */
export const createNotFoundProblem = () => new ProblemError('NOT_FOUND')

/** Throws NOT_FOUND without a row. */
export function requireRow<T extends object>(row: T | null | undefined): T {
  if (!row) throw createNotFoundProblem()
  return row
}

export const createForbiddenProblem = () => new ProblemError('FORBIDDEN')
/**
 * The first 50 of the fields, names and repeated values cut: what was sent decides how many there are and how long, and the answer
 * is stored. `typedValues`: what stood in the fields, for the one message that names it (portal 5).
 */
export const createValidationProblem = (
  fields: readonly (FieldProblem | OrderProblem)[],
  typedValues: Record<string, string> = {},
) =>
  new ProblemError(
    'VALIDATION_ERROR',
    fields
      .slice(0, inputLimits.problems)
      .map((field) =>
        shortenProblem(
          field.code === 'RESERVED' ? { named: typedValues[field.field] ?? field.field, ...field } : field,
        ),
      ),
  )

function shortenProblem<P extends FieldProblem | OrderProblem>(problem: P): P {
  const { field, named: value } = problem
  return {
    ...problem,
    field: field.slice(0, inputLimits.fieldLength),
    ...(value === undefined ? {} : { named: value.slice(0, inputLimits.namedLength) }),
  }
}
export const createUnavailableProblem = (retryAfterSeconds: number) =>
  new ProblemError('UNAVAILABLE', null, retryAfterSeconds)
