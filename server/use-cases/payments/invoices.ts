/** Writes invoices, which store seller and buyer as of the payment and are numbered without gaps (D90). */
import type { FeeStep } from '#domain/fees/explain.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { type Currency, readAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import { findBackupById, findServiceName, findTrafficById } from '#server/db/hosting/backups.ts'
import { type CompanyRecord, findCompanyById } from '#server/db/accounts/companies.ts'
import { takeNextNumber } from '#server/db/orders/contracts.ts'
import { type InvoiceSubject, insertInvoice, readSeller } from '#server/db/payments/payments.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import type { PaymentDetails } from '#server/use-cases/payments/payable.ts'

type InvoiceContext = Pick<UseCaseContext, 'db' | 'app' | 'now'>

export interface InvoiceInput {
  companyId: number
  subject: InvoiceSubject
  payment: PaymentDetails
  content: {
    service: { code: string; name: string }
    lines: FeeStep[]
    currency: Currency
    amount: string
    pay_amount: string
    [detail: string]: unknown
  }
}

/** Returns the invoice number. It is assigned in the same transaction, so no number is ever missing. */
export async function writeInvoice(
  { db, app, now }: InvoiceContext,
  { companyId, subject, payment, content }: InvoiceInput,
): Promise<string> {
  const { timeZone } = app.config
  const issuedTime = toTimestamp(timeZone, now)
  const year = issuedTime.slice(0, 4)
  const code = `I${year}${issuedTime.slice(5, 7)}${String(await takeNextNumber(db, 'invoice', year)).padStart(6, '0')}`
  const buyer = await findCompanyById(db, companyId)
  const { gateway, reference, paidAt, poNumber = null, credit = '0.00' } = payment
  const invoiceContent = {
    invoice_no: code,
    issued: issuedTime,
    time_zone: timeZone,
    seller: await readSeller(db),
    buyer: buyer && toPublicFields(buyer),
    ...content,
    ...(poNumber === null ? {} : { po_number: poNumber }),
    payment: {
      gateway,
      reference,
      paid: toTimestamp(timeZone, paidAt),
      ...(readAmount(credit) > 0n ? { credit } : {}),
    },
  }
  await insertInvoice(db, {
    company_id: companyId,
    code,
    ...subject,
    content: JSON.stringify(invoiceContent),
    create_time: now,
  })
  return code
}

function toPublicFields(company: CompanyRecord) {
  const {
    mfa_required: _mfaRequired,
    row_version: _version,
    create_time: _createTime,
    update_time: _updateTime,
    ...publicFields
  } = company
  return publicFields
}

export async function createBackupInvoice(
  context: InvoiceContext,
  companyId: number,
  id: number,
  payment: PaymentDetails,
): Promise<string> {
  const backup = await findBackupById(context.db, companyId, id)
  if (!backup) throw new Error('the backup to invoice does not exist')
  const { service_code: code, pdb_type, period, period_type, period_start, period_end, steps: lines } = backup
  const { currency, annual, discount, amount, pay_amount } = backup
  return await writeInvoice(context, {
    companyId,
    subject: { backup_order_id: id },
    payment,
    content: {
      service: { code, name: await findServiceName(context.db, backup) },
      backup: { id, pdb_type, period, period_type, period_start, period_end, annual, discount },
      lines,
      currency,
      amount,
      pay_amount,
    },
  })
}

export async function createTrafficInvoice(
  context: InvoiceContext,
  companyId: number,
  id: number,
  payment: PaymentDetails,
): Promise<string> {
  const traffic = await findTrafficById(context.db, companyId, id)
  if (!traffic) throw new Error('the traffic to invoice does not exist')
  const { service_code: code, period_end, pdb_traffic, free, price, steps: lines, currency, amount } = traffic
  return await writeInvoice(context, {
    companyId,
    subject: { traffic_id: id },
    payment,
    content: {
      service: { code, name: await findServiceName(context.db, traffic) },
      traffic: { id, month: getTrafficMonth(period_end), pdb_traffic, free, price },
      lines,
      currency,
      amount,
      pay_amount: amount,
    },
  })
}
