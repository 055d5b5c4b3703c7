/** The register of invoices and credit notes (decision 121), credit balances and pro-forma invoices (decision 124). */
import * as z from 'zod/mini'
import { creditCauses } from '#domain/credit.ts'
import { paymentTypes } from '#domain/payments.ts'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import { paidItems } from '#contract/payments.ts'
import {
  amount,
  changesOutput,
  currency,
  getSortNames,
  integerBetween,
  month,
  pageOutput,
  pageQuery,
  ref,
  rowId,
  text,
  timestamp,
} from '#contract/values.ts'

export const documentKinds = ['invoice', 'creditNote'] as const
export const documentStates = ['paid', 'partlyRefunded', 'refunded', 'disputed'] as const

const kind = z.enum(documentKinds)
const state = z.enum(documentStates)

export const invoiceRow = z.object({
  id: z.int(),
  company_id: z.int(),
  kind,
  code: z.string(),
  /** The invoice itself, or the credited invoice. */
  invoice_id: z.int(),
  /** Number of that invoice, and its id in this register. */
  invoice_code: z.string(),
  invoice_document_id: z.int(),
  issued: timestamp,
  /** Year of `issued`, for the filter. */
  year: z.int(),
  /** What was paid: an order of this type, a backup subscription, or a month of traffic. */
  type: z.enum(['create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic']),
  service_code: z.string(),
  service_name: z.string(),
  /** Month of traffic. Null for anything else. */
  month: z.nullable(month),
  /** The paid order, whose page shows the contract. Null for backups and traffic. */
  order_id: z.nullable(z.int()),
  contract_id: z.nullable(z.int()),
  po_number: z.nullable(z.string()),
  currency,
  /** Positive, also for a credit note. */
  amount,
  method: z.string(),
  /** Number of the payment at the gateway. */
  reference: z.string(),
  refunded: amount,
  /** Sum of the refunds that are requested or pending. */
  refunding: amount,
  /** An open dispute comes before a refund. A credit note is `refunded`. */
  state,
  row_version: z.int(),
})
export type InvoiceRow = z.output<typeof invoiceRow>

/** Sorting by amount is left out, because amounts of different currencies have no order (decision 107). */
export const invoiceSorts = {
  id: 'number',
  code: 'text',
  issued: 'time',
  service_code: 'text',
  state: 'text',
} as const satisfies ListSpec['sorts']

export const invoiceFilters = {
  id: { kind: 'equal', column: 'id' },
  kind: { kind: 'equal', column: 'kind' },
  state: { kind: 'equal', column: 'state' },
  currency: { kind: 'equal', column: 'currency' },
  // Users see both gateways as one method.
  method: {
    kind: 'equal',
    column: 'method',
    or: { value: 'alipay', column: 'method', values: ['alipay', 'globalAlipay'] },
  },
  year: { kind: 'equal', column: 'year' },
} as const satisfies ListSpec['filters']

/** An invoice's number also finds its credit notes. */
export const searchedInvoiceColumns = [
  'code',
  'invoice_code',
  'service_code',
  'service_name',
  'po_number',
  'reference',
] as const

export const invoiceQuery = {
  id: z.optional(rowId),
  kind: z.optional(kind),
  state: z.optional(state),
  currency: z.optional(currency),
  method: z.optional(z.enum([...paymentTypes, 'transfer', 'credit'])),
  year: z.optional(integerBetween(2000, 2999)),
  searchText: z.optional(text(100)),
}

export const invoiceListSpec = {
  table: 'invoices',
  row: invoiceRow,
  sorts: invoiceSorts,
  sort: ['issued', 'desc'],
  filters: { ...invoiceFilters, searchText: { kind: 'contains', columns: searchedInvoiceColumns } },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

export const listInvoices = defineEndpoint({
  name: 'listInvoices',
  method: 'GET',
  path: '/api/invoice',
  summary: 'Lists the invoices and credit notes of a company',
  access: 'order',
  matrix: 'Z-24',
  query: pageQuery(getSortNames(invoiceListSpec), { companyId: ref('company'), ...invoiceQuery }),
  output: z.union([pageOutput(invoiceRow), changesOutput(invoiceRow)]),
  offline: 'list',
  list: invoiceListSpec,
})

export const creditBalance = z.object({
  currency,
  balance: amount,
  /** What payments hold that are not settled. It can be used again if they fail. */
  held: amount,
})

export const creditEntry = z.object({
  id: z.int(),
  currency,
  cause: z.enum(creditCauses),
  /** Negative if credit was used. */
  amount,
  /** The balance after the entry. */
  balance: amount,
  time: timestamp,
  /** Numbers of what it is about: of a transfer, a credit note, a contract, a payment's invoices, or the bank's of a withdrawal. */
  reference: z.string(),
  /** Why it was withdrawn. Null for any other cause. */
  reason: z.nullable(z.string()),
})
export type CreditEntry = z.output<typeof creditEntry>

/** All balances that are or were not zero, and the latest 100 entries, newest first. */
export const readCredit = defineEndpoint({
  name: 'readCredit',
  method: 'GET',
  path: '/api/credit',
  summary: 'Returns the credit balances of a company and the latest entries of their ledger',
  access: 'order',
  matrix: 'Z-24',
  query: z.object({ companyId: z.optional(ref('company')) }),
  output: z.object({ balances: z.array(creditBalance), entries: z.array(creditEntry) }),
  offline: 'read',
})

export const bankAccount = z.object({
  currency,
  holder: z.string(),
  bank: z.string(),
  /** IBAN or account number. */
  account: z.string(),
  /** BIC or national bank code. Null if it is not needed. */
  bic: z.nullable(z.string()),
  address: z.nullable(z.string()),
})
export type BankAccount = z.output<typeof bankAccount>

/**
 * Issues a pro-forma invoice for unpaid items of one company and currency, or returns the latest one if nothing has changed since. Its PDF is
 * opened by `requestPrint` with the kind `PROFORMA`.
 */
export const requestProforma = defineEndpoint({
  name: 'requestProforma',
  method: 'POST',
  path: '/api/proforma',
  summary: 'Issues a pro-forma invoice with bank details for a payment by bank transfer',
  access: 'order',
  matrix: 'Z-20 Z-24',
  body: z.object({ items: paidItems }),
  output: z.object({
    id: rowId,
    /** The number, which the payer gives as the reference of the transfer. */
    code: z.string(),
    currency,
    /** The sum of the items, what credit pays of it, and what has to be transferred. */
    amount,
    credit: amount,
    transfer: amount,
    /** Money that arrives later becomes credit. Null if the items have no due time. */
    due: z.nullable(timestamp),
    account: bankAccount,
  }),
  offline: 'online',
  secret: true,
})
