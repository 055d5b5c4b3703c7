/**
 * Before an order is deleted or replaced nobody may be paying it: what was begun at a gateway is ended there first, outside of the
 * transaction. Money that was taken is applied instead, and the order stays.
 */
import { type PayableRef, refOf } from '#server/db/payments/payables.ts'
import { type AttemptRecord, unsettledAttempts } from '#server/db/payments/payment-attempts.ts'
import { PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { OutsideCallNeeded } from '#server/context/outside-call.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { end } from '#server/use-cases/payments/settle-attempt.ts'

/** What is about to happen to the order. */
type Ending = 'delete' | 'replace'

const problems = {
  delete: { unanswered: 'PAYMENT_UNANSWERED', paid: 'ORDER_PAID' },
  replace: { unanswered: 'REPLACED_UNANSWERED', paid: 'REPLACED_PAID' },
} as const

const retrySeconds = 60
const inProgress = () => new ProblemError('PAYMENT_IN_PROGRESS', null, retrySeconds)

/**
 * Called under the lock of what is paid, which whoever begins a payment takes as well. Throws OutsideCallNeeded while anything of it is
 * not settled; that call throws PAYMENT_UNANSWERED, PAYMENT_IN_PROGRESS and ORDER_PAID.
 */
export async function requireNoPayment(
  { db }: Pick<UseCaseContext, 'db'>,
  of: PayableRef,
  ending: Ending,
): Promise<void> {
  const attempts = await unsettledAttempts(db, of)
  if (attempts.length > 0) throw new OutsideCallNeeded((app) => endAll(app, attempts, ending), inProgress())
}

async function endAll(app: AppContext, attempts: readonly AttemptRecord[], ending: Ending): Promise<void> {
  const { unanswered, paid } = problems[ending]
  for (const attempt of attempts) {
    const { state } = await end(app, attempt).catch((error: unknown): never => {
      const isSilent =
        error instanceof PaymentProblem || (error instanceof ProblemError && error.code === 'UNAVAILABLE')
      if (!isSilent) throw error
      app.log.warn(
        { err: error, attempt: attempt.id, paid: refOf(attempt) },
        'a payment could not be ended at the gateway',
      )
      throw new ProblemError(unanswered, null, retrySeconds)
    })
    if (state === 'paid') throw new ProblemError(paid)
    // A card may be charged by a request that is still on its way.
    if (state !== 'closed' && state !== 'declined') throw inProgress()
  }
}
