/** Records refunds that the portal finds at a gateway, and gives them to the invoices of their payment (decision 123). */
import { PROVIDER } from '#domain/access.ts'
import { type Currency, getLarger, getSmaller, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import type { DisputeRecord } from '#server/db/payments/disputes.ts'
import { type PaymentTaskRecord, updatePaymentTask } from '#server/db/payments/payment-tasks.ts'
import type { PaymentRecord } from '#server/db/payments/payments.ts'
import {
  getRefund,
  insertRefund,
  isBeyondPayment,
  listRefundsOfPayment,
  lockInvoicesOfPayment,
  type RefundableInvoice,
  type RefundRecord,
  updateRefund,
} from '#server/db/payments/refunds.ts'
import type { GatewayRefund } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import type { PaymentContext } from '#server/use-cases/payments/payable.ts'
import { buildTaskEntry } from '#server/use-cases/payments/payment-tasks.ts'
import {
  buildRefundEntry,
  getPaymentRest,
  getRest,
  type RefundAuditOutcome,
  recordRefundOutcome,
  sumRefunds,
  writeCreditNote,
} from '#server/use-cases/refunds/complete-refund.ts'

/** A payment with everything that was sent back. Its invoices or its task are locked. */
export interface PaymentHistory {
  payment: PaymentRecord
  task: PaymentTaskRecord | null
  invoices: readonly RefundableInvoice[]
  refunds: readonly RefundRecord[]
  disputes: readonly DisputeRecord[]
}

export const isRunning = ({ task, refunds }: Pick<PaymentHistory, 'task' | 'refunds'>) =>
  task?.state === 'refunding' || refunds.some(({ state }) => state === 'requested' || state === 'pending')

interface FoundRefund {
  reference: string
  amount: Hundredths
  cause: 'gateway' | 'dispute'
}

/**
 * Records money that left at the gateway. With one invoice, or if all that is left was refunded, it gets credit notes. Otherwise the staff
 * decide which invoice it was for.
 */
export async function recordRefund(
  context: PaymentContext,
  history: PaymentHistory,
  { reference, amount: foundAmount, cause }: FoundRefund,
): Promise<void> {
  const { db, app } = context
  const { payment, task, invoices, refunds } = history
  const { total, gateway: rest } =
    task?.state === 'refunded' ? { total: 0n, gateway: 0n } : getPaymentRest(payment.amount, invoices, refunds)
  const amount = getSmaller(foundAmount, getLarger(rest, 0n))
  if (foundAmount > amount) {
    if (isRunning(history)) throw new PaymentProblem('a refund in progress holds the amount', false)
    // For example after a refund by bank transfer, of which the gateway does not know.
    app.log.error({ event: 'refund_beyond_payment', payment: payment.id }, 'more was sent back than was paid')
    // Its own reference, because both parts may be without an invoice.
    const partReference = amount > 0n ? `${reference}+` : reference
    await recordBeyondPayment(context, payment, { reference: partReference, amount: foundAmount - amount, cause })
    if (amount === 0n) return
  }
  const refundId = await insertRefund(db, {
    ...toFoundColumns(context, payment, { reference, amount, cause }),
    state: 'done',
  })
  const [firstInvoice] = invoices
  if (firstInvoice && (invoices.length === 1 || amount === total))
    await assignRefund(context, { refundId, invoiceId: firstInvoice.invoice_id, outcome: 'refunded' })
  else await writeEntry(context, refundId)
  if (task?.state === 'open' && amount === rest) await settleTask(context, task, reference)
  await mailStaff(context, { companyId: payment.company_id, refundId })
}

const toFoundColumns = (
  { now }: PaymentContext,
  payment: PaymentRecord,
  { reference, amount, cause }: FoundRefund,
) => ({
  company_id: payment.company_id,
  payment_id: payment.id,
  invoice_id: null,
  amount: writeAmount(amount),
  currency: payment.currency as Currency,
  route: 'gateway' as const,
  cause,
  reason: null,
  reference,
  create_time: now,
  update_time: now,
  end_time: now,
})

/**
 * Records money that left beyond what is left of the payment. No credit note exceeds its invoice, so it belongs to none. It is a task of the
 * staff, and a fault of the check of all money until they have settled it (decision 123).
 */
async function recordBeyondPayment(
  context: PaymentContext,
  payment: PaymentRecord,
  foundRefund: FoundRefund,
): Promise<void> {
  const refundId = await insertRefund(context.db, { ...toFoundColumns(context, payment, foundRefund), state: 'failed' })
  await writeEntry(context, refundId)
  await mailStaff(context, { companyId: payment.company_id, refundId })
}

async function mailStaff(
  { db, now }: PaymentContext,
  { companyId, refundId }: { companyId: number; refundId: number },
): Promise<void> {
  for (const userId of await listAlertedAdmins(db, PROVIDER))
    await requestMail(db, { companyId, now }, { mail: 'gateway-refund', userId, refundId })
}

/**
 * Records that the gateway could not complete a refund that was done: the bank has sent the money back to it. A credit note stays, because
 * issued documents never change, and its amount is owed to the customer. Without one, the amount is free again, and its task is open again.
 * Throws PaymentProblem while the task sends the rest, because it may end without what has come back.
 */
export async function recordReturn(
  context: PaymentContext,
  history: PaymentHistory,
  { reference, key, failure }: GatewayRefund,
): Promise<void> {
  const { payment, task, refunds } = history
  const { db, app, now } = context
  const problem = failure ?? 'unknown'
  const isMeant = (row: Pick<RefundRecord, 'refund_key' | 'reference'>) =>
    row.reference === reference || row.reference === `${reference}+` || (key !== null && row.refund_key === key)
  if (task?.state === 'refunded' && isMeant({ refund_key: task.refund_key, reference: task.refund_reference })) {
    await reopenTask(context, task, problem)
    const entry = buildTaskEntry(task, { operation: 'refund', outcome: 'refused' })
    await recordRefundOutcome({ db, now }, task, entry, false)
  }
  const parts = refunds.filter((row) => canReturn(row) && isMeant(row))
  // The task is about the part whose credit note stays, because only that amount is owed to the customer.
  const first = parts.find(({ credit_note_code }) => credit_note_code !== null) ?? parts[0]
  if (!first) return
  if (first.state === 'done') await freePart(context, history, problem)
  for (const part of parts) {
    const fields = { problem, update_time: now, ...(part === first ? { seen_time: null } : {}) }
    await updateRefund(db, part.id, part.credit_note_code === null ? { ...fields, state: 'failed' } : fields)
    await recordRefundOutcome(context, part, buildRefundEntry(part, 'refused'), false)
  }
  app.log.error({ event: 'refund_rejected', refund: first.id, reason: problem }, 'the gateway rejected a refund')
  const { id: refundId, cause, user_id: requester } = first
  const userIds = cause === 'staff' && requester !== null ? [requester] : await listAlertedAdmins(db, PROVIDER)
  for (const userId of userIds)
    await requestMail(db, { companyId: payment.company_id, now }, { mail: 'refund-failed', userId, refundId })
}

const canReturn = (refund: RefundRecord) =>
  refund.route === 'gateway' &&
  refund.cause !== 'dispute' &&
  refund.problem === null &&
  (refund.state === 'done' || isBeyondPayment(refund))

/**
 * Opens a refunded task again when another refund of its payment came back. The task's own refund is stored as a refund, so that the next one
 * only sends what came back. Throws PaymentProblem while the task's refund is in progress.
 */
async function freePart(
  context: PaymentContext,
  { payment, task, refunds }: PaymentHistory,
  problem: string,
): Promise<void> {
  if (task?.state === 'refunding') throw new PaymentProblem('a refund of the task is in progress', false)
  const { refund_reference: reference = null, refund_key } = task ?? {}
  if (task?.state !== 'refunded' || reference === null) return
  const amount = readAmount(payment.amount) - sumRefunds(refunds.filter(({ state }) => state === 'done'))
  if (amount > 0n) {
    const fields = toFoundColumns(context, payment, { reference, amount, cause: 'gateway' })
    // The task was seen when it was refunded.
    await insertRefund(context.db, { ...fields, refund_key: refund_key ?? null, state: 'done', seen_time: context.now })
  }
  await reopenTask(context, task, problem)
}

async function reopenTask({ db, now }: PaymentContext, task: PaymentTaskRecord, problem: string): Promise<void> {
  const openFields = { state: 'open', problem, refund_key: null, refund_reference: null, next_look: null } as const
  await updatePaymentTask(db, task.id, { ...openFields, user_id: null, update_time: now, end_time: null })
  const { company_id: companyId, id: taskId } = task
  for (const userId of await listAlertedAdmins(db, PROVIDER))
    await requestMail(db, { companyId, now }, { mail: 'payment-task', userId, taskId })
}

async function writeEntry(
  context: PaymentContext,
  refundId: number,
  outcome: RefundAuditOutcome = 'refunded',
): Promise<void> {
  const refund = await getRefund(context.db, refundId)
  await recordRefundOutcome(context, refund, buildRefundEntry(refund, outcome), true)
}

/** All money of a task was sent back at the gateway. */
async function settleTask({ db, now }: PaymentContext, task: PaymentTaskRecord, reference: string): Promise<void> {
  const refundedFields = { state: 'refunded', refund_reference: reference, next_look: null } as const
  await updatePaymentTask(db, task.id, { ...refundedFields, update_time: now, end_time: now })
  await recordRefundOutcome({ db, now }, task, buildTaskEntry(task, { operation: 'refund', outcome: 'refunded' }), true)
}

/**
 * Gives a refund at the gateway to an invoice, and what exceeds it to the other invoices of the payment, each with its credit note. The
 * invoices must be locked.
 */
export async function assignRefund(
  context: PaymentContext,
  { refundId, invoiceId, outcome }: { refundId: number; invoiceId: number; outcome: RefundAuditOutcome },
): Promise<void> {
  const { db, now } = context
  const refund = await getRefund(db, refundId)
  const invoices = await lockInvoicesOfPayment(db, refund.payment_id)
  const refunds = await listRefundsOfPayment(db, refund.payment_id)
  const isChosen = ({ invoice_id }: RefundableInvoice) => invoice_id === invoiceId
  let amount = readAmount(refund.amount)
  let currentId: number | null = refundId
  for (const invoice of [...invoices.filter(isChosen), ...invoices.filter((other) => !isChosen(other))]) {
    const ownRefunds = refunds.filter(({ invoice_id }) => invoice_id === invoice.invoice_id)
    const rest = getRest(invoice.amount, ownRefunds)
    const part = rest < amount ? rest : amount
    if (part === 0n) continue
    const fields = { invoice_id: invoice.invoice_id, amount: writeAmount(part) }
    if (currentId === null)
      currentId = await insertRefund(db, { ...toPartColumns(refund), ...fields, update_time: now })
    else await updateRefund(db, currentId, { ...fields, update_time: now })
    await writeCreditNote(context, currentId)
    await writeEntry(context, currentId, outcome)
    currentId = null
    amount -= part
  }
  if (amount > 0n) throw new Error('a refund exceeds what is left of the invoices of its payment')
}

const toPartColumns = (refund: RefundRecord) => ({
  company_id: refund.company_id,
  payment_id: refund.payment_id,
  currency: refund.currency,
  route: refund.route,
  reason: refund.reason,
  state: refund.state,
  reference: refund.reference,
  cause: refund.cause,
  create_time: refund.create_time,
  end_time: refund.end_time,
  // The task is about the first part.
  seen_time: refund.create_time,
})
