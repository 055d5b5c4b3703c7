/** The stored contents of invoices, credit notes and pro-forma invoices, which never change. */
import type { PdbType } from '#contract/backups.ts'
import type { BankAccount } from '#contract/invoices.ts'
import type { CompanyField } from '#domain/accounts/company-fields.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { Currency } from '#domain/money.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { CompanyRecord } from '#server/db/accounts/companies.ts'

/** A company on a document. Older invoices have no tax number. */
export type InvoiceParty = Pick<CompanyRecord, CompanyField> & Partial<Pick<CompanyRecord, 'tax_number'>>

export interface FrozenInvoice {
  invoice_no: string
  issued: string
  /** Zone of all times. Older invoices have none. */
  time_zone?: string
  seller: InvoiceParty
  buyer: InvoiceParty | null
  service: { code: string; name: string }
  currency: Currency
  amount: string
  pay_amount: string
  lines: FeeStep[]
  /** `credit`: the part that credit paid. Missing if there was none (decision 124). */
  payment: { gateway: string; reference: string; paid: string; credit?: string }
  /** The payer's purchase order number. */
  po_number?: string
  /** Number of the contract of an order. */
  contract?: string
  order?: FrozenOrder
  backup?: FrozenBackup
  traffic?: { month: string; pdb_traffic: string; free: string; price: string }
}

interface FrozenOrder {
  type: 'create' | 'extend' | 'change'
  users: number
  user_mode: 'CONCURRENT' | 'NAMED'
  modules: string[]
  /** Names by code, as of the payment. Older invoices have none. */
  module_names?: Record<string, string>
  uat: number
  period_start: PlainDate
  /** Exclusive (D18). */
  period_end: PlainDate
}

interface FrozenBackup {
  pdb_type: PdbType
  period_start: PlainDate
  /** Exclusive (D18). */
  period_end: PlainDate
  annual: string
  discount: string
}

/** What an invoice is for. */
export type FrozenSubject = Pick<FrozenInvoice, 'service' | 'contract' | 'currency' | 'order' | 'backup' | 'traffic'>

/** Of the subject and the purchase order, a credit note has what its invoice has. */
export interface FrozenCreditNote extends FrozenSubject, Pick<FrozenInvoice, 'po_number'> {
  credit_note_no: string
  issued: string
  /** Time zone of the times. */
  time_zone: string
  seller: InvoiceParty
  buyer: InvoiceParty | null
  invoice_no: string
  invoice_issued: string
  cause: 'staff' | 'gateway' | 'dispute'
  /** What the staff wrote. Null for any other cause. */
  reason: string | null
  amount: string
  /** `method`: the gateway, `transfer`, or `credit`. `time`: of a transfer it is the day. */
  refund: { route: 'gateway' | 'transfer' | 'credit'; method: string; reference: string | null; time: string }
}

export interface FrozenProforma {
  proforma_no: string
  issued: Timestamp
  /** Time zone of the times. */
  time_zone: string
  seller: InvoiceParty
  buyer: InvoiceParty | null
  items: FrozenProformaItem[]
  currency: Currency
  /** The sum of the items, what credit pays of it, and what has to be transferred. */
  amount: string
  credit: string
  transfer: string
  /** Null if the items have no due time. */
  due: Timestamp | null
  account: BankAccount
}

/** Of a month of traffic, the amount is all that is left of it. */
export interface FrozenProformaItem extends FrozenSubject {
  pay_amount: string
}
