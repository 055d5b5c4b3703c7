/**
 * What the provider's admins do about money that no order waits for: give it back, or apply it where that is still possible. Each unit
 * of money taken is on what it was paid for, was given back, or is such a task (decision 62).
 */
import { randomUUID } from 'node:crypto'
import { PROVIDER } from '#domain/access.ts'
import { readAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { timestampIn } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { applyPaymentTask, listPaymentTasks, refundPaymentTask } from '#contract/payments.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { refOf } from '#server/db/payments/payables.ts'
import { attemptById, lookAtOnce } from '#server/db/payments/payment-attempts.ts'
import {
  settledTasks,
  taskById,
  taskForUpdate,
  type TaskRecord,
  unfinishedTasks,
  updateTask,
} from '#server/db/payments/payment-tasks.ts'
import { asSystem } from '#server/db/tenant.ts'
import { keyOf } from '#server/drivers/payment/driver.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { askForReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import type { ApplyRefusal, Payable } from '#server/use-cases/payments/payable.ts'
import { askToLook } from '#server/use-cases/payments/request-reconciliation.ts'

type TaskRow = OutputOf<typeof refundPaymentTask>

/** Of those that are settled. */
const mostSettled = 20

function rowOf({ config }: AppContext, task: TaskRecord): TaskRow {
  const { kind, id: payableId } = refOf(task)
  const stamp = (time: number) => timestampIn(config.timeZone, time)
  return {
    id: task.id,
    company_id: task.company_id,
    company_code: task.company_code,
    company_name: task.company_name,
    kind,
    payable_id: payableId,
    service_code: task.code,
    reason: reasonOf(task),
    amount: task.amount,
    currency: task.currency,
    gateway: task.gateway,
    reference: task.reference,
    received: stamp(task.create_time),
    state: task.state,
    problem: task.problem,
    user_name: task.user_name,
    settled: task.end_time === null ? null : stamp(task.end_time),
  }
}

const reasons = {
  replaced: 'replaced',
  'paid already': 'paidAlready',
  'another amount': 'anotherAmount',
  'another currency': 'anotherCurrency',
  'too late': 'tooLate',
} as const

function reasonOf({ outcome, is_deleted: isDeleted }: TaskRecord): TaskRow['reason'] {
  if (outcome === 'applied') throw new Error('a payment that was applied is no task')
  return outcome === 'replaced' && isDeleted ? 'deleted' : reasons[outcome]
}

export const list: UseCase<typeof listPaymentTasks> = ({ db, app }) =>
  asSystem(db, async () => {
    const tasks = [...(await unfinishedTasks(db)), ...(await settledTasks(db, mostSettled))]
    return { body: tasks.map((task) => rowOf(app, task)) }
  })

const conflict = (why: string) => new ProblemError('STATE_CONFLICT', { why })

/** Throws NOT_FOUND, and STATE_CONFLICT where it is being settled or was. */
async function openTaskOf({ db }: UseCaseContext, id: number): Promise<TaskRecord> {
  const task = await taskForUpdate(db, id)
  if (!task) throw notFound()
  if (task.state !== 'open') throw conflict(task.state)
  return task
}

async function writtenRow({ db, app }: UseCaseContext, id: number): Promise<TaskRow> {
  const task = await taskById(db, id)
  if (!task) throw notFound()
  return rowOf(app, task)
}

/** Claims the refund; a job asks the gateway right after the commit, and again until it says what became of it. */
export const refund: UseCase<typeof refundPaymentTask> = (context, { params: { id } }) =>
  asSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const task = await openTaskOf(context, id)
    const isSetUp = task.attempt_id !== null && (await app.payments.driver(task.gateway as PaymentType)) !== null
    if (!isSetUp) throw conflict('noGateway')
    const refund_key = keyOf(randomUUID())
    const claimed = { state: 'refunding', refund_key, next_look: now, looks: 0, problem: null } as const
    await updateTask(db, id, { ...claimed, user_id: caller.userId, update_time: now })
    await askToLook(db, { companyId: 0, intent: `refund-${refund_key}`, now })
    context.afterCommit(() => notifyJobs(app))
    await context.audit(entryOf(task, { operation: 'refund', outcome: 'refunding' }))
    return { body: await writtenRow(context, id) }
  })

/** Throws STATE_CONFLICT with the reason why it cannot be applied any more. */
export const apply: UseCase<typeof applyPaymentTask> = (context, { params: { id } }) =>
  asSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const task = await openTaskOf(context, id)
    const of = refOf(task)
    const payable = await findPayable(context, of)
    if (!payable) throw notFound()
    const why = await whyNotApplied(payable, task)
    if (why) throw conflict(why)
    const { company_id: companyId, gateway, reference, amount, currency, paid_at: paidAt } = task
    const stamp = { change: await takeChange(db, companyId), time: now }
    await payable.revive(stamp)
    const codes = await payable.takeEffect({ gateway, reference, amount, currency, paidAt }, stamp)
    await updateTask(db, id, { state: 'applied', user_id: caller.userId, update_time: now, end_time: now })
    // Another payment of it that is under way is ended, or becomes a task of its own.
    if (await lookAtOnce(db, of, now)) await askToLook(db, { companyId: 0, intent: `applied-${id}`, now })
    const payer = task.attempt_id === null ? null : (await attemptById(db, task.attempt_id)).user_id
    await askForReceipts(db, { companyId, of, payer, now })
    context.afterCommit(() => notifyJobs(app))
    const changes = [{ field: 'status', ...payable.status }]
    const entry = entryOf(task, { operation: 'pay', outcome: 'applied', more: codes })
    await context.audit({ ...entry, changes })
    return { body: await writtenRow(context, id) }
  })

async function whyNotApplied(payable: Payable, { amount, currency }: TaskRecord): Promise<ApplyRefusal | null> {
  if (payable.isPaid) return 'paidAlready'
  if (currency !== payable.currency) return 'anotherCurrency'
  if (readAmount(amount) !== readAmount(payable.pay_amount)) return 'anotherAmount'
  return await payable.whyNotRevived()
}

interface TaskAction {
  operation: 'refund' | 'pay'
  outcome: string
  more?: Record<string, string>
}

/** Stands in the log of the company whose money it is. */
export function entryOf(task: TaskRecord, { operation, outcome, more = {} }: TaskAction): AuditEntry {
  const { kind, id } = refOf(task)
  const { code: ServiceCode, amount, currency, gateway: Gateway, reference: Reference } = task
  return {
    code: kind === 'order' ? 'order' : 'backup',
    operation,
    info: { ServiceCode, OrderId: id, Amount: `${currency} ${amount}`, Gateway, Reference, Outcome: outcome, ...more },
    ...(task.company_code === PROVIDER ? {} : { company: { id: task.company_id, actor: PROVIDER } }),
  }
}
