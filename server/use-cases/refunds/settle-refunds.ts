/**
 * Executes claimed refunds outside of a transaction, with a key that was stored before: those of payment tasks and those of invoices. If the
 * response was lost, the outcome of that key is queried before the refund is sent again.
 */
import { readAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import { type PayableRef, toPayableRef } from '#server/db/payments/payables.ts'
import { type AttemptRecord, getAttempt } from '#server/db/payments/payment-attempts.ts'
import { findPaymentTask, lockPaymentTask, updatePaymentTask } from '#server/db/payments/payment-tasks.ts'
import {
  claimDueRefunds,
  findAttemptOfPayment,
  findRefund,
  getRefund,
  listRefundsOfPayment,
  lockInvoicesOfPayment,
  type RefundRecord,
  updateDocument,
  updateRefund,
} from '#server/db/payments/refunds.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PaymentDriver, RefundRequest, RefundResult } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import {
  buildRefundEntry,
  recordRefundOutcome,
  sumRefunds,
  writeCreditNote,
} from '#server/use-cases/refunds/complete-refund.ts'
import { inspectPayment } from '#server/use-cases/refunds/inspect-payment.ts'
import { formatPayableName } from '#server/use-cases/payments/payment-description.ts'
import { buildTaskEntry } from '#server/use-cases/payments/payment-tasks.ts'

const maxRefunds = 10

export async function settleRefunds(app: AppContext): Promise<number> {
  const now = app.clock()
  const claims = await writeAsSystem(app, async (db) => [
    ...(await claimDueRefunds(db, 'payment_task', now, maxRefunds)).map((id) => ({
      readClaim: readTaskClaim,
      writeProblem: writeTaskProblem,
      id,
    })),
    ...(await claimDueRefunds(db, 'refund', now, maxRefunds)).map((id) => ({
      readClaim: readInvoiceClaim,
      writeProblem: writeInvoiceProblem,
      id,
    })),
  ])
  for (const { readClaim, writeProblem, id } of claims)
    await settleRefund(app, id, readClaim).catch(async (error: unknown) => {
      app.log.warn({ event: 'refund_settlement_failed', err: error, refund: id }, 'could not settle a refund; retrying')
      // The staff see why a refund is not sent, for example a wrong key of the gateway.
      const problem = error instanceof PaymentProblem ? error.message : 'the portal could not send the refund'
      await writeAsSystem(app, (db) => writeProblem(db, id, problem.slice(0, 500)))
    })
  return claims.length
}

async function writeTaskProblem(db: DatabaseHandle, id: number, problem: string): Promise<void> {
  const task = await lockPaymentTask(db, id)
  if (task?.state === 'refunding') await updatePaymentTask(db, id, { problem, update_time: task.update_time })
}

async function writeInvoiceProblem(db: DatabaseHandle, id: number, problem: string): Promise<void> {
  await lockInvoicesOfPayment(db, (await getRefund(db, id)).payment_id)
  const { state, update_time } = await getRefund(db, id)
  if (state === 'requested' || state === 'pending') await updateRefund(db, id, { problem, update_time })
}

/** A refund of a task or of an invoice. */
interface ClaimedRefund {
  request: RefundRequest
  attempt: AttemptRecord
  /** Number of times that it was claimed. Above 1 it may have been sent before. */
  looks: number
  /** Set for a task: the amount of its payment, which also counts as refunded if it was sent back on the gateway's own pages. */
  paymentAmount: bigint | null
  /** The staff do not want it any more. It is not sent again. */
  isWithdrawn: boolean
  /** Refused before. What happened at the gateway is read once more. */
  isRefused: boolean
  writeResult(db: DatabaseHandle, app: AppContext, result: RefundOutcome): Promise<void>
}

type RefundOutcome = RefundResult | { status: 'refused'; reason: string }
type ReadClaim = (db: DatabaseHandle, id: number, now: number) => Promise<ClaimedRefund | null>

