/**
 * Puts refunds into effect: the credit note, the sum in the register of documents, mails and the audit trail, all in the transaction that
 * stores the refund as done. The contract stays as it is; only money moves (decision 123).
 */
import { PROVIDER } from '#domain/access.ts'
import { getSmaller, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import { findCompanyOfUser } from '#server/db/accounts/companies.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { takeNextNumber } from '#server/db/orders/contracts.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import { toItemRef } from '#server/db/payments/payables.ts'
import {
  findAttemptOfPayment,
  getRefund,
  insertCreditNote,
  lockInvoicesOfPayment,
  type RefundableInvoice,
  type RefundRecord,
  updateDocument,
} from '#server/db/payments/refunds.ts'
import type { FrozenCreditNote, FrozenInvoice } from '#server/use-cases/documents/frozen-content.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import type { PaymentContext } from '#server/use-cases/payments/payable.ts'

/** `assigned`: the staff chose the invoice of a refund at the gateway. `seen`: they have settled the task about it. */
export type RefundAuditOutcome = 'refunding' | 'refunded' | 'refused' | 'assigned' | 'seen'

/** What is left of an invoice, or of a payment that has none: its amount without all refunds that are not failed. */
export const getRest = (amount: string, refunds: readonly Pick<RefundRecord, 'state' | 'amount'>[]) =>
  readAmount(amount) - sumRefunds(refunds.filter(({ state }) => state !== 'failed'))

/**
 * What is left of a payment: of all its invoices, and of the money that the gateway took. Without invoices both are the same. Credit that paid
 * a part is on the invoices, but cannot be sent back by the gateway (decision 124).
 */
export function getPaymentRest(
  amount: string,
  invoices: readonly Pick<RefundableInvoice, 'amount'>[],
  refunds: readonly Pick<RefundRecord, 'state' | 'amount' | 'route'>[],
): { total: Hundredths; gateway: Hundredths } {
  const invoiced = invoices.reduce((sum, invoice) => sum + readAmount(invoice.amount), 0n)
  const total = getRest(invoices.length === 0 ? amount : writeAmount(invoiced), refunds)
  const gatewayRest = getRest(
    amount,
    refunds.filter(({ route }) => route === 'gateway'),
  )
  return { total, gateway: getSmaller(total, gatewayRest) }
}

export const sumRefunds = (refunds: readonly Pick<RefundRecord, 'amount'>[]) =>
  refunds.reduce((sum, { amount }) => sum + readAmount(amount), 0n)

/**
 * Writes the credit note of a refund that is stored as done, adds it to the sum of its invoice, and requests the mails. The invoices of the
 * payment must be locked. Returns the number of the credit note.
 */
export async function writeCreditNote(context: PaymentContext, refundId: number): Promise<string> {
  const { db, app, now } = context
  const refund = await getRefund(db, refundId)
  const invoices = await lockInvoicesOfPayment(db, refund.payment_id)
  const invoice = invoices.find(({ invoice_id }) => invoice_id === refund.invoice_id)
  if (!invoice || refund.state !== 'done')
    throw new Error('a refund without an invoice, or not done, has no credit note')
  const change = await takeChangeNumber(db, refund.company_id)
  const issued = toTimestamp(app.config.timeZone, now)
  const year = issued.slice(0, 4)
  const number = String(await takeNextNumber(db, 'creditNote', year)).padStart(6, '0')
  const code = `CN${year}${issued.slice(5, 7)}${number}`
  await insertCreditNote(db, {
    company_id: refund.company_id,
    invoice_id: invoice.invoice_id,
    refund_id: refundId,
    code,
    content: JSON.stringify(buildContent(context, { code, issued, refund, invoice })),
    create_time: now,
  })
  // Only a refund that the portal sent was counted as in progress.
  const endedAmount = refund.refund_key === null ? '0.00' : `-${refund.amount}`
  const sums = { refunded: refund.amount, refunding: endedAmount }
  await updateDocument(db, { documentId: invoice.document_id, ...sums, change })
  const payer = (await findAttemptOfPayment(db, refund))?.user_id ?? null
  const userIds = new Set([...(payer === null ? [] : [payer]), ...(await listOrderingUsers(db, refund.company_id))])
  for (const userId of userIds)
    await requestMail(db, { companyId: refund.company_id, now }, { mail: 'invoice-refunded', userId, refundId })
  return code
}

const subjectFields = ['service', 'po_number', 'contract', 'order', 'backup', 'traffic'] as const
type SubjectFields = Pick<FrozenInvoice, (typeof subjectFields)[number]>

/** Returns what was credited, without the facts that the invoice does not have. */
const pickSubject = (content: FrozenInvoice) =>
  Object.fromEntries(
    subjectFields.flatMap((field) => (content[field] === undefined ? [] : [[field, content[field]]])),
  ) as unknown as SubjectFields

interface CreditNoteInput {
  code: string
  issued: string
  refund: RefundRecord
  invoice: RefundableInvoice
}

function buildContent({ app }: PaymentContext, { code, issued, refund, invoice }: CreditNoteInput): FrozenCreditNote {
  const invoiceContent = invoice.content as FrozenInvoice
  const { timeZone } = app.config
  const { route, gateway, reference, end_time: endTime, transfer_date: transferDate, cause, reason } = refund
  const { amount, currency } = refund
  return {
    credit_note_no: code,
    issued,
    time_zone: timeZone,
    seller: invoiceContent.seller,
    buyer: invoiceContent.buyer,
    invoice_no: invoice.code,
    invoice_issued: invoiceContent.issued,
    ...pickSubject(invoiceContent),
    cause,
    reason,
    amount: writeAmount(readAmount(amount)),
    currency,
    refund: {
      route,
      method: route === 'gateway' ? gateway : route,
      reference,
      time: transferDate ?? (endTime === null ? issued : toTimestamp(timeZone, endTime)),
    },
  }
}

/** Builds an entry for the log of the company that the money belongs to. */
export function buildRefundEntry(refund: RefundRecord, outcome: RefundAuditOutcome): AuditEntry {
  const {
    code: ServiceCode,
    invoice_code: InvoiceNo,
    credit_note_code: CreditNoteNo,
    amount,
    currency,
    cause,
    reason,
  } = refund
  const item = refund.invoice_id === null ? null : toItemRef(refund)
  return {
    code: item === null || item.kind === 'order' ? 'order' : 'backup',
    operation: 'refund',
    info: {
      ServiceCode,
      ...(item?.kind === 'order' ? { OrderId: item.id } : {}),
      ...(InvoiceNo === null ? {} : { InvoiceNo }),
      ...(CreditNoteNo === null ? {} : { CreditNoteNo }),
      Amount: `${currency} ${amount}`,
      Gateway: refund.route === 'gateway' ? refund.gateway : refund.route,
      Reference: refund.reference ?? refund.payment_reference,
      ...(reason === null ? { RefundCause: cause } : { RefundReason: reason }),
      Outcome: outcome,
    },
    ...(refund.company_code === PROVIDER ? {} : { company: { id: refund.company_id, actor: PROVIDER } }),
  }
}

/** Adds the entry of a refund whose outcome a job or a notice of the gateway found, under the name of the user who requested it. */
export async function recordRefundOutcome(
  { db, now }: Pick<PaymentContext, 'db' | 'now'>,
  refund: Pick<RefundRecord, 'id' | 'user_id' | 'company_id'>,
  entry: AuditEntry,
  isDone: boolean,
): Promise<void> {
  const { id, user_id: userId, company_id: ownCompany } = refund
  const company = userId === null ? null : await findCompanyOfUser(db, userId)
  const header = { companyId: company?.id ?? ownCompany, userId, now, intent: null, requestId: `refund-${id}` }
  const { company: logCompany, ...fields } = entry
  const isOwn = header.companyId === ownCompany
  const ownEntry = isOwn || !logCompany ? fields : { ...fields, company: logCompany }
  await addAuditEntries(db, { ...header, status: isDone ? 0 : -1 }, [ownEntry])
}
