/** A problem on its way out of a service: thrown where it is found, answered in one place. */
import type { FieldProblem } from '#domain/checks.ts'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'

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
export const invalid = (fields: FieldProblem[]) => new ProblemError('VALIDATION_ERROR', fields)
export const unavailable = (retryAfterSeconds: number) => new ProblemError('UNAVAILABLE', null, retryAfterSeconds)
