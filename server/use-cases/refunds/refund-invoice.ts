/**
 * Refunds an invoice, completely or in part: by the gateway of its payment, by a bank transfer that the staff have made, or to the company's
 * credit balance (decision 124).
 */
import { randomUUID } from 'node:crypto'
import { getSmaller, readAmount, writeAmount } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { isDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { refundInvoice } from '#contract/staff/refunds.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { addCreditEntry, findLatestContractEntry, lockCredit } from '#server/db/payments/credit.ts'
import { hasOpenDispute, listDisputesOfPayment } from '#server/db/payments/disputes.ts'
import {
  findAttemptOfPayment,
  findRefundableInvoice,
  getRefund,
  insertRefund,
  listInvoicesOfPayment,
  listRefundsOfPayment,
  lockInvoicesOfPayment,
  type RefundableInvoice,
  type RefundRecord,
  updateDocument,
} from '#server/db/payments/refunds.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { toPaymentKey } from '#server/drivers/payment/payment-driver.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { createFieldError, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import {
  buildRefundEntry,
  getPaymentRest,
  getRest,
  sumRefunds,
  writeCreditNote,
} from '#server/use-cases/refunds/complete-refund.ts'
import { requestReconciliation } from '#server/use-cases/payments/request-reconciliation.ts'

type RefundInput = ParsedInputOf<typeof refundInvoice>['body']

const createConflictError = (reason: string, details: Record<string, string> = {}) =>
  new ProblemError('STATE_CONFLICT', { why: reason, ...details })

/**
 * Returns the refund. A refund by gateway is claimed, and a job sends it after the commit. Others are done at once. Throws VALIDATION_ERROR for a
 * wrong confirmation, amount, day or reference, and STATE_CONFLICT with the reason:
 *
 * - `disputed` or `noGateway`.
 * - `returned`: a refund of the payment came back, and the staff have not settled it.
 * - `changed`: there is another refund that the staff have not seen.
 * - `credited`: a smaller contract was credited meanwhile.
 * - `tooMuch`.
 *
 * The last three have `left`, which can be refunded, and `refunded_before`, which the next try must repeat.
 */
export const startInvoiceRefund: UseCase<typeof refundInvoice> = (context, { params: { id }, body }) =>
  runAsSystem(context.db, async () => {
    const { db, app, now } = context
    const storedInvoice = requireRow(await findRefundableInvoice(db, id))
    const { payment_id: paymentId, company_id: companyId, service_code: code } = storedInvoice
    const entryBefore = await findLatestContractEntry(db, { companyId, code })
    const invoice = requireRow(
      (await lockInvoicesOfPayment(db, paymentId)).find(({ document_id }) => document_id === id),
    )
    checkFields(context, invoice, body)
    // A smaller contract that was ordered at the same moment has locked the invoice before (decision 124).
    const isCredited = (await findLatestContractEntry(db, { companyId, code })) !== entryBefore
    await requireRest(context, invoice, { ...body, isCredited })
    const refundId = await refundByRoute[body.route](context, invoice, body)
    if (body.route === 'gateway') {
      await requestReconciliation(db, { companyId: 0, intent: `refund-invoice-${refundId}`, now })
      context.afterCommit(() => notifyJobs(app))
    }
    const refund = await getRefund(db, refundId)
    await context.audit(buildRefundEntry(refund, body.route === 'gateway' ? 'refunding' : 'refunded'))
    return { body: toRefundRow(app, refund) }
  })

function checkFields(context: UseCaseContext, { code, paid_at: paidAt }: RefundableInvoice, body: RefundInput): void {
  if (body.confirmation.trim().toUpperCase() !== code) throw createFieldError('confirmation', 'NOT_CONFIRMED', code)
  if (readAmount(body.amount) <= 0n) throw createFieldError('amount', 'OUT_OF_RANGE')
  if (body.reason.trim() === '') throw createFieldError('reason', 'REQUIRED')
  if (body.route !== 'transfer') return
  if (!body.reference?.trim()) throw createFieldError('reference', 'REQUIRED')
  if (body.date === undefined) throw createFieldError('date', 'REQUIRED')
  if (!isDay(body.date)) throw createFieldError('date', 'INVALID_FORMAT')
  const toDay = (time: number) => toTimestamp(context.app.config.timeZone, time).slice(0, 10)
  if (body.date < toDay(paidAt) || body.date > toDay(context.now)) throw createFieldError('date', 'OUT_OF_RANGE')
}

/** Its credit note stays valid, so sending the amount again here would credit it twice (decision 123). */
const isUnsettledReturn = ({ state, problem, seen_time: seenTime }: RefundRecord) =>
  state === 'done' && problem !== null && seenTime === null

/**
 * The sum of refunds that are not failed exceeds neither the invoice nor the invoices of the payment together. By gateway, nothing more is
 * sent back than the gateway took.
 */
