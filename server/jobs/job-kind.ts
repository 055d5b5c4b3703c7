import type { DatabaseHandle } from '#server/db/database.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobProgress } from '#server/use-cases/job-requests.ts'

/** A step opens its own transactions, and has none open while it waits for something. */
export interface JobContext<I, P> {
  app: AppContext
  input: I
  /** Where the last step ended, or null at the beginning. */
  point: P | null
  /** Percents never decrease. If the step is repeated, it still begins at the same point. */
  reportProgress(percent: number, info?: JobProgress['info']): Promise<void>
}

export type JobStepResult<P, O> =
  /** `on` means not finished. The next step begins at `point`, on this or another node, also after a kill. */
  { kind: 'on'; point: P; percent: number; info?: JobProgress['info'] } | { kind: 'done'; output: O }

export interface JobKind<I = unknown, P = unknown, O = unknown> {
  /** Whether an interrupted step may be repeated. If not, the job ends as INTERRUPTED, and a person takes over. */
  isResumable: boolean
  /** No user requested the job: no response, no progress, and its row is deleted at its end. */
  isQuiet?: true
  /** Returns the delay in ms before a step is retried after that many tries, or null to give up. */
  getRetryDelay?: (tries: number) => number | null
  /** Throws a ProblemError to end the job with that problem as its final response. */
  step(context: JobContext<I, P>): Promise<JobStepResult<P, O>>
  /**
   * Writes the effects of the job's end as the system role, in the transaction that stores the end. `problem` is null on success. Then the
   * returned output replaces the step's.
   */
  settle?(db: DatabaseHandle, context: JobContext<I, P>, problem: ProblemError | null): Promise<O>
  onEnded?(context: JobContext<I, P>): void
}
