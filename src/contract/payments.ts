/** Paying, the gateways' call-backs, and what is printed of it. None of it ever waits in a queue (D89). */
import * as z from 'zod/mini'
import { languages } from '#domain/accounts/users.ts'
import { paymentTypes } from '#domain/payments.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import {
  amount,
  currency,
  flag01,
  month,
  plainDate,
  randomId,
  rowId,
  text,
  timestamp,
  userMode,
} from '#contract/values.ts'

/** Which id stands in the path depends on what is paid: an order, a backup order or a traffic record (D66). */
const contractType = z.enum(['CONTRACT', 'PDBORDER', 'TRAFFIC'])

/** A step of an amount by its code, with the rule that it applied and the values that words are made of. */
export const feeStep = z.object({
  code: z.string(),
  rule: z.string(),
  values: z.record(z.string(), z.string()),
  amount,
})

const userCount = z.object({ from: z.int(), to: z.int() })

/** What is to be paid for a service, as `toDue` works it out. */
export const paymentDue = z.object({
  contractType,
  id: z.int(),
  type: z.enum(['create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic']),
  currency,
  amount,
  due: timestamp,
  /** Of a change: what it changes; null in it: that stays. Modules by their codes. */
  change: z.nullable(
    z.object({
      users: z.nullable(userCount),
      user_mode: z.nullable(z.object({ from: userMode, to: userMode })),
      uat: z.nullable(z.object({ from: flag01, to: flag01 })),
      added: z.array(z.string()),
      removed: z.array(z.string()),
    }),
  ),
  /** The last day of an extension or a backup. */
  until: z.nullable(plainDate),
  /** Of traffic. */
  month: z.nullable(month),
})

/**
 * Secret, because it carries a card's token: what becomes of it stands in the attempts and not in the idempotency store. The same call
 * again is told the same.
 */
export const pay = defineEndpoint({
  name: 'pay',
  method: 'POST',
  path: '/api/payment/:contract',
  summary: 'Pay an order, a backup or traffic; Alipay answers where to go',
  access: 'order',
  matrix: 'Z-20 Z-21',
  params: z.object({ contract: rowId }),
  body: z.object({
    type: z.enum(paymentTypes),
    contractType,
    /** A card token or a payment intent's id (D67). */
    token: z.optional(text(300)),
  }),
  encoding: 'form',
  /**
   * `processing`: the gateway has not said its last word. `received`: the money was taken, but what it was for could no longer be paid;
   * the provider's staff refund or apply it.
   */
  output: z.union([
    z.object({ status: z.enum(['paid', 'received', 'processing']) }),
    z.object({ redirect: z.string() }),
  ]),
  offline: 'online',
  secret: true,
})

/** For a page that waits, because the gateway's own word may be later than the browser. Changes nothing but that it is known. */
export const checkPayment = defineEndpoint({
  name: 'checkPayment',
  method: 'POST',
  path: '/api/payment/:contract/check',
  summary: 'How the payment of an order stands; the gateway is asked where it is not settled',
  access: 'order',
  matrix: 'Z-20',
  params: z.object({ contract: rowId }),
  body: z.object({ contractType }),
  encoding: 'form',
  output: z.object({ status: z.enum(['none', 'open', 'processing', 'paid', 'received', 'declined']) }),
  offline: 'online',
  secret: true,
})

/** D53: the job that does so by itself, now and for everything. */
export const reconcilePayments = defineEndpoint({
  name: 'reconcilePayments',
  method: 'POST',
  path: '/api/payment/reconcile',
  summary: 'Ask the gateways about every payment that is not settled',
  access: 'providerAdmin',
  matrix: 'Z-20',
  body: z.object({}),
  output: z.object({
    looked: z.int(),
    paid: z.int(),
    ended: z.int(),
    waiting: z.int(),
    unanswered: z.int(),
  }),
  offline: 'online',
  job: 'reconcile-payments',
})