async function requireRest(
  { db }: UseCaseContext,
  invoice: RefundableInvoice,
  body: RefundInput & { isCredited: boolean },
): Promise<void> {
  const { payment_id: paymentId, invoice_id: invoiceId } = invoice
  if (hasOpenDispute(await listDisputesOfPayment(db, paymentId))) throw createConflictError('disputed')
  const refunds = await listRefundsOfPayment(db, paymentId)
  if (refunds.some(isUnsettledReturn)) throw createConflictError('returned')
  const ownRefunds = refunds.filter((refund) => refund.invoice_id === invoiceId)
  const rest = getPaymentRest(invoice.payment_amount, await listInvoicesOfPayment(db, paymentId), refunds)
  const rests = [getRest(invoice.amount, ownRefunds), rest.total, ...(body.route === 'gateway' ? [rest.gateway] : [])]
  const left = rests.reduce(getSmaller)
  const refundedBefore = sumRefunds(ownRefunds.filter(({ state }) => state !== 'failed'))
  const figures = { left: writeAmount(left), refunded_before: writeAmount(refundedBefore) }
  // A repeated press after an unknown outcome would otherwise be a second refund.
  if (readAmount(body.refunded_before) !== refundedBefore) throw createConflictError('changed', figures)
  if (body.isCredited) throw createConflictError('credited', figures)
  if (readAmount(body.amount) > left) throw createConflictError('tooMuch', figures)
  const isOfTransfer = ({ route, reference }: RefundRecord) =>
    route === 'transfer' && reference?.toLowerCase() === body.reference?.trim().toLowerCase()
  if (body.route === 'transfer' && ownRefunds.some(isOfTransfer)) throw createFieldError('reference', 'DUPLICATE')
}

const toColumns = (
  { caller, now }: UseCaseContext,
  { company_id, payment_id, invoice_id, currency }: RefundableInvoice,
  { amount, reason }: RefundInput,
) => ({
  company_id,
  payment_id,
  invoice_id,
  currency,
  amount: writeAmount(readAmount(amount)),
  reason: reason.trim(),
  cause: 'staff' as const,
  user_id: caller.userId,
  create_time: now,
  update_time: now,
})

async function claimRefund(context: UseCaseContext, invoice: RefundableInvoice, body: RefundInput): Promise<number> {
  const { db, app, now } = context
  const attempt = await findAttemptOfPayment(db, invoice)
  // A payment with credit or by transfer took no money at a gateway.
  const isSetUp =
    attempt !== null &&
    attempt.gateway !== 'credit' &&
    (await app.payments.findDriver(invoice.gateway as PaymentType)) !== null
  if (!isSetUp) throw createConflictError('noGateway')
  const refundId = await insertRefund(db, {
    ...toColumns(context, invoice, body),
    route: 'gateway',
    state: 'requested',
    refund_key: toPaymentKey(randomUUID()),
    next_look: now,
  })
  const change = await takeChangeNumber(db, invoice.company_id)
  await updateDocument(db, { documentId: invoice.document_id, refunding: body.amount, change })
  return refundId
}

async function addCredit(context: UseCaseContext, invoice: RefundableInvoice, body: RefundInput): Promise<number> {
  const { db, caller, now } = context
  const creditRef = { companyId: invoice.company_id, currency: invoice.currency }
  await lockCredit(db, creditRef)
  const earlierRefunds = await listRefundsOfPayment(db, invoice.payment_id)
  const refundId = await insertRefund(db, {
    ...toColumns(context, invoice, body),
    route: 'credit',
    state: 'done',
    reference: `${invoice.code}-${earlierRefunds.length + 1}`,
    end_time: now,
  })
  const entry = { cause: 'creditNote', refund_id: refundId, user_id: caller.userId, now } as const
  await addCreditEntry(db, creditRef, { ...entry, amount: readAmount(body.amount) })
  await writeCreditNote(context, refundId)
  return refundId
}

async function recordTransfer(context: UseCaseContext, invoice: RefundableInvoice, body: RefundInput): Promise<number> {
  const refundId = await insertRefund(context.db, {
    ...toColumns(context, invoice, body),
    route: 'transfer',
    state: 'done',
    reference: body.reference?.trim() ?? '',
    transfer_date: body.date ?? '',
    end_time: context.now,
  })
  await writeCreditNote(context, refundId)
  return refundId
}

const refundByRoute = { gateway: claimRefund, transfer: recordTransfer, credit: addCredit } as const

export function toRefundRow({ config }: AppContext, refund: RefundRecord): OutputOf<typeof refundInvoice> {
  const formatTime = (time: number | null) => (time === null ? null : toTimestamp(config.timeZone, time))
  const { id, company_id, company_code, company_name, invoice_id, invoice_code, currency, amount, route, gateway } =
    refund
  const { reason, state, reference, problem, cause, user_name, credit_note_code, document_id } = refund
  return {
    id,
    company_id,
    company_code,
    company_name,
    invoice_id,
    invoice_code,
    document_id,
    credit_note_code,
    service_code: refund.code,
    currency,
    amount,
    route,
    gateway,
    payment_reference: refund.payment_reference,
    reason,
    state,
    reference,
    problem,
    cause,
    user_name,
    requested: toTimestamp(config.timeZone, refund.create_time),
    ended: formatTime(refund.end_time),
    seen: formatTime(refund.seen_time),
  }
}
