/**
 * Handles notifications of gateways and returning browsers. Neither is trusted: they only name a payment that the portal then queries at
 * the gateway (S-95).
 */
import type { PaymentType } from '#domain/payments.ts'
import { findAttemptByKey, type AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PaymentNotice } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createValidationProblem, createUnavailableProblem, requireRow } from '#server/problems/problem-error.ts'
import { findPaymentPage, type PaymentReturnOutcome } from '#server/use-cases/payments/payment-description.ts'
import { inspectPayment } from '#server/use-cases/refunds/inspect-payment.ts'
import { requireDriver, queryAttempt } from '#server/use-cases/payments/settle-attempt.ts'

interface GatewayCallback {
  rawBody: Buffer
  headers: Record<string, string | string[] | undefined>
  requestId: string
}

const findAttempt = (app: AppContext, key: string) => writeAsSystem(app, (db) => findAttemptByKey(db, key))

/**
 * Returns the response that stops the gateway from repeating the notification. Throws VALIDATION_ERROR without a valid signature, NOT_FOUND
 * if the gateway is not set up, and UNAVAILABLE if the gateway could not be queried, so that it repeats the notification.
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

async function followNotice(app: AppContext, type: PaymentType, notice: PaymentNotice): Promise<void> {
  const key = notice.key ?? (await queryKey(app, type, notice))
  const attempt = key === null ? null : await findAttempt(app, key)
  // The gateway account may also serve another shop, or several portals in test mode.
  if (attempt?.gateway !== type)
    return app.log.warn(
      { event: 'payment_notification_unmatched', gateway: type },
      'a payment notification matches no payment attempt',
    )
  await followAttempt(app, attempt, notice).catch((error: unknown) => throwUnavailable(app, error, attempt.id))
}

/** Settles the payment for any kind of notice. Its refunds and disputes are read in addition. */
async function followAttempt(
  app: AppContext,
  attempt: AttemptRecord,
  { kind, gatewayId, refundNames, refundSum }: PaymentNotice,
): Promise<void> {
  if (kind === 'payment') return void (await queryAttempt(app, attempt, gatewayId))
  const paidAttempt = attempt.state === 'paid' ? attempt : await queryAttempt(app, attempt, gatewayId)
  if (paidAttempt.state === 'paid') await inspectPayment(app, paidAttempt, refundNames, refundSum)
}

/** Returns the key of the payment that a notice names only by the gateway's id. */
async function queryKey(app: AppContext, type: PaymentType, { gatewayId }: PaymentNotice): Promise<string | null> {
  const driver = requireRow(await app.payments.findDriver(type))
  const payment = await driver
    .query({ key: '', gatewayId, startedAt: app.clock() })
    .catch((error: unknown) => throwUnavailable(app, error, null))
  return payment?.key || null
}

/** Throws UNAVAILABLE, so that the gateway repeats the notice. */
function throwUnavailable(app: AppContext, error: unknown, attempt: number | null): never {
  if (!(error instanceof PaymentProblem)) throw error
  app.log.warn(
    { event: 'payment_notification_failed', err: error, attempt },
    'could not process a payment notification',
  )
  throw createUnavailableProblem(10)
}

/**
 * Returns the app's page of the paid item. The key of the payment is behind the `#`, which browsers never send to a server. With the key
 * the app shows the result in a browser without a session.
 */
export async function getReturnUrl(app: AppContext, key: string, query: URLSearchParams): Promise<string> {
  const { publicUrl } = app.config
  const attempt = await findAttempt(app, key)
  if (!attempt) return `${publicUrl}/saas/app/contract`
  const getPage = await writeAsSystem(app, (db) => findPaymentPage(db, attempt))
  return `${publicUrl}${getPage(await readReturnOutcome(app, attempt, query))}#return=${key}`
}

/** Returns the outcome, and nothing else, to anyone who has the key. Returns null if there is no such payment. */
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
    // The gateway signs nothing if the payer cancelled.
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
