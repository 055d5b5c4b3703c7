import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'
import { inputLimits } from '#server/config/input-limits.ts'

export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly data: unknown
  /** Value of the header Retry-After. Null if the response has no such header. */
  readonly retryAfterSeconds: number | null

  constructor(code: ProblemCode, data: unknown = null, retryAfterSeconds: number | null = null) {
    super(code)
    this.name = 'ProblemError'
    this.code = code
    this.status = problemStatus[code]
    // The wait is also in the body, because a page shows it, and a stored problem may have no headers.
    this.data = data ?? (retryAfterSeconds === null ? null : { retry_after: retryAfterSeconds })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Also used for a row of another company, so that the caller does not learn that the row exists. */
export const createNotFoundProblem = () => new ProblemError('NOT_FOUND')

/** Throws NOT_FOUND for null and undefined. */
export function requireRow<T extends object>(row: T | null | undefined): T {
  if (!row) throw createNotFoundProblem()
  return row
}

export const createForbiddenProblem = () => new ProblemError('FORBIDDEN')
/**
 * Keeps at most 50 problems and shortens their values, because the response is stored. `typedValues` are the texts as the user typed them,
 * for the message about a reserved value (portal 5).
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

/** `value` is the rejected value, for messages that repeat it. */
export const createFieldError = (field: string, code: FieldProblem['code'], value?: string) =>
  createValidationProblem([{ field, code, ...(value === undefined ? {} : { named: value }) }])

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
