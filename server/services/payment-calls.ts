/**
 * What gateways tell us, and browsers that come back from them. Neither is believed: each only says which payment is worth
 * asking about (S-95).
 */
import type { PaymentType } from '#domain/payments.ts'
import { attemptByKey, type AttemptRecord } from '#server/db/payment-attempts.ts'
import { inScope } from '#server/db/scope.ts'
import type { Notice } from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/problems.ts'
import type { House } from '#server/house.ts'
import { securityEvent } from '#server/log.ts'
import { invalid, notFound, unavailable } from '#server/problem.ts'
import { driverOf, look } from '#server/services/settling.ts'

interface Heard {
  raw: Buffer
  headers: Record<string, string | string[] | undefined>
  requestId: string
}

const attemptOf = (house: House, key: string) =>
  inScope(house, { role: 'portal_system' }, (db) => attemptByKey(db, key))

/**
 * Answers what the gateway must read to stop repeating it. Throws VALIDATION_ERROR for what no gateway of ours has signed,
 * NOT_FOUND where it is not set up, and UNAVAILABLE where it could not be asked: then it tells us again.
 */
export async function hear(house: House, type: PaymentType, { raw, headers, requestId }: Heard): Promise<string> {
  const driver = await house.payments.driver(type)
  if (!driver) throw notFound()
  const notice = await driver.readNotice(raw, headers).catch((error: unknown): never => {
    if (!(error instanceof NoticeProblem)) throw error
    securityEvent(house.log, 'payment notice refused', { gateway: type, reason: error.reason, request: requestId })
    throw invalid([{ field: '', code: 'INVALID_FORMAT' }])
  })
  if (notice) await follow(house, type, notice)
  return driver.acknowledgement
}

async function follow(house: House, type: PaymentType, { key, gatewayId }: Notice): Promise<void> {
  const attempt = await attemptOf(house, key)
  // The gateway's account may serve another shop as well, or its test mode several.
  if (attempt?.gateway !== type) return house.log.warn({ gateway: type }, 'a notice is about no payment of ours')
  await look(house, attempt, gatewayId).catch((error: unknown): never => {
    if (!(error instanceof PaymentProblem)) throw error
    house.log.warn({ err: error, attempt: attempt.id }, 'a notice could not be followed')
    throw unavailable(10)
  })
}

/** Where a browser goes that has come back: the app's page of the order, with a word for what came of it. */
export async function comeBack(house: House, key: string, query: URLSearchParams): Promise<string> {
  const { publicUrl } = house.config
  const attempt = await attemptOf(house, key)
  if (!attempt) return `${publicUrl}/saas/app/contract`
  return `${publicUrl}/saas/app/contract/${attempt.order_id}?payment=${await outcomeOf(house, attempt, query)}`
}

async function outcomeOf(house: House, attempt: AttemptRecord, query: URLSearchParams) {
  try {
    const driver = await driverOf(house, attempt)
    const notice = await driver.readReturn(query)
    // Nothing is signed for somebody who turned back.
    if (!notice) return 'cancelled'
    const { state } = notice.key === attempt.key ? await look(house, attempt, notice.gatewayId) : attempt
    if (state === 'paid' || state === 'declined') return state
  } catch (error) {
    house.log.warn({ err: error, attempt: attempt.id }, 'the return of a payer could not be followed')
  }
  return 'checking'
}
