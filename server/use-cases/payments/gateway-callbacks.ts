/**
 * What gateways tell us, and browsers that come back from them. Neither is believed: each only says which payment is worth
 * asking about (S-95).
 */
import type { PaymentType } from '#domain/payments.ts'
import { attemptByKey, type AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { refOf } from '#server/db/payments/payables.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { Notice } from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { invalid, notFound, unavailable } from '#server/problems/problem-error.ts'
import { pageOf, type PaymentOutcome } from '#server/use-cases/payments/payment-description.ts'
import { driverOf, look } from '#server/use-cases/payments/settle-attempt.ts'

interface Callback {
  raw: Buffer
  headers: Record<string, string | string[] | undefined>
  requestId: string
}

const attemptOf = (app: AppContext, key: string) =>
  inTransaction(app, { role: 'portal_system' }, (db) => attemptByKey(db, key))

/**
 * Answers what the gateway must read to stop repeating it. Throws VALIDATION_ERROR for what no gateway of ours has signed,
 * NOT_FOUND where it is not set up, and UNAVAILABLE where it could not be asked: then it tells us again.
 */
export async function acceptCallback(
  app: AppContext,
  type: PaymentType,
  { raw, headers, requestId }: Callback,
): Promise<string> {
  const driver = await app.payments.driver(type)
  if (!driver) throw notFound()
  const notice = await driver.readNotice(raw, headers).catch((error: unknown): never => {
    if (!(error instanceof NoticeProblem)) throw error
    securityEvent(app.log, 'payment notice refused', { gateway: type, reason: error.reason, request: requestId })
    throw invalid([{ field: '', code: 'INVALID_FORMAT' }])
  })
  if (notice) await follow(app, type, notice)
  return driver.acknowledgement
}

async function follow(app: AppContext, type: PaymentType, { key, gatewayId }: Notice): Promise<void> {
  const attempt = await attemptOf(app, key)
  // The gateway's account may serve another shop as well, or its test mode several.
  if (attempt?.gateway !== type) return app.log.warn({ gateway: type }, 'a notice is about no payment of ours')
  await look(app, attempt, gatewayId).catch((error: unknown): never => {
    if (!(error instanceof PaymentProblem)) throw error
    app.log.warn({ err: error, attempt: attempt.id }, 'a notice could not be followed')
    throw unavailable(10)
  })
}

/**
 * Where a browser goes that has come back: the app's page of what it paid, with a word for what came of it. By the key behind the `#`,
 * which no server is sent, the app finds the result for a browser in which nobody is signed in.
 */
export async function comeBack(app: AppContext, key: string, query: URLSearchParams): Promise<string> {
  const { publicUrl } = app.config
  const attempt = await attemptOf(app, key)
  if (!attempt) return `${publicUrl}/saas/app/contract`
  const page = await inTransaction(app, { role: 'portal_system' }, (db) => pageOf(db, refOf(attempt)))
  return `${publicUrl}${page(await outcomeOf(app, attempt, query))}#return=${key}`
}

/** What came of a payment, for whoever has its key, and nothing else of it. Null: there is no such payment. */
export async function readReturn(app: AppContext, key: string): Promise<PaymentOutcome | null> {
  const attempt = await attemptOf(app, key)
  if (!attempt) return null
  const { state } = attempt
  if (state === 'paid' || state === 'declined') return state
  return state === 'closed' ? 'cancelled' : 'checking'
}

async function outcomeOf(app: AppContext, attempt: AttemptRecord, query: URLSearchParams): Promise<PaymentOutcome> {
  try {
    const driver = await driverOf(app, attempt)
    const notice = await driver.readReturn(query)
    // Nothing is signed for somebody who turned back.
    if (!notice) return 'cancelled'
    const { state } = notice.key === attempt.key ? await look(app, attempt, notice.gatewayId) : attempt
    if (state === 'paid' || state === 'declined') return state
  } catch (error) {
    app.log.warn({ err: error, attempt: attempt.id }, 'the return of a payer could not be followed')
  }
  return 'checking'
}
