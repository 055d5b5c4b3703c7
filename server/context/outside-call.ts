/**
 * Thrown inside a write's transaction if an external system, such as a payment gateway, must be called first. The transaction is rolled
 * back, the call is made without a transaction, and the write starts again with all its checks (server/commands/execute.ts).
 */
import type { AppContext } from '#server/context/context.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'

export class OutsideCallNeeded extends Error {
  override readonly name = 'OutsideCallNeeded'
  /** Makes the call. Throws ProblemError if the write must not continue. */
  readonly run: (app: AppContext) => Promise<void>
  /** Problem of the write if it still needs a call after several rounds. */
  readonly unsettledProblem: ProblemError

  constructor(run: (app: AppContext) => Promise<void>, unsettledProblem: ProblemError) {
    super('the write needs a call outside its transaction')
    this.run = run
    this.unsettledProblem = unsettledProblem
  }
}
