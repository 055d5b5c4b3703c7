/**
 * Manages tasks about payments that match no order: refund the money, or apply the payment if that is still possible. Every payment
 * received is applied, is refunded, or is such a task (decision 62).
 */
import { randomUUID } from 'node:crypto'
import { PROVIDER } from '#domain/access.ts'
import { readAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { toTimestamp } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { applyPaymentTask, listPaymentTasks, refundPaymentTask } from '#contract/payments.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { toPayableRef } from '#server/db/payments/payables.ts'
import { getAttempt, scheduleImmediateCheck } from '#server/db/payments/payment-attempts.ts'
import {
  listSettledTasks,
  findPaymentTask,
  lockPaymentTask,
  type PaymentTaskRecord,
  listUnfinishedTasks,
  updatePaymentTask,
} from '#server/db/payments/payment-tasks.ts'
import { hasOpenDispute, listDisputesOfPayment } from '#server/db/payments/disputes.ts'
import { listRefundsOfPayment } from '#server/db/payments/refunds.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { toPaymentKey } from '#server/drivers/payment/payment-driver.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { claimCredit, useCredit } from '#server/use-cases/payments/apply-payment.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { requestReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import { type ApplyRefusal, applyToItems, type LockedPayable } from '#server/use-cases/payments/payable.ts'
import { requestReconciliation } from '#server/use-cases/payments/request-reconciliation.ts'

type TaskRow = OutputOf<typeof refundPaymentTask>

const maxSettled = 20

function toTaskRow({ config }: AppContext, task: PaymentTaskRecord): TaskRow {
  const { kind, id: payableId } = toPayableRef(task)
  const formatTime = (time: number) => toTimestamp(config.timeZone, time)
  return {
    ...task,
    kind,
    payable_id: payableId,
    service_code: task.code,
    reason: getTaskReason(task),
    received: formatTime(task.create_time),
    settled: task.end_time === null ? null : formatTime(task.end_time),
  }
}

const reasons = {
  replaced: 'replaced',
  'paid already': 'paidAlready',
  'another amount': 'anotherAmount',
  'another currency': 'anotherCurrency',
  'too late': 'tooLate',
} as const

function getTaskReason({ outcome, is_deleted: isDeleted }: PaymentTaskRecord): TaskRow['reason'] {
  if (outcome === 'applied') throw new Error('an applied payment is not a task')
  return outcome === 'replaced' && isDeleted ? 'deleted' : reasons[outcome]
}

export const listTasks: UseCase<typeof listPaymentTasks> = ({ db, app }) =>
  runAsSystem(db, async () => {
    const tasks = [...(await listUnfinishedTasks(db)), ...(await listSettledTasks(db, maxSettled))]
    return { body: tasks.map((task) => toTaskRow(app, task)) }
  })

const createConflictError = (reason: string) => new ProblemError('STATE_CONFLICT', { why: reason })

async function requireOpenTask({ db }: UseCaseContext, id: number): Promise<PaymentTaskRecord> {
  const task = requireRow(await lockPaymentTask(db, id))
  if (task.state !== 'open') throw createConflictError(task.state)
  return task
}

async function readTaskRow({ db, app }: UseCaseContext, id: number): Promise<TaskRow> {
  const task = requireRow(await findPaymentTask(db, id))
  return toTaskRow(app, task)
}

/**
 * Claims the refund. A job sends the refund to the gateway after the commit, and repeats that until the outcome is known. Throws
 * STATE_CONFLICT with the reason if the task is not open, the payment is disputed, or its gateway is not set up.
 */
export const startTaskRefund: UseCase<typeof refundPaymentTask> = (context, { params: { id } }) =>
  runAsSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const task = await requireOpenTask(context, id)
    const isSetUp = task.attempt_id !== null && (await app.payments.findDriver(task.gateway as PaymentType)) !== null
    if (!isSetUp) throw createConflictError('noGateway')
    if (hasOpenDispute(await listDisputesOfPayment(db, task.payment_id))) throw createConflictError('disputed')
    const refund_key = toPaymentKey(randomUUID())
    const claimFields = { state: 'refunding', refund_key, next_look: now, looks: 0, problem: null } as const
    await updatePaymentTask(db, id, { ...claimFields, user_id: caller.userId, update_time: now })
    await requestReconciliation(db, { companyId: 0, intent: `refund-${refund_key}`, now })
    context.afterCommit(() => notifyJobs(app))
    await context.audit(buildTaskEntry(task, { operation: 'refund', outcome: 'refunding' }))
    return { body: await readTaskRow(context, id) }
  })

