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
export const notFound = () => new ProblemError('NOT_FOUND')
export const forbidden = () => new ProblemError('FORBIDDEN')
/**
 * The first 50 of the fields, names and repeated values cut: what was sent decides how many there are and how long, and the answer
 * is stored. `typed`: what stood in the fields, for the one message that names it (portal 5).
 */
export const invalid = (fields: readonly (FieldProblem | OrderProblem)[], typed: Record<string, string> = {}) =>
  new ProblemError(
    'VALIDATION_ERROR',
    fields
      .slice(0, inputLimits.problems)
      .map((one) => shortened(one.code === 'RESERVED' ? { named: typed[one.field] ?? one.field, ...one } : one)),
  )

function shortened<P extends FieldProblem | OrderProblem>(problem: P): P {
  const { field, named } = problem
  return {
    ...problem,
    field: field.slice(0, inputLimits.fieldLength),
    ...(named === undefined ? {} : { named: named.slice(0, inputLimits.namedLength) }),
  }
}
export const unavailable = (retryAfterSeconds: number) => new ProblemError('UNAVAILABLE', null, retryAfterSeconds)
