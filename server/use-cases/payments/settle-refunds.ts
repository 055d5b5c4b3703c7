/**
 * Executes claimed refunds outside of a transaction, with a key that was stored before. If the response was lost, the outcome of that key
 * is queried before the refund is sent again.
 */
import { readAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { findCompanyOfUser } from '#server/db/accounts/companies.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import { toPayableRef } from '#server/db/payments/payables.ts'
import { getAttempt, type AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import {
  claimDueRefunds,
  findPaymentTask,
  lockPaymentTask,
  type PaymentTaskRecord,
  updatePaymentTask,
} from '#server/db/payments/payment-tasks.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PaymentDriver, RefundRequest, RefundResult } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { formatPayableName } from '#server/use-cases/payments/payment-description.ts'
import { buildTaskEntry } from '#server/use-cases/payments/payment-tasks.ts'

const maxRefunds = 10

export async function settleRefunds(app: AppContext): Promise<number> {
  const ids = await writeAsSystem(app, (db) => claimDueRefunds(db, app.clock(), maxRefunds))
  for (const id of ids)
    await settleRefund(app, id).catch((error: unknown) => {
      app.log.warn({ event: 'refund_settlement_failed', err: error, task: id }, 'could not settle a refund; retrying')
    })
  return ids.length
}

async function settleRefund(app: AppContext, id: number): Promise<void> {
  const claimedRefund = await writeAsSystem(app, (db) => readClaim(db, id))
  if (!claimedRefund) return
  const driver = await app.payments.findDriver(claimedRefund.task.gateway as PaymentType)
  if (!driver) throw new Error('the gateway of a refund is not set up any more')
  const result = await refundOnce(driver, claimedRefund.request, claimedRefund.task.looks > 1)
  await writeAsSystem(app, (db) => writeResult(db, app, claimedRefund, result))
  notifyJobs(app)
}

interface ClaimedRefund {
  task: PaymentTaskRecord
  attempt: AttemptRecord
  request: RefundRequest
}

/** Returns null if the refund was settled in the meantime. */
async function readClaim(db: DatabaseHandle, id: number): Promise<ClaimedRefund | null> {
  const task = await findPaymentTask(db, id)
  if (task?.state !== 'refunding' || task.refund_key === null || task.attempt_id === null) return null
  const attempt = await getAttempt(db, task.attempt_id)
  const request = {
    refundKey: task.refund_key,
    payment: { key: attempt.key, gatewayId: task.reference, startedAt: attempt.started_at },
    amount: readAmount(task.amount),
    currency: task.currency,
    reason: `refund of ${formatPayableName(toPayableRef(task))}`,
  }
  return { task, attempt, request }
}

type RefundOutcome = RefundResult | { status: 'refused'; reason: string }

/** `isRepeated` means that the refund may have been sent before. */
async function refundOnce(driver: PaymentDriver, request: RefundRequest, isRepeated: boolean): Promise<RefundOutcome> {
  const earlierResult = isRepeated ? await driver.queryRefund(request) : null
  if (earlierResult) return earlierResult
  try {
    return await driver.refund(request)
  } catch (error) {
    if (!(error instanceof PaymentProblem && error.isFinal)) throw error
    // Somebody may have refunded the payment on the gateway's own pages.
    return (await driver.queryRefund(request)) ?? { status: 'refused', reason: error.message }
  }
}

async function writeResult(
  db: DatabaseHandle,
  app: AppContext,
  { task: { id, refund_key: refundKey }, attempt }: ClaimedRefund,
  result: RefundOutcome,
): Promise<void> {
  const now = app.clock()
  const task = await lockPaymentTask(db, id)
  if (task?.state !== 'refunding' || task.refund_key !== refundKey || result.status === 'pending') return
  if (result.status !== 'done') {
    const problem = result.status === 'refused' ? result.reason : 'the gateway could not complete the refund'
    await updatePaymentTask(db, id, {
      state: 'open',
      problem,
      refund_key: null,
      next_look: null,
      user_id: null,
      update_time: now,
    })
    app.log.error({ event: 'refund_rejected', task: id, reason: problem }, 'the gateway rejected a refund')
    return await recordRefundOutcome(db, task, 'refused', now)
  }
  const refundedFields = { state: 'refunded', refund_reference: result.reference, next_look: null } as const
  await updatePaymentTask(db, id, { ...refundedFields, update_time: now, end_time: now })
  const { company_id: companyId } = task
  const payer = attempt.user_id
  const userIds = new Set([...(payer === null ? [] : [payer]), ...(await listOrderingUsers(db, companyId))])
  for (const userId of userIds)
    await requestMail(db, { companyId, now }, { mail: 'payment-refunded', userId, taskId: id })
  await recordRefundOutcome(db, task, 'refunded', now)
}

async function recordRefundOutcome(
  db: DatabaseHandle,
  task: PaymentTaskRecord,
  outcome: 'refunded' | 'refused',
  now: number,
): Promise<void> {
  const { user_id: userId, company_id: ownCompany } = task
  const company = userId === null ? null : await findCompanyOfUser(db, userId)
  const entryHeader = {
    companyId: company?.id ?? ownCompany,
    userId,
    now,
    intent: null,
    requestId: `refund-${task.id}`,
  }
  const { company: logCompany, ...entry } = buildTaskEntry(task, { operation: 'refund', outcome })
  const isOwn = entryHeader.companyId === ownCompany
  const ownEntry = isOwn || !logCompany ? entry : { ...entry, company: logCompany }
  await addAuditEntries(db, { ...entryHeader, status: outcome === 'refunded' ? 0 : -1 }, [ownEntry])
}
