/**
 * What a gateway says of an attempt, written down: the one way from an answer, a notice, a return or a look of the job to
 * what is paid. All of it in one transaction under its lock, so that it happens once (R-27, S-95).
 */
import { readAmount, writeAmount } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import type { Handle } from '#server/db/handle.ts'
import {
  attemptById,
  type AttemptRecord,
  lookAtOnce,
  unsettledAttempts,
  updateAttempt,
} from '#server/db/payments/payment-attempts.ts'
import { refOf } from '#server/db/payments/payables.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { companyOfUser } from '#server/db/accounts/companies.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { differenceOf, type Payment } from '#server/drivers/payment/driver.ts'
import type { AppContext } from '#server/context/context.ts'
import { unavailable } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { askForReceipts } from '#server/use-cases/payments/mail-receipts.ts'

/** As long as the request that asks for the money may still be on its way after we were killed, ms. */
const onItsWayMs = 60_000
/** As long as an address of Alipay may be opened, whose trade begins with that, ms. */
const openedWithinMs = 24 * 3_600_000

/** Until a closed attempt of that kind is looked at, ms. */
const openedLookMs = 60_000

const system = { role: 'portal_system' } as const

/** Throws UNAVAILABLE where the way of paying is not set up any more. */
export async function driverOf({ payments }: AppContext, { gateway }: Pick<AttemptRecord, 'gateway'>) {
  const driver = await payments.driver(gateway)
  if (!driver) throw unavailable(60)
  return driver
}

/** `gatewayId`: as a notice names it, where the answer that named it was lost. */
const askedOf = ({ key, gateway_id, begun_at }: AttemptRecord, gatewayId: string | null = null) => ({
  key,
  gatewayId: gateway_id ?? gatewayId,
  begunAt: begun_at,
})

/** Asks the gateway what became of it. Throws PaymentProblem. */
export async function look(app: AppContext, attempt: AttemptRecord, gatewayId?: string): Promise<AttemptRecord> {
  const driver = await driverOf(app, attempt)
  return await settle(app, attempt, await driver.query(askedOf(attempt, gatewayId)))
}

/** Ends it at the gateway, where it is not paid already. Throws PaymentProblem. */
export async function end(app: AppContext, attempt: AttemptRecord): Promise<AttemptRecord> {
  const driver = await driverOf(app, attempt)
  return await settle(app, attempt, await driver.close(askedOf(attempt)), { isEnding: true })
}

/** Is looked at, or ended where what it pays cannot be paid any more. Throws PaymentProblem. */
export async function tend(app: AppContext, attempt: AttemptRecord): Promise<AttemptRecord> {
  const now = app.clock()
  const payable = await inTransaction(app, system, (db) => findPayable({ db, app, now }, refOf(attempt)))
  const isPayable = payable && !payable.isDeleted && payable.why === null
  return await (isPayable && attempt.state !== 'closed' ? look(app, attempt) : end(app, attempt))
}

/** Null: the gateway knows of none. Answers the attempt as it is then. */
export async function settle(
  app: AppContext,
  given: Pick<AttemptRecord, 'id' | 'order_id' | 'backup_order_id' | 'traffic_id'>,
  payment: Payment | null,
  { isEnding = false } = {},
): Promise<AttemptRecord> {
  const now = app.clock()
  const { attempt, isTold } = await inTransaction(app, system, async (db) => {
    // Its row is what everybody waits for who changes an attempt.
    const payable = await findPayable({ db, app, now }, refOf(given))
    const before = await attemptById(db, given.id)
    if (payment?.status !== 'paid') {
      const after = await writeDown(db, before, payment, { isEnding, now })
      return { attempt: after, isTold: false }
    }
    return await takeMoney({ db, app, now }, before, { payment, due: payable?.due ?? null })
  })
  if (isTold) notifyJobs(app)
  return attempt
}

const isFinal = ({ state }: AttemptRecord) => state === 'paid' || state === 'declined' || state === 'closed'

