/** Bank transfers and credit balances of customers (decision 124). For the provider's staff only. */
import * as z from 'zod/mini'
import { transferStates } from '#domain/credit.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import { maxPaidItems } from '#domain/payments.ts'
import { paidItem } from '#contract/payments.ts'
import { amount, currency, line, paragraph, plainDate, rowId, text, timestamp } from '#contract/values.ts'

/** Maximum size of an imported statement in characters. */
export const maxStatementSize = 2_000_000

const contractType = z.enum(['CONTRACT', 'PDBORDER', 'TRAFFIC'])

/** Something unpaid that a transfer may be for. */
const payableItem = z.object({
  contractType,
  id: rowId,
  type: z.enum(['create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic']),
  service_code: z.string(),
  currency,
  amount,
  due: z.nullable(timestamp),
})
export type PayableItem = z.output<typeof payableItem>

const proposal = z.object({
  /** What agrees: the reference names a pro-forma or an unpaid service, the amount is exactly due, or the sender is the company. */
  match: z.enum(['proforma', 'reference', 'amount', 'sender']),
  company_id: z.int(),
  company_code: z.string(),
  company_name: z.string(),
  /** Number of the pro-forma, if it was found by it. */
  proforma_code: z.nullable(z.string()),
  /** What the transfer pays exactly or together with credit. Empty if it only becomes credit. */
  items: z.array(payableItem),
})
export type TransferProposal = z.output<typeof proposal>

export const bankTransferRow = z.object({
  id: z.int(),
  source: z.enum(['staff', 'statement']),
  /** The account that received it: of `BANK_ACCOUNTS`, or as the statement names it. Empty if the staff recorded the transfer. */
  account: z.string(),
  day: plainDate,
  currency,
  amount,
  sender: z.string(),
  reference: z.string(),
  bank_reference: z.string(),
  state: z.enum(transferStates),
  company_id: z.nullable(z.int()),
  company_code: z.nullable(z.string()),
  company_name: z.nullable(z.string()),
  /** Numbers of the invoices that were paid when it was credited. */
  invoices: z.array(z.string()),
  note: z.nullable(z.string()),
  return_reference: z.nullable(z.string()),
  return_date: z.nullable(plainDate),
  user_name: z.nullable(z.string()),
  recorded: timestamp,
  row_version: z.int(),
  /** Best first. Only for open transfers. */
  proposals: z.array(proposal),
})
export type BankTransferRow = z.output<typeof bankTransferRow>

/** All open transfers, oldest first, and the latest 200 others, newest first. */
export const listBankTransfers = defineEndpoint({
  name: 'listBankTransfers',
  method: 'GET',
  path: '/api/bank-transfers',
  summary: 'Lists received bank transfers and proposes what they pay',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  output: z.object({ open: z.array(bankTransferRow), settled: z.array(bankTransferRow) }),
  offline: 'read',
})

export const recordBankTransfer = defineEndpoint({
  name: 'recordBankTransfer',
  method: 'POST',
  path: '/api/bank-transfers',
  summary: 'Records a bank transfer that has arrived',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  body: z.object({
    day: plainDate,
    currency,
    amount,
    sender: line(200, 1),
    reference: line(200),
    bank_reference: line(100, 1),
  }),
  output: bankTransferRow,
  offline: 'online',
  stepUp: () => true,
})

export const importStatement = defineEndpoint({
  name: 'importStatement',
  method: 'POST',
  path: '/api/bank-transfers/import',
  summary: 'Imports the received transfers of a bank statement (CSV, or camt.053 of ISO 20022)',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  body: z.object({ name: line(200), content: text(maxStatementSize, 1) }),
  // A character may need three bytes.
  jsonBytes: 8_388_608,
  output: z.object({
    /** New transfers, transfers that were already known, and entries that are not received money of a supported currency. */
    added: z.int(),
    known: z.int(),
    skipped: z.int(),
  }),
  offline: 'online',
  stepUp: () => true,
})

const transferParams = z.object({ id: rowId })

/** Adds the money to the company's balance, and pays the items with the balance. All items are paid, or nothing happens. */
export const creditBankTransfer = defineEndpoint({
  name: 'creditBankTransfer',
  method: 'POST',
  path: '/api/bank-transfers/:id/credit',
  summary: 'Adds a bank transfer to the credit balance of a company, and pays items with it',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  params: transferParams,
  body: z.object({
    company_id: rowId,
    items: z.array(paidItem).check(z.maxLength(maxPaidItems)),
    row_version: z.int(),
  }),
  output: bankTransferRow,
  offline: 'online',
  stepUp: () => true,
})

/** Ends an open transfer that is not credited: it was sent back to its sender, or it is not a customer's payment. */
export const closeBankTransfer = defineEndpoint({
  name: 'closeBankTransfer',
  method: 'POST',
  path: '/api/bank-transfers/:id/close',
  summary: 'Records that a bank transfer was returned to its sender, or is not a payment of a customer',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  params: transferParams,
  body: z.object({
    state: z.enum(['returned', 'dismissed']),
    note: paragraph(500).check(z.minLength(1)),
    /** The bank's reference and the day. Required if it was returned. */
    return_reference: z.optional(line(100)),
    return_date: z.optional(plainDate),
    row_version: z.int(),
  }),
  output: bankTransferRow,
  offline: 'online',
  stepUp: () => true,
})

/** Takes the money from the balance again and opens the transfer once more as a new row. Refused if the balance is too small. */
export const correctBankTransfer = defineEndpoint({
  name: 'correctBankTransfer',
  method: 'POST',
  path: '/api/bank-transfers/:id/correct',
  summary: 'Reverses the credit of a bank transfer that belongs to another company',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  params: transferParams,
  body: z.object({ note: paragraph(500).check(z.minLength(1)), row_version: z.int() }),
  output: bankTransferRow,
  offline: 'online',
  stepUp: () => true,
})

/** What a company has not paid, for the choice of what a transfer pays. */
export const listPayableItems = defineEndpoint({
  name: 'listPayableItems',
  method: 'GET',
  path: '/api/bank-transfers/payable/:id',
  summary: 'Lists what a company can pay, with its credit',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  params: z.object({ id: rowId }),
  output: z.object({
    items: z.array(payableItem),
    credit: z.array(z.object({ currency, balance: amount, available: amount })),
  }),
  offline: 'online',
})

export const customerCredit = z.object({
  company_id: z.int(),
  company_code: z.string(),
  company_name: z.string(),
  currency,
  balance: amount,
  held: amount,
})
export type CustomerCredit = z.output<typeof customerCredit>

/** Records that credit was sent back by transfer. The staff type the code of the company to confirm. */
export const withdrawCredit = defineEndpoint({
  name: 'withdrawCredit',
  method: 'POST',
  path: '/api/credit/withdraw',
  summary: 'Records that a part of a credit balance was sent back by bank transfer',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20',
  body: z.object({
    company_id: rowId,
    currency,
    amount,
    /** The balance that the staff have seen. If it differs, nothing happens. */
    balance_before: amount,
    reference: line(100, 1),
    date: plainDate,
    reason: paragraph(500).check(z.minLength(1)),
    confirmation: line(40),
  }),
  output: customerCredit,
  offline: 'online',
  stepUp: () => true,
})