/** Throws STATE_CONFLICT with the reason if the task is not open or the payment can no longer be applied. */
export const applyTaskPayment: UseCase<typeof applyPaymentTask> = (context, { params: { id } }) =>
  runAsSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const task = await requireOpenTask(context, id)
    const payableRef = toPayableRef(task)
    const payable = requireRow(await findPayable(context, payableRef))
    const credit = await claimTaskCredit(db, task)
    const refusal = await findApplyRefusal(db, payable, { ...task, credit })
    if (refusal) throw createConflictError(refusal)
    const { company_id: companyId, gateway, reference, paid_at: paidAt } = task
    const attempt = task.attempt_id === null ? null : await getAttempt(db, task.attempt_id)
    const payment = { gateway, reference, paidAt, poNumber: attempt?.po_number ?? null, credit }
    await useCredit(context, payable, { paymentId: task.payment_id, credit, attemptId: task.attempt_id })
    const changeStamp = { change: await takeChangeNumber(db, companyId), time: now }
    for (const item of payable.items) await item.revive(changeStamp)
    const appliedItems = await applyToItems(payable, payment, changeStamp)
    await updatePaymentTask(db, id, { state: 'applied', user_id: caller.userId, update_time: now, end_time: now })
    // Another running payment for the payable is cancelled, or becomes a separate task.
    if (await scheduleImmediateCheck(db, payableRef, now))
      await requestReconciliation(db, { companyId: 0, intent: `applied-${id}`, now })
    await requestReceipts(db, { payable, payer: attempt?.user_id ?? null, now })
    context.afterCommit(() => notifyJobs(app))
    for (const { item, details } of appliedItems) {
      const entry = buildTaskEntry(task, { operation: 'pay', outcome: 'applied' })
      const info = {
        ...entry.info,
        ...item.auditTarget.info,
        Amount: `${item.currency} ${item.pay_amount}`,
        ...details,
      }
      await context.audit({
        ...entry,
        code: item.auditTarget.code,
        info,
        changes: [{ field: 'status', ...item.status }],
      })
    }
    return { body: await readTaskRow(context, id) }
  })

/** Locks the balance and returns the part of the attempt that credit pays, or 0.00 if it is not available any more (decision 124). */
async function claimTaskCredit(db: DatabaseHandle, task: PaymentTaskRecord): Promise<string> {
  const attempt = task.attempt_id === null ? null : await getAttempt(db, task.attempt_id)
  if (!attempt) return '0.00'
  const { id: attemptId, company_id: companyId, currency, credit } = attempt
  return await claimCredit(db, { companyId, currency, payableRef: toPayableRef(task), credit, attemptId })
}

/** Money of which a part was refunded at the gateway is another amount. */
async function findApplyRefusal(
  db: DatabaseHandle,
  payable: LockedPayable,
  { amount, credit, currency, payment_id: paymentId }: PaymentTaskRecord & { credit: string },
): Promise<ApplyRefusal | null> {
  if (hasOpenDispute(await listDisputesOfPayment(db, paymentId))) return 'disputed'
  if ((await listRefundsOfPayment(db, paymentId)).some(({ state }) => state === 'done')) return 'anotherAmount'
  if (payable.items.some(({ isPaid }) => isPaid)) return 'paidAlready'
  if (currency !== payable.currency) return 'anotherCurrency'
  if (readAmount(amount) + readAmount(credit) !== readAmount(payable.pay_amount)) return 'anotherAmount'
  for (const item of payable.items) {
    const refusal = await item.findReviveRefusal()
    if (refusal) return refusal
  }
  return null
}

interface TaskAction {
  operation: 'refund' | 'pay'
  outcome: string
}

/** Builds an entry for the log of the company that the money belongs to. */
export function buildTaskEntry(task: PaymentTaskRecord, { operation, outcome }: TaskAction): AuditEntry {
  const { kind, id } = toPayableRef(task)
  const { code: ServiceCode, amount, currency, gateway: Gateway, reference: Reference } = task
  return {
    code: kind === 'order' || kind === 'group' ? 'order' : 'backup',
    operation,
    info: {
      ServiceCode,
      // A group has the codes of its services. It is no order, so it has no page.
      ...(kind === 'group' ? {} : { OrderId: id }),
      Amount: `${currency} ${amount}`,
      Gateway,
      Reference,
      Outcome: outcome,
    },
    ...(task.company_code === PROVIDER ? {} : { company: { id: task.company_id, actor: PROVIDER } }),
  }
}
