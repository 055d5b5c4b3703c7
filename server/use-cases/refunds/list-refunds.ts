/** Lists refunds and disputes that need the attention of the staff, and settles tasks about refunds that were made at a gateway. */
import { toTimestamp } from '#domain/time.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type {
  listRefunds as listEndpoint,
  readMoneyCheck as moneyEndpoint,
  settleRefundTask as settleEndpoint,
  withdrawRefund as withdrawEndpoint,
} from '#contract/staff/refunds.ts'
import { type DisputeRecord, listOpenDisputes } from '#server/db/payments/disputes.ts'
import { readLatestCheck } from '#server/db/payments/money-checks.ts'
import {
  findRefund,
  findRefundableInvoice,
  getRefund,
  listInvoicesOfPayment,
  listRefundsOfInvoice,
  listUnsettledRefunds,
  lockInvoicesOfPayment,
  updateRefund,
} from '#server/db/payments/refunds.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { buildRefundEntry } from '#server/use-cases/refunds/complete-refund.ts'
import { assignRefund } from '#server/use-cases/refunds/record-refund.ts'
import { toRefundRow } from '#server/use-cases/refunds/refund-invoice.ts'

/** Delay in ms until the gateway is queried about a withdrawn refund. */
const withdrawalDelayMs = 61_000
/** Age in ms from which a daily check of all money is late. */
const lateMs = 2 * 86_400_000

type DisputeRow = OutputOf<typeof listEndpoint>['disputes'][number]

export const listRefunds: UseCase<typeof listEndpoint> = ({ db, app }, { query }) =>
  runAsSystem(db, async () => {
    const invoice = query.invoice === undefined ? null : requireRow(await findRefundableInvoice(db, query.invoice))
    const refunds: OutputOf<typeof listEndpoint>['refunds'] = []
    for (const refund of await (invoice ? listRefundsOfInvoice(db, invoice) : listUnsettledRefunds(db))) {
      // Only a refund without an invoice may belong to one of several.
      const isUnassigned = refund.invoice_id === null && refund.state === 'done'
      const invoices = isUnassigned ? await listInvoicesOfPayment(db, refund.payment_id) : []
      refunds.push({
        ...toRefundRow(app, refund),
        total: refund.total,
        invoice_codes: refund.invoice_codes,
        invoices: invoices.map(({ invoice_id: id, code, service_code, currency, amount }) => ({
          id,
          code,
          service_code,
          currency,
          amount,
        })),
      })
    }
    const disputes = await listOpenDisputes(db, invoice?.payment_id)
    return { body: { refunds, disputes: disputes.map((dispute) => toDisputeRow(app, dispute)) } }
  })

function toDisputeRow({ config }: AppContext, dispute: DisputeRecord): DisputeRow {
  const { id, company_id, company_code, company_name, invoices, gateway, payment_reference, reference } = dispute
  const { currency, amount, reason, is_inquiry, respond_by: respondBy } = dispute
  return {
    id,
    company_id,
    company_code,
    company_name,
    service_code: dispute.code,
    invoices,
    gateway,
    payment_reference,
    reference,
    currency,
    amount,
    reason,
    is_inquiry,
    respond_by: respondBy === null ? null : toTimestamp(config.timeZone, respondBy),
    opened_time: toTimestamp(config.timeZone, dispute.create_time),
  }
}

/** A failed refund keeps its requester. Throws STATE_CONFLICT (`seen`) if somebody has settled it, and VALIDATION_ERROR without one of the payment's several invoices. */
export const settleRefundTask: UseCase<typeof settleEndpoint> = (context, { params: { id }, body }) =>
  runAsSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const { payment_id: paymentId } = requireRow(await findRefund(db, id))
    const invoices = await lockInvoicesOfPayment(db, paymentId)
    const refund = await getRefund(db, id)
    const hasFailed = refund.state === 'failed' || (refund.state === 'done' && refund.problem !== null)
    const isTask = refund.cause !== 'staff' || hasFailed
    if (!isTask || refund.seen_time !== null) throw new ProblemError('STATE_CONFLICT', { why: 'seen' })
    const seenFields = { seen_time: now, update_time: now }
    await updateRefund(db, id, refund.cause === 'staff' ? seenFields : { ...seenFields, user_id: caller.userId })
    if (refund.invoice_id === null && refund.state === 'done' && invoices.length > 0) {
      const invoice = invoices.find(({ invoice_id }) => invoice_id === body.invoice_id)
      if (!invoice) throw createValidationProblem([{ field: 'invoice_id', code: 'REQUIRED' }])
      await assignRefund(context, { refundId: id, invoiceId: invoice.invoice_id, outcome: 'assigned' })
      context.afterCommit(() => notifyJobs(app))
    }
    await context.audit(buildRefundEntry(await getRefund(db, id), 'seen'))
    return { body: toRefundRow(app, await getRefund(db, id)) }
  })

/**
 * The gateway is queried when no earlier request can be on its way any more. Throws STATE_CONFLICT (`changed`) if the refund is not waiting
 * to be accepted, or was withdrawn before.
 */
export const withdrawRefund: UseCase<typeof withdrawEndpoint> = (context, { params: { id } }) =>
  runAsSystem(context.db, async () => {
    const { db, app, now } = context
    const { payment_id: paymentId } = requireRow(await findRefund(db, id))
    await lockInvoicesOfPayment(db, paymentId)
    const refund = await getRefund(db, id)
    if (refund.state !== 'requested' || refund.seen_time !== null)
      throw new ProblemError('STATE_CONFLICT', { why: 'changed' })
    await updateRefund(db, id, { seen_time: now, next_look: now + withdrawalDelayMs, update_time: now })
    await context.audit(buildRefundEntry(refund, 'withdrawing'))
    return { body: toRefundRow(app, await getRefund(db, id)) }
  })

export const readMoneyCheck: UseCase<typeof moneyEndpoint> = ({ db, app, now }) =>
  runAsSystem(db, async () => {
    const check = await readLatestCheck(db)
    const time = check && toTimestamp(app.config.timeZone, check.create_time)
    const isLate = check !== null && now - check.create_time > lateMs
    return { body: { time, is_late: isLate, faults: check?.faults ?? [] } }
  })
