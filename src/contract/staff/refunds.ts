/** Refunds of invoices, disputes about payments, and the check of all money (decision 123). An addition to the specification. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { amount, currency, line, paragraph, plainDate, rowId, timestamp } from '#contract/values.ts'
import { moneyRules } from '#domain/money-faults.ts'

const refundRow = z.object({
  id: z.int(),
  company_id: z.int(),
  company_code: z.string(),
  company_name: z.string(),
  /** Null until it is known which of several invoices a refund at the gateway is for. */
  invoice_id: z.nullable(z.int()),
  invoice_code: z.nullable(z.string()),
  /** Id of the invoice in the register. */
  document_id: z.nullable(z.int()),
  credit_note_code: z.nullable(z.string()),
  /** The service code, or the codes of all services of the payment. */
  service_code: z.string(),
  currency,
  amount,
  /** `credit`: it was added to the credit balance. */
  route: z.enum(['gateway', 'transfer', 'credit']),
  /** Gateway of the payment, and the payment's number there. */
  gateway: z.string(),
  payment_reference: z.string(),
  /** What the staff wrote. Null for any other cause. */
  reason: z.nullable(z.string()),
  state: z.enum(['requested', 'pending', 'done', 'failed']),
  /** The refund's number at the gateway or the bank. */
  reference: z.nullable(z.string()),
  /** Reason of a refusal. Of a refund that is done: the gateway could not complete it later, and the credit note stays valid. */
  problem: z.nullable(z.string()),
  /** `failed` and not of the staff, without a problem: it exceeds what was left of the payment, and no invoice has it. `gateway`: it was made on the gateway's own pages. `dispute`: the bank took the money back after a lost dispute. */
  cause: z.enum(['staff', 'gateway', 'dispute']),
  user_name: z.nullable(z.string()),
  requested: timestamp,
  ended: z.nullable(timestamp),
  seen: z.nullable(timestamp),
})
export type RefundRow = z.output<typeof refundRow>

const disputeRow = z.object({
  id: z.int(),
  company_id: z.int(),
  company_code: z.string(),
  company_name: z.string(),
  service_code: z.string(),
  /** Numbers of the invoices of the payment. */
  invoices: z.array(z.string()),
  gateway: z.string(),
  payment_reference: z.string(),
  reference: z.string(),
  currency: z.string(),
  amount,
  reason: z.string(),
  /** A question of the bank before a dispute. It does not mark the invoices as disputed, and a refund may settle it. */
  is_inquiry: z.boolean(),
  /** Time until which the gateway accepts evidence. */
  respond_by: z.nullable(timestamp),
  opened_time: timestamp,
})
export type DisputeRow = z.output<typeof disputeRow>

/** `id` is the id of the document in the register. The staff type the invoice's number to confirm. */
export const refundInvoice = defineEndpoint({
  name: 'refundInvoice',
  method: 'POST',
  path: '/api/invoice/:id/refund',
  summary:
    'Refunds an invoice or a part of it by its gateway, or records a bank transfer; writes a credit note when it is done',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20 Z-24',
  params: z.object({ id: rowId }),
  body: z.object({
    amount,
    /** Sum of the invoice's refunds, done and in progress, that the staff have seen. If it differs, nothing is refunded. */
    refunded_before: amount,
    reason: paragraph(500).check(z.minLength(1)),
    route: z.enum(['gateway', 'transfer', 'credit']),
    /** The bank's reference and the day of the transfer. Required for a transfer. */
    reference: z.optional(line(100)),
    date: z.optional(plainDate),
    confirmation: line(40),
  }),
  output: refundRow,
  offline: 'online',
  stepUp: () => true,
})

/**
 * Refunds in progress, failed ones and those made at a gateway that nobody has marked as seen, and open disputes. With `invoice`, the id of an
 * invoice in the register: all refunds of this invoice, those of its payment without an invoice, and its open disputes.
 */
export const listRefunds = defineEndpoint({
  name: 'listRefunds',
  method: 'GET',
  path: '/api/payment/refunds',
  summary: 'Lists refunds and disputes of all companies that need attention',
  access: 'providerAdmin',
  matrix: 'Z-20',
  query: z.object({ invoice: z.optional(rowId) }),
  output: z.object({
    refunds: z.array(
      z.extend(refundRow, {
        /** What was refunded at once at the gateway, and the invoices that it was for. The row is about the first of them. */
        total: amount,
        invoice_codes: z.array(z.string()),
        /** The invoices of the payment, if it is not known yet which one the refund is for. */
        invoices: z.array(z.object({ id: z.int(), code: z.string(), service_code: z.string(), currency, amount })),
      }),
    ),
    disputes: z.array(disputeRow),
  }),
  offline: 'read',
})
export type ListedRefund = z.output<typeof listRefunds.output>['refunds'][number]

export const settleRefundTask = defineEndpoint({
  name: 'settleRefundTask',
  method: 'POST',
  path: '/api/payment/refunds/:id/settle',
  summary:
    'Marks a failed refund, or one that was made at the gateway, as seen, and gives it to one of several invoices',
  access: 'providerAdmin',
  matrix: 'Z-20',
  params: z.object({ id: rowId }),
  /** Required if the payment has several invoices. */
  body: z.object({ invoice_id: z.optional(rowId) }),
  output: refundRow,
  offline: 'online',
  stepUp: () => true,
})

/** The refund fails if the gateway confirms after a minute that it has no such refund. Otherwise it continues. */
export const withdrawRefund = defineEndpoint({
  name: 'withdrawRefund',
  method: 'POST',
  path: '/api/payment/refunds/:id/withdraw',
  summary: 'Withdraws a refund that the gateway has not accepted',
  access: 'orderingProviderAdmin',
  matrix: 'Z-20 Z-24',
  params: z.object({ id: rowId }),
  body: z.object({}),
  output: refundRow,
  offline: 'online',
  stepUp: () => true,
})

const moneyFault = z.object({
  /** Name of the rule that does not hold. */
  rule: z.enum(moneyRules),
  /** Null if the rule is about all companies. */
  company_id: z.nullable(z.int()),
  company_name: z.nullable(z.string()),
  /** Codes, ids and amounts, which the text of the rule names. Null if the rule could not be checked. */
  values: z.nullable(z.record(z.string(), z.string())),
})
export type MoneyFault = z.output<typeof moneyFault>

export const readMoneyCheck = defineEndpoint({
  name: 'readMoneyCheck',
  method: 'GET',
  path: '/api/payment/money-check',
  summary: 'Returns the result of the latest check of all money',
  access: 'providerAdmin',
  matrix: 'Z-20',
  output: z.object({
    /** Null if the money was not checked yet. */
    time: z.nullable(timestamp),
    /** The latest check is older than two days. */
    is_late: z.boolean(),
    faults: z.array(moneyFault),
  }),
  offline: 'read',
})

/** Runs the check that otherwise runs daily, and stores its result. */
export const runMoneyCheck = defineEndpoint({
  name: 'runMoneyCheck',
  method: 'POST',
  path: '/api/payment/money-check',
  summary: 'Checks all money now, and returns the result',
  access: 'providerAdmin',
  matrix: 'Z-20',
  body: z.object({}),
  output: readMoneyCheck.output,
  offline: 'online',
  job: 'check-money',
})
