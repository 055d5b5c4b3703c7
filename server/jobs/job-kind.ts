import type { DatabaseHandle } from '#server/db/database.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobProgress } from '#server/use-cases/job-requests.ts'

/** Context of a step. A step opens its own transactions, and has none open while it waits for something. */
export interface JobContext<I, P> {
  app: AppContext
  input: I
  /** Point that the last completed step returned, or null at the beginning. */
  point: P | null
  /** Number of tries of this step, including this one. */
  tries: number
  /** Shows progress to the waiting user. A lower percentage than before is ignored. A repeated step still begins at the same `point`. */
  reportProgress(percent: number, info?: JobProgress['info']): Promise<void>
}

export type JobStepResult<P, O> =
  /** `on` means that the job has not ended. The next step begins at `point`, on this or another node, also after a kill. */
  { kind: 'on'; point: P; percent: number; info?: JobProgress['info'] } | { kind: 'done'; output: O }

/** Thrown by a step that is to be repeated after at least `delayMs`, for example because another service has asked for it. */
export class RetryLaterError extends Error {
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.name = 'RetryLaterError'
    this.delayMs = delayMs
  }
}

export interface JobKind<I = unknown, P = unknown, O = unknown> {
  /** Whether an interrupted step may be repeated. If not, the job ends with INTERRUPTED. */
  isResumable: boolean
  /** Set if no user requested the job. Such a job has no response and no progress, and its row is deleted when it ends. */
  isQuiet?: true
  /** Returns the delay in ms before a step that has failed `tries` times is repeated, or null to end the job. */
  getRetryDelay?: (tries: number) => number | null
  /** If it throws a ProblemError that is final (`isStored`), the job ends with that problem. Other errors are retried if `isResumable`. */
  step(context: JobContext<I, P>): Promise<JobStepResult<P, O>>
  /**
   * Writes the effects of the job's end as the system role, in the transaction that stores the end. `problem` is null on success. The
   * output that `settle` returns then replaces the output of the step.
   */
  settle?(db: DatabaseHandle, context: JobContext<I, P>, problem: ProblemError | null): Promise<O>
  onEnded?(context: JobContext<I, P>): void
}
