/** Credit balances and pro-forma invoices (decision 124). An addition to the specification. */
import * as z from 'zod/mini'
import { creditCauses } from '#domain/credit.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import { paidItems } from '#contract/payments.ts'
import { amount, currency, ref, rowId, timestamp } from '#contract/values.ts'

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
