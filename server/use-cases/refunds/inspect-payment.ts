/**
 * Records refunds and disputes that were made at the gateway. A notice only names the payment: what happened is read from the gateway. Each
 * becomes a task of the staff. Repeated, reordered and concurrent notices have no second effect (decision 123).
 */
import { PROVIDER } from '#domain/access.ts'
import { getSmaller, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { listAlertedAdmins } from '#server/db/orders/reminders.ts'
import {
  disputeCheckMs,
  hasOpenDispute,
  insertDispute,
  listDisputesOfPayment,
  updateDispute,
} from '#server/db/payments/disputes.ts'
import type { AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { findTaskOfPayment, lockPaymentTask } from '#server/db/payments/payment-tasks.ts'
import { findPayment, type PaymentRecord } from '#server/db/payments/payments.ts'
import {
  isBeyondPayment,
  listRefundsOfPayment,
  lockInvoicesOfPayment,
  type RefundRecord,
  updateDocument,
} from '#server/db/payments/refunds.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { GatewayDispute, GatewayRefunds } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { sumRefunds } from '#server/use-cases/refunds/complete-refund.ts'
import { isRunning, type PaymentHistory, recordRefund, recordReturn } from '#server/use-cases/refunds/record-refund.ts'
import type { PaymentContext } from '#server/use-cases/payments/payable.ts'
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
      await recordReport(context, await recordReturns(context, history, report), report)
      return true
    })
    if (isRecorded) return notifyJobs(app)
  }
  throw new PaymentProblem('the refunds of a payment change at the moment', false)
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

/** Returns the history again, because what has come back can be refunded in another way. */
async function recordReturns(
  context: PaymentContext,
  history: PaymentHistory,
  { refunds }: GatewayReport,
): Promise<PaymentHistory> {
  const failedRefunds = refunds.filter(({ status }) => status === 'failed')
  if (failedRefunds.length === 0) return history
  let currentHistory = history
  for (const refund of failedRefunds) {
    await recordReturn(context, currentHistory, refund)
    currentHistory = await lockPayment(context, history.payment)
  }
  return currentHistory
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

/** A gateway's sum of refunds does not contain what a bank took back after a dispute. */
const isDoneByGateway = (refund: RefundRecord) =>
  refund.route === 'gateway' && refund.cause !== 'dispute' && (refund.state === 'done' || isBeyondPayment(refund))

interface UnknownRefund {
  reference: string
  amount: Hundredths
}

/** Returns refunds that are done at the gateway and that the portal neither sent nor recorded. */
function findUnknownRefunds(
  history: PaymentHistory,
  { refunds: gatewayRefunds, total }: GatewayReport,
): UnknownRefund[] {
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
  const knownRefunds = refunds.filter(isDoneByGateway)
  if (task?.state === 'refunded') {
    // It has sent back all that was left, also by refunds at the gateway of which the portal knows only one. The rest is beyond the payment.
    const knownSum = readAmount(payment.amount) + sumRefunds(knownRefunds.filter(isBeyondPayment))
    const doneSum = sumAmounts(gatewayRefunds.filter(({ status }) => status === 'done'))
    return findExcess(unknown, { excess: (total ?? doneSum) - knownSum, total })
  }
  if (total === null) return unknown
  const rest = total - sumRefunds(knownRefunds) - sumAmounts(unknown)
  if (rest <= 0n) return unknown
  if (isRunning(history)) throw new PaymentProblem('a refund in progress may be the one at the gateway', false)
  return [...unknown, toSumRefund(total, rest)]
}

const sumAmounts = (refunds: readonly { amount: Hundredths }[]) => refunds.reduce((sum, { amount }) => sum + amount, 0n)
const toSumRefund = (total: Hundredths, amount: Hundredths) => ({ reference: `sum-${writeAmount(total)}`, amount })

/** Returns the unknown refunds up to `excess`, and what is missing to it in the gateway's sum of all refunds. */
function findExcess(
  unknown: readonly UnknownRefund[],
  { excess, total }: { excess: Hundredths; total: Hundredths | null },
): UnknownRefund[] {
  const excessRefunds: UnknownRefund[] = []
  let rest = excess
  for (const { reference, amount } of unknown) {
    if (rest <= 0n) return excessRefunds
    excessRefunds.push({ reference, amount: getSmaller(amount, rest) })
    rest -= amount
  }
  return total === null || rest <= 0n ? excessRefunds : [...excessRefunds, toSumRefund(total, rest)]
}

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