async function settleRefund(app: AppContext, id: number, readClaim: ReadClaim): Promise<void> {
  const claimedRefund = await writeAsSystem(app, (db) => readClaim(db, id, app.clock()))
  if (!claimedRefund) return
  const { attempt, isRefused } = claimedRefund
  const driver = await app.payments.findDriver(attempt.gateway as PaymentType)
  if (!driver) throw new Error('the gateway of a refund is not set up any more')
  if (isRefused) {
    await inspectPayment(app, attempt)
    return await writeAsSystem(app, (db) => updateRefund(db, id, { next_look: null, update_time: app.clock() }))
  }
  const result = await refundOnce(driver, claimedRefund)
  await writeAsSystem(app, (db) => claimedRefund.writeResult(db, app, result))
  notifyJobs(app)
}

async function refundOnce(driver: PaymentDriver, claimedRefund: ClaimedRefund): Promise<RefundOutcome> {
  const { request, looks } = claimedRefund
  if (claimedRefund.isWithdrawn)
    return (await driver.queryRefund(request)) ?? { status: 'refused', reason: 'the staff withdrew the refund' }
  const earlierResult = looks > 1 ? await driver.queryRefund(request) : null
  if (earlierResult) return earlierResult
  try {
    return await driver.refund(request)
  } catch (error) {
    if (!(error instanceof PaymentProblem && error.isFinal)) throw error
    return (await findOutcome(driver, claimedRefund)) ?? { status: 'refused', reason: error.message }
  }
}

/** Returns the result of a refund that the gateway refuses, because it exists, or because all money was sent back there. */
async function findOutcome(
  driver: PaymentDriver,
  { request, paymentAmount }: ClaimedRefund,
): Promise<RefundResult | null> {
  const ownResult = await driver.queryRefund(request)
  if (ownResult || paymentAmount === null) return ownResult
  const { refunds, total } = await driver.readRefunds(request.payment, [])
  const doneRefunds = refunds.filter(({ status }) => status === 'done')
  const sum = total ?? doneRefunds.reduce((all, { amount }) => all + amount, 0n)
  if (sum < paymentAmount) return null
  return { status: 'done', reference: doneRefunds[0]?.reference ?? request.refundKey }
}

const toRequest = (
  { key, started_at: startedAt, currency }: AttemptRecord,
  gatewayId: string,
  refund: { refundKey: string; amount: bigint; payable: PayableRef },
): RefundRequest => ({
  refundKey: refund.refundKey,
  payment: { key, gatewayId, startedAt },
  amount: refund.amount,
  currency,
  reason: `refund of ${formatPayableName(refund.payable)}`,
})

/** Returns null if the refund was settled in the meantime. */
async function readTaskClaim(db: DatabaseHandle, id: number): Promise<ClaimedRefund | null> {
  const task = await findPaymentTask(db, id)
  if (task?.state !== 'refunding' || task.refund_key === null || task.attempt_id === null) return null
  const { refund_key: refundKey, looks } = task
  const attempt = await getAttempt(db, task.attempt_id)
  const doneRefunds = (await listRefundsOfPayment(db, task.payment_id)).filter(({ state }) => state === 'done')
  return {
    request: toRequest(attempt, task.reference, {
      refundKey,
      amount: readAmount(task.amount) - sumRefunds(doneRefunds),
      payable: toPayableRef(task),
    }),
    attempt,
    looks,
    paymentAmount: readAmount(task.amount),
    isWithdrawn: false,
    isRefused: false,
    writeResult: (db2, app, result) => writeTaskResult(db2, app, { id, refundKey, payer: attempt.user_id }, result),
  }
}

const describeProblem = (result: Exclude<RefundOutcome, { status: 'done' | 'pending' }>) =>
  result.status === 'refused' ? result.reason : 'the gateway could not complete the refund'

interface TaskClaim {
  id: number
  refundKey: string
  payer: number | null
}

