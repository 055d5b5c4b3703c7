/**
 * What gateways tell us, and browsers that come back from them. Neither is believed: each only says which payment is worth
 * asking about (S-95).
 */
import type { PaymentType } from '#domain/payments.ts'
import { findAttemptByKey, type AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { toPayableRef } from '#server/db/payments/payables.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PaymentNotice } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createValidationProblem, createUnavailableProblem, requireRow } from '#server/problems/problem-error.ts'
import { findPaymentPage, type PaymentReturnOutcome } from '#server/use-cases/payments/payment-description.ts'
import { requireDriver, queryAttempt } from '#server/use-cases/payments/settle-attempt.ts'

interface GatewayCallback {
  rawBody: Buffer
  headers: Record<string, string | string[] | undefined>
  requestId: string
}

const findAttempt = (app: AppContext, key: string) => writeAsSystem(app, (db) => findAttemptByKey(db, key))

/**
 * Answers what the gateway must read to stop repeating it. Throws VALIDATION_ERROR for what no gateway of ours has signed,
 * NOT_FOUND where it is not set up, and UNAVAILABLE where it could not be asked: then it tells us again.
 */
export async function acceptCallback(
  app: AppContext,
  type: PaymentType,
  { rawBody, headers, requestId }: GatewayCallback,
): Promise<string> {
  const driver = requireRow(await app.payments.findDriver(type))
  const notice = await driver.readNotice(rawBody, headers).catch((error: unknown): never => {
    if (!(error instanceof NoticeProblem)) throw error
    logSecurityEvent(app.log, 'payment_notification_refused', {
      gateway: type,
      reason: error.reason,
      request: requestId,
    })
    throw createValidationProblem([{ field: '', code: 'INVALID_FORMAT' }])
  })
  if (notice) await followNotice(app, type, notice)
  return driver.acknowledgement
}

async function followNotice(app: AppContext, type: PaymentType, { key, gatewayId }: PaymentNotice): Promise<void> {
  const attempt = await findAttempt(app, key)
  // The gateway's account may serve another shop as well, or its test mode several.
  if (attempt?.gateway !== type)
    return app.log.warn(
      { event: 'payment_notification_unmatched', gateway: type },
      'a payment notification matches no payment attempt',
    )
  await queryAttempt(app, attempt, gatewayId).catch((error: unknown): never => {
    if (!(error instanceof PaymentProblem)) throw error
    app.log.warn(
      { event: 'payment_notification_failed', err: error, attempt: attempt.id },
      'could not process a payment notification',
    )
    throw createUnavailableProblem(10)
  })
}

/**
 * Where a browser goes that has come back: the app's page of what it paid, with a word for what came of it. By the key behind the `#`,
 * which no server is sent, the app finds the result for a browser in which nobody is signed in.
 */
export async function getReturnUrl(app: AppContext, key: string, query: URLSearchParams): Promise<string> {
  const { publicUrl } = app.config
  const attempt = await findAttempt(app, key)
  if (!attempt) return `${publicUrl}/saas/app/contract`
  const getPage = await writeAsSystem(app, (db) => findPaymentPage(db, toPayableRef(attempt)))
  return `${publicUrl}${getPage(await readReturnOutcome(app, attempt, query))}#return=${key}`
}

/** What came of a payment, for whoever has its key, and nothing else of it. Null: there is no such payment. */
export async function readReturn(app: AppContext, key: string): Promise<PaymentReturnOutcome | null> {
  const attempt = await findAttempt(app, key)
  if (!attempt) return null
  const { state } = attempt
  if (state === 'paid' || state === 'declined') return state
  return state === 'closed' ? 'cancelled' : 'checking'
}

async function readReturnOutcome(
  app: AppContext,
  attempt: AttemptRecord,
  query: URLSearchParams,
): Promise<PaymentReturnOutcome> {
  try {
    const driver = await requireDriver(app, attempt)
    const notice = await driver.readReturn(query)
    // Nothing is signed for somebody who turned back.
    if (!notice) return 'cancelled'
    const { state } = notice.key === attempt.key ? await queryAttempt(app, attempt, notice.gatewayId) : attempt
    if (state === 'paid' || state === 'declined') return state
  } catch (error) {
    app.log.warn(
      { event: 'payment_return_failed', err: error, attempt: attempt.id },
      'could not process a return from the payment page',
    )
  }
  return 'checking'
}
