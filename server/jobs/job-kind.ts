/** What a kind of job states about itself. */
import type { DatabaseHandle } from '#server/db/database.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import type { AppContext } from '#server/context/context.ts'
import type { JobProgress } from '#server/use-cases/job-requests.ts'

/** What a step is handed. It opens its own transactions, and holds none while it waits for anybody. */
export interface JobContext<I, P> {
  app: AppContext
  /** As it was asked for. */
  input: I
  /** Where the last step ended; null: at the beginning. */
  point: P | null
  /** How far a step is that takes long; percents never fall. Its next one begins where this one began all the same. */
  reportProgress(percent: number, info?: JobProgress['info']): Promise<void>
}

export type JobStepResult<P, O> =
  /** So far. The next step begins at `point`, on this or another node, after a kill too. */
  { kind: 'on'; point: P; percent: number; info?: JobProgress['info'] } | { kind: 'done'; output: O }

export interface JobKind<I = unknown, P = unknown, O = unknown> {
  /**
   * Whether a step that a kill cut off may be done again. Where it may not, the job ends as INTERRUPTED, and a person
   * looks before it is started anew.
   */
  isResumable: boolean
  /** Nobody asked for it: no answer is kept, nothing is told, and its row goes with its end. */
  isQuiet?: true
  /** How long to wait before a step that was tried so often is tried again, ms; null: it is given up. */
  getRetryDelay?: (tries: number) => number | null
  /** Throws a ProblemError for what is to be its final answer. */
  step(context: JobContext<I, P>): Promise<JobStepResult<P, O>>
  /**
   * What its end leaves, in the transaction that writes the end down, as the system. `problem`: why it failed; null: it is done, and
   * what is answered is the output, in place of the step's.
   */
  settle?(db: DatabaseHandle, context: JobContext<I, P>, problem: ProblemError | null): Promise<O>
  /** That is committed. */
  onEnded?(context: JobContext<I, P>): void
}
