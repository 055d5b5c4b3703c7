/** Cancels payments before an order is deleted or replaced. If the money was already taken, the payment is applied and the order stays. */
import { type PayableRef, toPayableRef } from '#server/db/payments/payables.ts'
import { type AttemptRecord, listUnsettledAttempts } from '#server/db/payments/payment-attempts.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { OutsideCallNeeded } from '#server/context/outside-call.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { endAttempt } from '#server/use-cases/payments/settle-attempt.ts'

type OrderEnding = 'delete' | 'replace'

const problems = {
  delete: { unanswered: 'PAYMENT_UNANSWERED', paid: 'ORDER_PAID' },
  replace: { unanswered: 'REPLACED_UNANSWERED', paid: 'REPLACED_PAID' },
} as const

const retrySeconds = 60
const createInProgressError = () => new ProblemError('PAYMENT_IN_PROGRESS', null, retrySeconds)

/**
 * Must be called under the payable's lock. Starting a payment takes the same lock. Throws OutsideCallNeeded while a payment is not settled.
 * The outside call cancels the payment. It throws PAYMENT_IN_PROGRESS, or a code of `problems` if the gateway does not respond or the
 * payment is already paid.
 */
export async function requireNoPayment(
  { db }: Pick<UseCaseContext, 'db'>,
  payableRef: PayableRef,
  ending: OrderEnding,
): Promise<void> {
  const attempts = await listUnsettledAttempts(db, payableRef)
  if (attempts.length > 0)
    throw new OutsideCallNeeded((app) => endAttempts(app, attempts, ending), createInProgressError())
}

async function endAttempts(app: AppContext, attempts: readonly AttemptRecord[], ending: OrderEnding): Promise<void> {
  const { unanswered, paid } = problems[ending]
  for (const attempt of attempts) {
    const { state } = await endAttempt(app, attempt).catch((error: unknown): never => {
      const isUnanswered =
        error instanceof PaymentProblem || (error instanceof ProblemError && error.code === 'UNAVAILABLE')
      if (!isUnanswered) throw error
      app.log.warn(
        { event: 'payment_close_failed', err: error, attempt: attempt.id, paid: toPayableRef(attempt) },
        'could not close a payment at the gateway',
      )
      throw new ProblemError(unanswered, null, retrySeconds)
    })
    if (state === 'paid') throw new ProblemError(paid)
    // A request in transit may still charge a card.
    if (state !== 'closed' && state !== 'declined') throw createInProgressError()
  }
}
