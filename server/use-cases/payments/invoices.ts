/**
 * Invoices: frozen as seller and buyer are when it is paid, and numbered without gaps, whatever they are of: an order, a
 * backup or a month's traffic (D90).
 */
import type { Step } from '#domain/fees/explain.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import type { Currency } from '#domain/money.ts'
import { timestampIn } from '#domain/time.ts'
import { backupById, serviceNameOf, trafficById } from '#server/db/hosting/backups.ts'
import { type CompanyRecord, companyById } from '#server/db/accounts/companies.ts'
import { nextNumber } from '#server/db/orders/contracts.ts'
import { type InvoiceSubject, insertInvoice, sellerNow } from '#server/db/payments/payments.ts'
import type { UseCaseContext } from '#server/context/context.ts'

type Till = Pick<UseCaseContext, 'db' | 'app' | 'now'>

interface Paid {
  gateway: string
  reference: string
  /** Epoch ms. */
  paidAt: number
}

export interface Invoiced {
  companyId: number
  subject: InvoiceSubject
  payment: Paid
  content: {
    service: { code: string; name: string }
    lines: Step[]
    currency: Currency
    amount: string
    pay_amount: string
    [detail: string]: unknown
  }
}

/** Answers its number, which is taken in the same transaction, so none is ever missing. */
export async function writeInvoice(
  { db, app, now }: Till,
  { companyId, subject, payment, content }: Invoiced,
): Promise<string> {
  const { timeZone } = app.config
  const issued = timestampIn(timeZone, now)
  const year = issued.slice(0, 4)
  const code = `I${year}${issued.slice(5, 7)}${String(await nextNumber(db, 'invoice', year)).padStart(6, '0')}`
  const buyer = await companyById(db, companyId)
  const { gateway, reference, paidAt } = payment
  const frozen = {
    invoice_no: code,
    issued,
    seller: await sellerNow(db),
    buyer: buyer && publicSide(buyer),
    ...content,
    payment: { gateway, reference, paid: timestampIn(timeZone, paidAt) },
  }
  await insertInvoice(db, {
    company_id: companyId,
    code,
    ...subject,
    content: JSON.stringify(frozen),
    create_time: now,
  })
  return code
}

function publicSide(company: CompanyRecord) {
  const { mfa_required: _mfa, row_version: _version, create_time: _made, update_time: _changed, ...shown } = company
  return shown
}

/** Of a backup that was paid. */
export async function invoiceBackup(till: Till, companyId: number, id: number, payment: Paid): Promise<string> {
  const backup = await backupById(till.db, companyId, id)
  if (!backup) throw new Error('a backup that is invoiced is not there')
  const { service_code: code, pdb_type, period, period_type, period_start, period_end, steps: lines } = backup
  const { currency, annual, discount, amount, pay_amount } = backup
  return await writeInvoice(till, {
    companyId,
    subject: { backup_order_id: id },
    payment,
    content: {
      service: { code, name: await serviceNameOf(till.db, backup) },
      backup: { id, pdb_type, period, period_type, period_start, period_end, annual, discount },
      lines,
      currency,
      amount,
      pay_amount,
    },
  })
}

/** Of a month's traffic that was paid. */
export async function invoiceTraffic(till: Till, companyId: number, id: number, payment: Paid): Promise<string> {
  const traffic = await trafficById(till.db, companyId, id)
  if (!traffic) throw new Error('traffic that is invoiced is not there')
  const { service_code: code, period_end, pdb_traffic, free, price, steps: lines, currency, amount } = traffic
  return await writeInvoice(till, {
    companyId,
    subject: { traffic_id: id },
    payment,
    content: {
      service: { code, name: await serviceNameOf(till.db, traffic) },
      traffic: { id, month: monthOf(period_end), pdb_traffic, free, price },
      lines,
      currency,
      amount,
      pay_amount: amount,
    },
  })
}
