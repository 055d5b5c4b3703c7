/**
 * Refunds that were claimed: the gateway is asked outside of any transaction, under a key that is written down before, and what it says
 * is written down in a second transaction. Where its answer was lost it is asked what became of that key before it is told again.
 */
import { readAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { companyOfUser } from '#server/db/accounts/companies.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { orderingUsers } from '#server/db/orders/reminders.ts'
import { refOf } from '#server/db/payments/payables.ts'
import { attemptById, type AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import {
  claimDueRefunds,
  taskById,
  taskForUpdate,
  type TaskRecord,
  updateTask,
} from '#server/db/payments/payment-tasks.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { PaymentDriver, RefundRequest, RefundResult } from '#server/drivers/payment/driver.ts'
import { PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { nameOf } from '#server/use-cases/payments/payment-description.ts'
import { entryOf } from '#server/use-cases/payments/payment-tasks.ts'

const system = { role: 'portal_system' } as const
/** Of one step. */
const most = 10

/** Those that are due. Returns how many were looked at. */
export async function settleRefunds(app: AppContext): Promise<number> {
  const ids = await inTransaction(app, system, (db) => claimDueRefunds(db, app.clock(), most))
  for (const id of ids)
    await settleRefund(app, id).catch((error: unknown) => {
      app.log.warn({ err: error, task: id }, 'a refund could not be settled and is tried again')
    })
  return ids.length
}

async function settleRefund(app: AppContext, id: number): Promise<void> {
  const claimed = await inTransaction(app, system, (db) => readClaim(db, id))
  if (!claimed) return
  const driver = await app.payments.driver(claimed.task.gateway as PaymentType)
  if (!driver) throw new Error('the gateway of a refund is not set up any more')
  const result = await refundOnce(driver, claimed.request, claimed.task.looks > 1)
  await inTransaction(app, system, (db) => writeResult(db, app, claimed, result))
  notifyJobs(app)
}

interface ClaimedRefund {
  task: TaskRecord
  attempt: AttemptRecord
  request: RefundRequest
}

/** Null: it was settled meanwhile. */
async function readClaim(db: Handle, id: number): Promise<ClaimedRefund | null> {
  const task = await taskById(db, id)
  if (task?.state !== 'refunding' || task.refund_key === null || task.attempt_id === null) return null
  const attempt = await attemptById(db, task.attempt_id)
  const request = {
    refundKey: task.refund_key,
    payment: { key: attempt.key, gatewayId: task.reference, begunAt: attempt.begun_at },
    amount: readAmount(task.amount),
    currency: task.currency,
    reason: `refund of ${nameOf(refOf(task))}`,
  }
  return { task, attempt, request }
}

type Settled = RefundResult | { status: 'refused'; reason: string }

/** `isRepeated`: it may have been told before. */
async function refundOnce(driver: PaymentDriver, request: RefundRequest, isRepeated: boolean): Promise<Settled> {
  const known = isRepeated ? await driver.queryRefund(request) : null
  if (known) return known
  try {
    return await driver.refund(request)
  } catch (error) {
    if (!(error instanceof PaymentProblem && error.final)) throw error
    // Somebody may have given it back in the gateway's own pages.
    return (await driver.queryRefund(request)) ?? { status: 'refused', reason: error.message }
  }
}

async function writeResult(
  db: Handle,
  app: AppContext,
  { task: { id, refund_key: refundKey }, attempt }: ClaimedRefund,
  result: Settled,
): Promise<void> {
  const now = app.clock()
  const task = await taskForUpdate(db, id)
  if (task?.state !== 'refunding' || task.refund_key !== refundKey || result.status === 'pending') return
  if (result.status !== 'done') {
    const problem = result.status === 'refused' ? result.reason : 'the gateway could not complete the refund'
    await updateTask(db, id, {
      state: 'open',
      problem,
      refund_key: null,
      next_look: null,
      user_id: null,
      update_time: now,
    })
    app.log.error({ task: id, reason: problem }, 'a refund was refused by the gateway')
    return await note(db, task, 'refused', now)
  }
  const settled = { state: 'refunded', refund_reference: result.reference, next_look: null } as const
  await updateTask(db, id, { ...settled, update_time: now, end_time: now })
  const { company_id: companyId } = task
  const payer = attempt.user_id
  const readers = new Set([...(payer === null ? [] : [payer]), ...(await orderingUsers(db, companyId))])
  for (const userId of readers) await askMail(db, { companyId, now }, { mail: 'payment-refunded', userId, taskId: id })
  await note(db, task, 'refunded', now)
}

/** In the name of whoever asked for it. */
async function note(db: Handle, task: TaskRecord, outcome: 'refunded' | 'refused', now: number): Promise<void> {
  const { user_id: userId, company_id: ownCompany } = task
  const company = userId === null ? null : await companyOfUser(db, userId)
  const head = { companyId: company?.id ?? ownCompany, userId, now, intent: null, requestId: `refund-${task.id}` }
  const { company: log, ...entry } = entryOf(task, { operation: 'refund', outcome })
  const isOwn = head.companyId === ownCompany
  const written = isOwn || !log ? entry : { ...entry, company: log }
  await addToTrail(db, { ...head, status: outcome === 'refunded' ? 0 : -1 }, [written])
}
