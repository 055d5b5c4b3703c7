/**
 * Thrown inside a write's transaction where somebody outside has to be asked first, a payment gateway for instance. The transaction is
 * rolled back, the call is made without one, and the write begins anew and checks again (server/commands/execute.ts).
 */
import type { AppContext } from '#server/context/context.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'

export class OutsideCallNeeded extends Error {
  override readonly name = 'OutsideCallNeeded'
  /** Throws ProblemError where the write must not go on. */
  readonly run: (app: AppContext) => Promise<void>
  /** Answered where the same call is still needed after some rounds. */
  readonly unsettledProblem: ProblemError

  constructor(run: (app: AppContext) => Promise<void>, unsettledProblem: ProblemError) {
    super('a write needs a call outside of its transaction')
    this.run = run
    this.unsettledProblem = unsettledProblem
  }
}
