/**
 * Records refunds and disputes that were made at the gateway. A notice only names the payment: what happened is read from the gateway. Each
 * becomes a task of the staff. Repeated, reordered and concurrent notices have no second effect (decision 123).
 */
import { PROVIDER } from '#domain/access.ts'
import { type Currency, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import {
  disputeCheckMs,
  type DisputeRecord,
  hasOpenDispute,
  insertDispute,
  listDisputesOfPayment,
  updateDispute,
} from '#server/db/payments/disputes.ts'
import type { AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import {
  findTaskOfPayment,
  lockPaymentTask,
  type PaymentTaskRecord,
  updatePaymentTask,
} from '#server/db/payments/payment-tasks.ts'
import { findPayment, type PaymentRecord } from '#server/db/payments/payments.ts'
import {
  getRefund,
  insertRefund,
  listRefundsOfPayment,
  lockInvoicesOfPayment,
  type RefundableInvoice,
  type RefundRecord,
  updateDocument,
  updateRefund,
} from '#server/db/payments/refunds.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { GatewayDispute, GatewayRefunds } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import {
  buildRefundEntry,
  getPaymentRest,
  getRest,
  type RefundAuditOutcome,
  recordRefundOutcome,
  sumRefunds,
  writeCreditNote,
} from '#server/use-cases/refunds/complete-refund.ts'
import type { PaymentContext } from '#server/use-cases/payments/payable.ts'
import { buildTaskEntry } from '#server/use-cases/payments/payment-tasks.ts'
import { requireDriver } from '#server/use-cases/payments/settle-attempt.ts'

const maxRounds = 3

interface GatewayReport extends GatewayRefunds {
  disputes: readonly GatewayDispute[]
}

/**
 * Reads the refunds and disputes of the attempt's payment at the gateway, and records unknown ones. `refundNames`: names that a notice
 * contained. `refundSum`: sum of all refunds in a notice without names, or null. Throws PaymentProblem if the gateway does not respond, or if a refund in progress may be the one that was found; the notice must
 * then be repeated.
 */
export async function inspectPayment(
  app: AppContext,
  attempt: AttemptRecord,
  refundNames: readonly string[] = [],
  refundSum: Hundredths | null = null,
): Promise<void> {
  const { gateway, gateway_id: gatewayId, key, started_at: startedAt } = attempt
  if (gatewayId === null) return
  const driver = await requireDriver(app, attempt)
  for (let round = 0; round < maxRounds; round++) {
    const before = await writeAsSystem(app, (db) => readState(db, gateway, gatewayId))
    if (before === null) return
    const query = { key, gatewayId, startedAt }
    const refunds = await driver.readRefunds(query, refundNames, refundSum)
    const report = { ...refunds, disputes: await driver.readDisputes(query) }
    const isRecorded = await writeAsSystem(app, async (db) => {
      const context = { db, app, now: app.clock() }
      const history = await lockPayment(context, before.payment)
      // A refund that ended since the query may be missing in its sum.
      if (describeRefunds(history) !== before.text) return false
      await recordReport(context, history, report)
      return true
    })
    if (isRecorded) return notifyJobs(app)
  }
  throw new PaymentProblem('the refunds of a payment change at the moment', false)
}

/** A payment with everything that was sent back. Its invoices or its task are locked. */
interface PaymentHistory {
  payment: PaymentRecord
  task: PaymentTaskRecord | null
  invoices: readonly RefundableInvoice[]
  refunds: readonly RefundRecord[]
  disputes: readonly DisputeRecord[]
}

async function readState(
  db: DatabaseHandle,
  gateway: string,
  reference: string,
): Promise<{ payment: PaymentRecord; text: string } | null> {
  const payment = await findPayment(db, gateway, reference)
  if (!payment) return null
  const taskId = await findTaskOfPayment(db, payment.id)
  const task = taskId === null ? null : await lockPaymentTask(db, taskId)
  return { payment, text: describeRefunds({ task, refunds: await listRefundsOfPayment(db, payment.id) }) }
}

const describeRefunds = ({ task, refunds }: Pick<PaymentHistory, 'task' | 'refunds'>) =>
  JSON.stringify([task?.state ?? null, refunds.map(({ id, state, amount }) => [id, state, amount])])

/** The task is locked before the invoices, as when its payment is applied. */
async function lockPayment({ db }: PaymentContext, payment: PaymentRecord): Promise<PaymentHistory> {
  const taskId = await findTaskOfPayment(db, payment.id)
  const task = taskId === null ? null : await lockPaymentTask(db, taskId)
  const invoices = await lockInvoicesOfPayment(db, payment.id)
  const refunds = await listRefundsOfPayment(db, payment.id)
  return { payment, task, invoices, refunds, disputes: await listDisputesOfPayment(db, payment.id) }
}

async function recordReport(context: PaymentContext, history: PaymentHistory, report: GatewayReport): Promise<void> {
  let { refunds } = history
  for (const { reference, amount } of findUnknownRefunds(history, report)) {
    await recordRefund(context, { ...history, refunds }, { reference, amount, cause: 'gateway' })
    refunds = await listRefundsOfPayment(context.db, history.payment.id)
  }
  for (const dispute of report.disputes) {
    await recordDispute(context, { ...history, refunds }, dispute)
    refunds = await listRefundsOfPayment(context.db, history.payment.id)
  }
}

const isRunning = ({ task, refunds }: Pick<PaymentHistory, 'task' | 'refunds'>) =>
  task?.state === 'refunding' || refunds.some(({ state }) => state === 'requested' || state === 'pending')

/** A gateway's sum of refunds does not contain what a bank took back after a dispute. */
const isDoneByGateway = ({ state, route, cause }: RefundRecord) =>
  state === 'done' && route === 'gateway' && cause !== 'dispute'

/** Returns refunds that are done at the gateway and that the portal neither sent nor recorded. */
function findUnknownRefunds(
  history: PaymentHistory,
  { refunds: gatewayRefunds, total }: GatewayReport,
): { reference: string; amount: Hundredths }[] {
  const { payment, task, refunds } = history
  const knownNames = new Set(
    [
      ...refunds.flatMap(({ refund_key, reference }) => [refund_key, reference]),
      task?.refund_key,
      task?.refund_reference,
    ].filter((name) => name !== null && name !== undefined),
  )
  const unknown = gatewayRefunds
    .filter(
      ({ status, key, reference }) => status === 'done' && !knownNames.has(reference) && !(key && knownNames.has(key)),
    )
    .map(({ reference, amount }) => ({ reference, amount }))
  if (total === null) return unknown
  // A task that was refunded has sent back all that was left.
  const knownSum = task?.state === 'refunded' ? readAmount(payment.amount) : sumRefunds(refunds.filter(isDoneByGateway))
  const rest = total - knownSum - unknown.reduce((sum, { amount }) => sum + amount, 0n)
  if (rest <= 0n) return unknown
  if (isRunning(history)) throw new PaymentProblem('a refund in progress may be the one at the gateway', false)
  return [...unknown, { reference: `sum-${writeAmount(total)}`, amount: rest }]
}

interface FoundRefund {
  reference: string
  amount: Hundredths
  cause: 'gateway' | 'dispute'
}

/**
 * Records money that left at the gateway. With one invoice, or if all that is left was refunded, it gets credit notes. Otherwise the staff
 * decide which invoice it was for.
 */
async function recordRefund(
  context: PaymentContext,
  history: PaymentHistory,
  { reference, amount: foundAmount, cause }: FoundRefund,
): Promise<void> {
  const { db, app, now } = context
  const { payment, task, invoices, refunds } = history
  const { total, gateway: rest } =
    task?.state === 'refunded' ? { total: 0n, gateway: 0n } : getPaymentRest(payment.amount, invoices, refunds)
  const amount = foundAmount < rest ? foundAmount : rest
  if (foundAmount > rest) {
    if (isRunning(history)) throw new PaymentProblem('a refund in progress holds the amount', false)
    // For example after a refund by bank transfer, of which the gateway does not know.
    app.log.error({ event: 'refund_beyond_payment', payment: payment.id }, 'more was sent back than was paid')
    if (rest <= 0n) return
  }
  const refundId = await insertRefund(db, {
    company_id: payment.company_id,
    payment_id: payment.id,
    invoice_id: null,
    amount: writeAmount(amount),
    currency: payment.currency as Currency,
    route: 'gateway',
    cause,
    reason: null,
    state: 'done',
    reference,
    create_time: now,
    update_time: now,
    end_time: now,
  })
  const [firstInvoice] = invoices
  if (firstInvoice && (invoices.length === 1 || amount === total))
    await assignRefund(context, { refundId, invoiceId: firstInvoice.invoice_id, outcome: 'refunded' })
  else await writeEntry(context, refundId)
  if (task?.state === 'open' && amount === rest) await settleTask(context, task, reference)
  for (const userId of await listAlertedAdmins(db, PROVIDER))
    await requestMail(db, { companyId: payment.company_id, now }, { mail: 'gateway-refund', userId, refundId })
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

/** Records the dispute or its end. A dispute that has ended stays as it is. */
async function recordDispute(context: PaymentContext, history: PaymentHistory, dispute: GatewayDispute): Promise<void> {
  const { db, app, now } = context
  const { payment, disputes } = history
  const { reference, amount, currency, state, respondBy } = dispute
  const storedDispute = disputes.find((row) => row.reference === reference)
  if (storedDispute && storedDispute.state !== 'open') return
  const endFields =
    state === 'open' ? { next_look: now + disputeCheckMs, end_time: null } : { next_look: null, end_time: now }
  // An inquiry may become a dispute.
  const stateFields = { state, is_inquiry: dispute.isInquiry, respond_by: respondBy, update_time: now, ...endFields }
  if (storedDispute) await updateDispute(db, storedDispute.id, stateFields)
  else await openDispute(context, payment, dispute, stateFields)
  if (storedDispute?.is_inquiry && !dispute.isInquiry) await mailDispute(context, payment, storedDispute.id)
  if (currency !== payment.currency) {
    app.log.error(
      { event: 'dispute_currency', payment: payment.id, dispute: reference, currency, state },
      'a dispute has another currency than its payment',
    )
  }
  // The bank took the money back. What was refunded before cannot be lost again. An amount of another currency cannot be on a credit note.
  else if (state === 'lost') await recordRefund(context, history, { reference, amount, cause: 'dispute' })
  await markInvoices(context, history)
}

async function openDispute(
  context: PaymentContext,
  payment: PaymentRecord,
  { reference, amount, currency, reason }: GatewayDispute,
  stateFields: Pick<
    Parameters<typeof insertDispute>[1],
    'state' | 'is_inquiry' | 'respond_by' | 'next_look' | 'update_time' | 'end_time'
  >,
): Promise<void> {
  const { db, now } = context
  const disputeId = await insertDispute(db, {
    company_id: payment.company_id,
    payment_id: payment.id,
    gateway: payment.gateway,
    reference,
    amount: writeAmount(amount),
    currency,
    reason: reason.slice(0, 200),
    create_time: now,
    ...stateFields,
  })
  await mailDispute(context, payment, disputeId)
}

async function mailDispute({ db, now }: PaymentContext, payment: PaymentRecord, disputeId: number): Promise<void> {
  for (const userId of await listAlertedAdmins(db, PROVIDER))
    await requestMail(db, { companyId: payment.company_id, now }, { mail: 'payment-dispute', userId, disputeId })
}

/** An invoice is disputed while a dispute about its payment is open, which is no inquiry. */
async function markInvoices({ db }: PaymentContext, { payment, invoices }: PaymentHistory): Promise<void> {
  const disputes = await listDisputesOfPayment(db, payment.id)
  const disputed = hasOpenDispute(disputes)
  const changed = invoices.filter((invoice) => invoice.disputed !== disputed)
  if (changed.length === 0) return
  const change = await takeChangeNumber(db, payment.company_id)
  for (const { document_id: documentId } of changed) await updateDocument(db, { documentId, disputed, change })
}