async function writeTaskResult(
  db: DatabaseHandle,
  app: AppContext,
  { id, refundKey, payer }: TaskClaim,
  result: RefundOutcome,
): Promise<void> {
  const now = app.clock()
  const task = await lockPaymentTask(db, id)
  if (task?.state !== 'refunding' || task.refund_key !== refundKey || result.status === 'pending') return
  if (result.status !== 'done') {
    const problem = describeProblem(result as Exclude<RefundOutcome, { status: 'done' | 'pending' }>)
    const openFields = { state: 'open', problem, refund_key: null, next_look: null, user_id: null } as const
    await updatePaymentTask(db, id, { ...openFields, update_time: now })
    app.log.error({ event: 'refund_rejected', task: id, reason: problem }, 'the gateway rejected a refund')
    const entry = buildTaskEntry(task, { operation: 'refund', outcome: 'refused' })
    return await recordRefundOutcome({ db, now }, task, entry, false)
  }
  const refundedFields = {
    state: 'refunded',
    refund_reference: result.reference,
    problem: null,
    next_look: null,
  } as const
  await updatePaymentTask(db, id, { ...refundedFields, update_time: now, end_time: now })
  const { company_id: companyId } = task
  const userIds = new Set([...(payer === null ? [] : [payer]), ...(await listOrderingUsers(db, companyId))])
  for (const userId of userIds)
    await requestMail(db, { companyId, now }, { mail: 'payment-refunded', userId, taskId: id })
  await recordRefundOutcome({ db, now }, task, buildTaskEntry(task, { operation: 'refund', outcome: 'refunded' }), true)
}

/** Time in ms after which a request that was sent before the withdrawal has arrived at the gateway. */
const transitMs = 60_000

/** Returns null if the refund was settled in the meantime, or if a request may be on its way since it was withdrawn. */
async function readInvoiceClaim(db: DatabaseHandle, id: number, now: number): Promise<ClaimedRefund | null> {
  const refund = await findRefund(db, id)
  if (!refund || refund.state === 'done' || refund.refund_key === null || refund.next_look === null) return null
  const isWithdrawn = refund.state === 'requested' && refund.seen_time !== null
  if (isWithdrawn && now - (refund.seen_time ?? now) < transitMs) return null
  const attempt = await findAttemptOfPayment(db, refund)
  if (!attempt) throw new Error('the payment of a refund has no attempt')
  return {
    request: toRequest(attempt, refund.payment_reference, {
      refundKey: refund.refund_key,
      amount: readAmount(refund.amount),
      payable: toPayableRef(attempt),
    }),
    attempt,
    looks: refund.looks,
    paymentAmount: null,
    isWithdrawn,
    isRefused: refund.state === 'failed',
    writeResult: (db2, app, result) => writeInvoiceResult(db2, app, id, result),
  }
}

/** The amount of a failed refund is no longer in progress. */
async function releaseAmount(db: DatabaseHandle, { company_id, document_id, amount }: RefundRecord): Promise<void> {
  if (document_id === null) throw new Error('the invoice of a refund is not registered')
  const change = await takeChangeNumber(db, company_id)
  await updateDocument(db, { documentId: document_id, refunding: `-${amount}`, change })
}

async function writeInvoiceResult(
  db: DatabaseHandle,
  app: AppContext,
  id: number,
  result: RefundOutcome,
): Promise<void> {
  const now = app.clock()
  await lockInvoicesOfPayment(db, (await getRefund(db, id)).payment_id)
  const refund = await getRefund(db, id)
  if (refund.state !== 'requested' && refund.state !== 'pending') return
  if (result.status === 'pending')
    return await updateRefund(db, id, {
      state: 'pending',
      reference: result.reference,
      problem: null,
      update_time: now,
    })
  if (result.status !== 'done') {
    const problem = describeProblem(result as Exclude<RefundOutcome, { status: 'done' | 'pending' }>)
    // It stays due: a refund at the gateway may be the reason, and could not be recorded while this one held the amount.
    await updateRefund(db, id, { state: 'failed', problem, next_look: now, update_time: now, end_time: now })
    await releaseAmount(db, refund)
    app.log.error({ event: 'refund_rejected', refund: id, reason: problem }, 'the gateway rejected a refund')
    const { company_id: companyId, user_id: userId } = refund
    if (userId !== null) await requestMail(db, { companyId, now }, { mail: 'refund-failed', userId, refundId: id })
    return await recordRefundOutcome({ db, now }, refund, buildRefundEntry(refund, 'refused'), false)
  }
  const doneFields = { state: 'done', reference: result.reference, problem: null, next_look: null } as const
  await updateRefund(db, id, { ...doneFields, update_time: now, end_time: now })
  await writeCreditNote({ db, app, now }, id)
  const doneRefund = await getRefund(db, id)
  await recordRefundOutcome({ db, now }, doneRefund, buildRefundEntry(doneRefund, 'refunded'), true)
}