async function writeDown(
  db: Handle,
  before: AttemptRecord,
  payment: Payment | null,
  { isEnding, now }: { isEnding: boolean; now: number },
): Promise<AttemptRecord> {
  const mayComeYet = payment === null && mayStillBeOpened(before, now)
  if (isFinal(before)) {
    const isUnderWay = mayComeYet || payment?.status === 'open' || payment?.status === 'processing'
    return before.next_look === null || isUnderWay ? before : await updateAttempt(db, before.id, { next_look: null })
  }
  const ended = { next_look: null, end_time: now }
  if (payment === null) {
    if (!isOver(before, isEnding, now)) return before
    const next_look = mayComeYet ? now + openedLookMs : null
    return await updateAttempt(db, before.id, { state: 'closed', ...ended, next_look })
  }
  const { status, gatewayId: gateway_id } = payment
  if (status === 'closed') return await updateAttempt(db, before.id, { state: 'closed', gateway_id, ...ended })
  if (status === 'failed') return await updateAttempt(db, before.id, { state: 'declined', gateway_id, ...ended })
  const state = status === 'processing' ? 'processing' : 'open'
  return await updateAttempt(db, before.id, { state, gateway_id: before.gateway_id ?? gateway_id })
}

/**
 * A signed address of Alipay cannot be closed before somebody opens it. Until nobody can any more it is looked at, and ended as soon
 * as it was opened.
 */
const mayStillBeOpened = ({ gateway, gateway_id, begun_at }: AttemptRecord, now: number): boolean =>
  (gateway === 'alipay' || gateway === 'globalAlipay') && gateway_id === null && now - begun_at <= openedWithinMs

/**
 * Whether it can be given up although the gateway knows of none. A card that was sent along may be charged by a request that
 * is still on its way; on a page nobody pays whom we have not sent there.
 */
function isOver({ gateway, gateway_id, token_hash, begun_at }: AttemptRecord, isEnding: boolean, now: number): boolean {
  // It has come to be since the gateway was asked.
  if (gateway_id !== null) return false
  if (gateway === 'simulate') return true
  if (token_hash !== null) return now - begun_at > onItsWayMs
  return isEnding || now - begun_at > (gateway === 'stripe' ? onItsWayMs : openedWithinMs)
}

interface PaymentContext {
  db: Handle
  app: AppContext
  now: number
}

/** Also of an attempt that was given up: money that was taken counts. */
async function takeMoney(
  { db, app, now }: PaymentContext,
  before: AttemptRecord,
  { payment, due }: { payment: Payment; due: Timestamp | null },
): Promise<{ attempt: AttemptRecord; isTold: boolean }> {
  if (before.state === 'paid') return { attempt: before, isTold: false }
  const currency = before.currency
  const difference = differenceOf(payment, { key: before.key, amount: readAmount(before.amount), currency })
  if (difference === 'key') throw new Error('a gateway answered about another payment than it was asked about')
  // Gateways do not say alike when they took it: at the earliest when it was begun, and that counts for the payer.
  const isLate = due !== null && momentOf({ app, now }).now > due
  const of = refOf(before)
  const taken = await applyPayment({ db, app, now }, of, {
    gateway: before.gateway,
    reference: payment.gatewayId,
    amount: writeAmount(payment.amount),
    currency: payment.currency,
    paidAt: isLate ? before.begun_at : now,
    attemptId: before.id,
  })
  if (!taken) throw new Error('an attempt names what is not there')
  const { id, company_id: companyId, user_id: userId, intent } = before
  const attempt = await updateAttempt(db, id, {
    state: 'paid',
    gateway_id: payment.gatewayId,
    next_look: null,
    end_time: now,
  })
  if ((await unsettledAttempts(db, of)).length > 0) await lookAtOnce(db, of, now)
  const isApplied = taken.outcome === 'applied' && !taken.repeated
  if (isApplied) await askForReceipts(db, { companyId, of, payer: userId, now })
  if (!isApplied)
    app.log.error({ paid: of, attempt: id, outcome: taken.outcome }, 'money was taken that no order waits for')
  if (taken.note) {
    const payer = userId === null ? null : await companyOfUser(db, userId)
    const isOwn = payer === null || payer.id === companyId
    const head = { companyId: isOwn ? companyId : payer.id, userId, now, status: 0 as const, intent }
    // Staff who pay for a customer act in that customer's log.
    const log = isOwn ? {} : { company: { id: companyId, actor: payer.code } }
    await addToTrail(db, { ...head, requestId: `payment-${id}` }, [{ ...taken.note, ...log }])
  }
  return { attempt, isTold: !taken.repeated }
}