const paymentTask = z.object({
  id: z.int(),
  company_id: z.int(),
  company_code: z.string(),
  company_name: z.string(),
  /** What was to be paid, and its number. */
  kind: z.enum(['order', 'backup', 'traffic']),
  payable_id: z.int(),
  service_code: z.string(),
  /** Why it could not be applied when it came. */
  reason: z.enum(['deleted', 'replaced', 'tooLate', 'paidAlready', 'anotherAmount', 'anotherCurrency']),
  amount,
  /** The gateway's own name where it is none of ours. */
  currency: z.string(),
  gateway: z.string(),
  /** The gateway's own name of the payment. */
  reference: z.string(),
  received: timestamp,
  state: z.enum(['open', 'refunding', 'refunded', 'applied']),
  /** Why the gateway refused the latest refund. */
  problem: z.nullable(z.string()),
  /** Who refunded or applied it, and when. */
  user_name: z.nullable(z.string()),
  settled: z.nullable(timestamp),
})
export type PaymentTask = z.output<typeof paymentTask>

/** Money that was taken and no order waited for: what waits for somebody, and the latest that are settled. */
export const listPaymentTasks = defineEndpoint({
  name: 'listPaymentTasks',
  method: 'GET',
  path: '/api/payment/tasks',
  summary: 'Money that no order waits for, over all companies',
  access: 'providerAdmin',
  matrix: 'Z-20',
  output: z.array(paymentTask),
  offline: 'read',
})

export const refundPaymentTask = defineEndpoint({
  name: 'refundPaymentTask',
  method: 'POST',
  path: '/api/payment/tasks/:id/refund',
  summary: 'Give the money of a task back at its gateway',
  access: 'providerAdmin',
  matrix: 'Z-20',
  params: z.object({ id: rowId }),
  body: z.object({}),
  output: paymentTask,
  offline: 'online',
  stepUp: () => true,
})

export const applyPaymentTask = defineEndpoint({
  name: 'applyPaymentTask',
  method: 'POST',
  path: '/api/payment/tasks/:id/apply',
  summary: 'Apply the money of a task to what it was paid for, where that is still possible',
  access: 'providerAdmin',
  matrix: 'Z-20',
  params: z.object({ id: rowId }),
  body: z.object({}),
  output: paymentTask,
  offline: 'online',
  stepUp: () => true,
})

/** Gateways send the payer's browser here; it goes on to the order in the app. `?page=result` shows what came of it, without a login. */
export const returnFromPayment = defineEndpoint({
  name: 'returnFromPayment',
  method: 'GET',
  path: '/public/payment/return/:key',
  summary: 'A payer comes back from a gateway and is sent on to the order',
  access: 'anybody',
  matrix: 'Z-22',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'none',
  secret: true,
  responseType: 'bytes',
})

/** The signature is over the bytes as they came, and stands in a header. */
export const stripeCalls = defineEndpoint({
  name: 'stripeCalls',
  method: 'POST',
  path: '/public/payment/stripe',
  summary: 'Stripe reports a payment; a repeat has no second effect',
  access: 'anybody',
  matrix: 'Z-22',
  body: z.looseObject({ id: text(200, 1), type: text(100, 1) }),
  output: null,
  offline: 'none',
  secret: true,
})

/** Alipay asks until it reads the word `success`. */
export const alipayCalls = defineEndpoint({
  name: 'alipayCalls',
  method: 'POST',
  path: '/public/payment/alipay',
  summary: 'Alipay reports a payment; a repeat has no second effect',
  access: 'anybody',
  matrix: 'Z-22',
  body: z.record(text(100), text(5000)),
  encoding: 'form',
  output: z.unknown(),
  offline: 'none',
  secret: true,
  responseType: 'bytes',
})

export const requestPrint = defineEndpoint({
  name: 'requestPrint',
  method: 'POST',
  path: '/api/print',
  summary: 'An address that shows a document once, within 60 seconds (D65)',
  access: 'order',
  matrix: 'Z-24',
  body: z.object({
    kind: z.enum(['contract', 'PDBORDER', 'TRAFFIC']),
    id: rowId,
    /** Of the document; otherwise that of its user's account. */
    language: z.optional(z.enum(languages)),
  }),
  output: z.object({ url: z.string() }),
  offline: 'online',
  secret: true,
})

export const openPrint = defineEndpoint({
  name: 'openPrint',
  method: 'GET',
  path: '/public/print/:key',
  summary: 'A document to print, once',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'html',
})
