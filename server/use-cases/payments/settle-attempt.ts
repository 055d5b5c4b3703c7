/**
 * Stores what a gateway reports about an attempt, and puts a payment into effect. Responses, notifications and jobs all use this code. It
 * locks the payable, so that a payment takes effect only once (R-27, S-95).
 */
import { readAmount, writeAmount } from '#domain/money.ts'
import type { Timestamp } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  getAttempt,
  type AttemptRecord,
  scheduleImmediateCheck,
  listUnsettledAttempts,
  releaseHeldCredit,
  updateAttempt,
} from '#server/db/payments/payment-attempts.ts'
import { type PayableColumns, toPayableRef } from '#server/db/payments/payables.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { findCompanyOfUser } from '#server/db/accounts/companies.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { findPaymentDifference, type GatewayPayment } from '#server/drivers/payment/payment-driver.ts'
import type { AppContext } from '#server/context/context.ts'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { requestReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import type { LockedPayable } from '#server/use-cases/payments/payable.ts'

/** Time in ms that a charge request may still be in transit after this process was killed. */
const maxTransitMs = 60_000
/** Time in ms in which an Alipay address can be opened. The payment at Alipay begins when the address is opened. */
const maxOpenMs = 24 * 3_600_000

/** Delay in ms before a closed attempt is checked again, if its Alipay address can still be opened. */
const openedQueryMs = 60_000
/**
 * Age in ms from which no gateway takes money for an attempt any more. An address of Alipay opens for 24 hours and its page for 2 more, a page
 * of Stripe for 24 hours, and a bank may process a card for some days.
 */
const maxTakingMs = 7 * 24 * 3_600_000

const findDriver = async ({ payments }: AppContext, { gateway }: Pick<AttemptRecord, 'gateway'>) =>
  gateway === 'credit' ? null : await payments.findDriver(gateway)

export async function requireDriver(app: AppContext, attempt: Pick<AttemptRecord, 'gateway'>) {
  const driver = await findDriver(app, attempt)
  if (!driver) throw createUnavailableProblem(60)
  return driver
}

/** Returns the input of a query. `gatewayId` comes from a notification and is used if the response with the id was lost. */
const toGatewayQuery = (
  { key, gateway_id, started_at: startedAt }: AttemptRecord,
  gatewayId: string | null = null,
) => ({
  key,
  gatewayId: gateway_id ?? gatewayId,
  startedAt,
})

export async function queryAttempt(
  app: AppContext,
  attempt: AttemptRecord,
  gatewayId?: string,
): Promise<AttemptRecord> {
  const driver = await requireDriver(app, attempt)
  return await settleAttempt(app, attempt, await driver.query(toGatewayQuery(attempt, gatewayId)))
}

/** Cancels the attempt at the gateway unless it is already paid. Throws PaymentProblem. */
export async function endAttempt(app: AppContext, attempt: AttemptRecord): Promise<AttemptRecord> {
  const driver = await requireDriver(app, attempt)
  return await settleAttempt(app, attempt, await driver.close(toGatewayQuery(attempt)), { isEnding: true })
}

/**
 * Queries the attempt. Cancels it instead if it was closed before or its payable can no longer be paid. Throws PaymentProblem, and UNAVAILABLE
 * if the gateway is not set up any more; the credit that the attempt holds is then free if no money can need it (decision 124).
 */
export async function refreshAttempt(app: AppContext, attempt: AttemptRecord): Promise<AttemptRecord> {
  const now = app.clock()
  const hasDriver = (await findDriver(app, attempt)) !== null
  const isPayable = await writeAsSystem(app, async (db) => {
    const payable = await findPayable({ db, app, now }, toPayableRef(attempt))
    if (!hasDriver && (hasNoUse(payable) || now - attempt.started_at > maxTakingMs))
      await releaseHeldCredit(db, attempt.id)
    return payable !== null && !payable.isDeleted && payable.refusal === null
  })
  return await (isPayable && attempt.state !== 'closed' ? queryAttempt(app, attempt) : endAttempt(app, attempt))
}

/** Whether money for the payable can only become a task. An order that was not paid in time is not meant: its money may have been taken before. */
const hasNoUse = (payable: LockedPayable | null): boolean =>
  payable === null || payable.items.some(({ isPaid, isReplaced, hasEnded }) => isPaid || isReplaced || hasEnded)

/** Stores the gateway's report. `payment` is null if the gateway has no such payment. Returns the updated attempt. */
export async function settleAttempt(
  app: AppContext,
  attemptRef: Pick<AttemptRecord, 'id' | keyof PayableColumns>,
  payment: GatewayPayment | null,
  { isEnding = false } = {},
): Promise<AttemptRecord> {
  const now = app.clock()
  const { attempt, isNew } = await writeAsSystem(app, async (db) => {
    // Every change of an attempt locks its payable first.
    const payable = await findPayable({ db, app, now }, toPayableRef(attemptRef))
    const attemptBefore = await getAttempt(db, attemptRef.id)
    if (payment?.status !== 'paid') {
      const fields = getGatewayFields(attemptBefore, payment, { isEnding, now })
      return { attempt: fields ? await updateAttempt(db, attemptBefore.id, fields) : attemptBefore, isNew: false }
    }
    return await recordPaid({ db, app, now }, attemptBefore, { payment, due: payable?.due ?? null })
  })
  if (isNew) notifyJobs(app)
  return attempt
}

const finalStates: readonly AttemptRecord['state'][] = ['paid', 'declined', 'closed']
/** State of an attempt for each status that the gateway reports. Any other status leaves the attempt open. */
const statesByStatus: Partial<Record<GatewayPayment['status'], AttemptRecord['state']>> = {
  processing: 'processing',
  failed: 'declined',
  closed: 'closed',
}

/** Returns the fields to update if the gateway reports no paid payment, or null if the row stays as it is. */
function getGatewayFields(
  attempt: AttemptRecord,
  payment: GatewayPayment | null,
  { isEnding, now }: { isEnding: boolean; now: number },
): Parameters<typeof updateAttempt>[2] | null {
  const canStillArrive = payment === null && canStillBeOpened(attempt, now)
  if (finalStates.includes(attempt.state)) {
    const isInProgress = canStillArrive || payment?.status === 'open' || payment?.status === 'processing'
    return attempt.next_look === null || isInProgress ? null : { next_look: null }
  }
  if (payment === null) {
    const next_look = canStillArrive ? now + openedQueryMs : null
    return canGiveUp(attempt, isEnding, now) ? { state: 'closed', next_look, end_time: now } : null
  }
  const { status, gatewayId: gateway_id } = payment
  const state = statesByStatus[status] ?? 'open'
  return finalStates.includes(state)
    ? { state, gateway_id, next_look: null, end_time: now }
    : { state, gateway_id: attempt.gateway_id ?? gateway_id }
}

/**
 * Whether the payer can still open the address of an Alipay attempt. Such an attempt cannot be cancelled at the gateway, so it is checked
 * again.
 */
const canStillBeOpened = ({ gateway, gateway_id, started_at: startedAt }: AttemptRecord, now: number): boolean =>
  (gateway === 'alipay' || gateway === 'globalAlipay') && gateway_id === null && now - startedAt <= maxOpenMs

/**
 * Whether the attempt can be closed although the gateway does not know it. If a card was sent, a request in transit may still charge it.
 * Without a card, only a payer whom the portal has sent to the gateway's page can pay.
 */
function canGiveUp(
  { gateway, gateway_id, token_hash, started_at: startedAt }: AttemptRecord,
  isEnding: boolean,
  now: number,
): boolean {
  // With a gateway id, the payment exists: it was created after the gateway was queried.
  if (gateway_id !== null) return false
  if (gateway === 'simulate') return true
  if (token_hash !== null) return now - startedAt > maxTransitMs
  return isEnding || now - startedAt > (gateway === 'stripe' ? maxTransitMs : maxOpenMs)
}

interface SettleContext {
  db: DatabaseHandle
  app: AppContext
  now: number
}

/** Applies the payment, also for an attempt that was closed, because the money was taken. */
async function recordPaid(
  { db, app, now }: SettleContext,
  attemptBefore: AttemptRecord,
  { payment, due }: { payment: GatewayPayment; due: Timestamp | null },
): Promise<{ attempt: AttemptRecord; isNew: boolean }> {
  if (attemptBefore.state === 'paid') return { attempt: attemptBefore, isNew: false }
  const currency = attemptBefore.currency
  const difference = findPaymentDifference(payment, {
    key: attemptBefore.key,
    amount: readAmount(attemptBefore.amount),
    currency,
  })
  if (difference === 'key') throw new Error('the gateway returned another payment than the requested one')
  // Gateways report the time of a payment differently. A report after the due time is treated as paid at the attempt's start.
  const isLate = due !== null && getBusinessMoment({ app, now }).now > due
  const payableRef = toPayableRef(attemptBefore)
  const appliedPayment = await applyPayment({ db, app, now }, payableRef, {
    gateway: attemptBefore.gateway,
    reference: payment.gatewayId,
    amount: writeAmount(payment.amount),
    currency: payment.currency,
    paidAt: isLate ? attemptBefore.started_at : now,
    attemptId: attemptBefore.id,
    credit: attemptBefore.credit,
    poNumber: attemptBefore.po_number,
  })
  if (!appliedPayment) throw new Error('the order, backup or traffic of the payment attempt does not exist')
  const { id, user_id: userId } = attemptBefore
  const attempt = await updateAttempt(db, id, {
    state: 'paid',
    gateway_id: payment.gatewayId,
    next_look: null,
    end_time: now,
  })
  if ((await listUnsettledAttempts(db, payableRef)).length > 0) await scheduleImmediateCheck(db, payableRef, now)
  const isApplied = appliedPayment.outcome === 'applied' && !appliedPayment.isRepeated
  if (isApplied) await requestReceipts(db, { payable: appliedPayment.payable, payer: userId, now })
  if (!isApplied)
    app.log.error(
      { event: 'payment_unexpected', paid: payableRef, attempt: id, outcome: appliedPayment.outcome },
      'payment received for an order that is no longer payable',
    )
  await addPaymentEntries({ db, now }, attemptBefore, appliedPayment.auditEntries)
  return { attempt, isNew: !appliedPayment.isRepeated }
}

/** Adds the entries of a payment that took effect, under the name of its payer. */
export async function addPaymentEntries(
  { db, now }: Pick<SettleContext, 'db' | 'now'>,
  { id, company_id: companyId, user_id: userId, intent }: AttemptRecord,
  auditEntries: readonly AuditEntry[],
): Promise<void> {
  if (auditEntries.length === 0) return
  const payer = userId === null ? null : await findCompanyOfUser(db, userId)
  const isOwn = payer === null || payer.id === companyId
  const entryHeader = { companyId: isOwn ? companyId : payer.id, userId, now, status: 0 as const, intent }
  // If the staff pay for a customer, the entry is in that customer's log.
  const log = isOwn ? {} : { company: { id: companyId, actor: payer.code } }
  const entries = auditEntries.map((entry) => ({ ...entry, ...log }))
  await addAuditEntries(db, { ...entryHeader, requestId: `payment-${id}` }, entries)
}
