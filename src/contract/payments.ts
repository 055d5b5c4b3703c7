/** Payments, call-backs of the gateways, and printed documents. None of these calls is ever queued (D89). */
import * as z from 'zod/mini'
import { languages } from '#domain/accounts/users.ts'
import { maxPaidItems, paymentTypes, poNumberLimit } from '#domain/payments.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import {
  amount,
  currency,
  flag01,
  month,
  nameLine,
  plainDate,
  randomId,
  rowId,
  text,
  timestamp,
  userMode,
} from '#contract/values.ts'

/** The type decides which id is in the path: an order, a backup order or a traffic record (D66). */
const contractType = z.enum(['CONTRACT', 'PDBORDER', 'TRAFFIC'])

/** A calculation step of an amount: its code, the applied rule, and the values for its text. */
export const feeStep = z.object({
  code: z.string(),
  rule: z.string(),
  values: z.record(z.string(), z.string()),
  amount,
})

const userCount = z.object({ from: z.int(), to: z.int() })

export const paymentDue = z.object({
  contractType,
  id: z.int(),
  type: z.enum(['create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic']),
  currency,
  amount,
  due: timestamp,
  /** For a change: the changed terms. A null field does not change. Modules are codes. */
  change: z.nullable(
    z.object({
      users: z.nullable(userCount),
      user_mode: z.nullable(z.object({ from: userMode, to: userMode })),
      uat: z.nullable(z.object({ from: flag01, to: flag01 })),
      added: z.array(z.string()),
      removed: z.array(z.string()),
    }),
  ),
  /** The last day of an extension or of a backup subscription. */
  until: z.nullable(plainDate),
  month: z.nullable(month),
})

/** With `credit` the balance pays all (decision 124). */
const paymentType = z.enum([...paymentTypes, 'credit'])

/** What the payer saw as paid by credit. If it is not so any more, nothing is taken. Omitted: credit is used without this check. */
const seenCredit = z.optional(amount)

/** The payer's purchase order number, for the invoices. Omitted: that of the latest attempt stays. Empty: none (decision 121). */
const poNumber = z.optional(nameLine(poNumberLimit))

/** Secret because of the card token. The result is stored with the attempt, and repeated calls return it. */
export const pay = defineEndpoint({
  name: 'pay',
  method: 'POST',
  path: '/api/payment/:contract',
  summary: 'Starts the payment of an order, a backup or traffic, and returns its status or the address of the gateway',
  access: 'order',
  matrix: 'Z-20 Z-21',
  params: z.object({ contract: rowId }),
  body: z.object({
    type: paymentType,
    contractType,
    /** A card token or the id of a payment intent (D67). */
    token: z.optional(text(300)),
    po_number: poNumber,
    credit: seenCredit,
  }),
  encoding: 'form',
  /** `processing`: not final yet. `received`: its order can no longer be paid; provider staff refund or apply it. */
  output: z.union([
    z.object({ status: z.enum(['paid', 'received', 'processing']) }),
    z.object({ redirect: z.string() }),
  ]),
  offline: 'online',
  secret: true,
})

/** Checks a payment for a page that waits for the result. The gateway's notification can arrive later than the browser returns. */
export const checkPayment = defineEndpoint({
  name: 'checkPayment',
  method: 'POST',
  path: '/api/payment/:contract/check',
  summary: 'Returns the payment status of an order, and queries the gateway if the payment is not settled',
  access: 'order',
  matrix: 'Z-20',
  params: z.object({ contract: rowId }),
  body: z.object({ contractType }),
  encoding: 'form',
  output: z.object({
    status: z.enum(['none', 'open', 'processing', 'paid', 'received', 'declined']),
    /** Purchase order number of the latest attempt, which stays if the next payment names none. Missing without one. */
    po_number: z.optional(z.string()),
  }),
  offline: 'online',
  secret: true,
})

export const paidItem = z.object({ contractType, id: rowId })
export const paidItems = z.array(paidItem).check(z.minLength(1), z.maxLength(maxPaidItems))

/** Pays several items of one company and currency with one payment: all take effect or none. An addition to the specification. */
export const payItems = defineEndpoint({
  name: 'payItems',
  method: 'POST',
  path: '/api/payments',
  summary: 'Starts one payment of several items, and returns its status or the address of the gateway',
  access: 'order',
  matrix: 'Z-20 Z-21',
  body: z.object({
    items: paidItems,
    type: paymentType,
    token: z.optional(text(300)),
    po_number: poNumber,
    credit: seenCredit,
  }),
  output: pay.output,
  offline: 'online',
  secret: true,
})

export const checkItems = defineEndpoint({
  name: 'checkItems',
  method: 'POST',
  path: '/api/payments/check',
  summary: 'Returns the status of a payment of several items, and queries the gateway if the payment is not settled',
  access: 'order',
  matrix: 'Z-20',
  body: z.object({ items: paidItems }),
  output: checkPayment.output,
  offline: 'online',
  secret: true,
})

/** Runs the periodic reconcile job immediately, for all payments (D53). */
export const reconcilePayments = defineEndpoint({
  name: 'reconcilePayments',
  method: 'POST',
  path: '/api/payment/reconcile',
  summary: 'Queries the gateways about all payments that are not settled',
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
  /** `group`: the money is for several items, and `service_code` has the codes of all their services. */
  kind: z.enum(['order', 'backup', 'traffic', 'group']),
  payable_id: z.int(),
  service_code: z.string(),
  reason: z.enum(['deleted', 'replaced', 'tooLate', 'paidAlready', 'anotherAmount', 'anotherCurrency']),
  amount,
  /** Currency code. If the portal does not support the currency, it is the gateway's own code. */
  currency: z.string(),
  gateway: z.string(),
  reference: z.string(),
  received: timestamp,
  state: z.enum(['open', 'refunding', 'refunded', 'applied']),
  problem: z.nullable(z.string()),
  user_name: z.nullable(z.string()),
  settled: z.nullable(timestamp),
})
export type PaymentTask = z.output<typeof paymentTask>

/** Payments received for no payable order: all open ones, and the latest settled ones. */
export const listPaymentTasks = defineEndpoint({
  name: 'listPaymentTasks',
  method: 'GET',
  path: '/api/payment/tasks',
  summary: 'Lists payments of all companies that match no payable order',
  access: 'providerAdmin',
  matrix: 'Z-20',
  output: z.array(paymentTask),
  offline: 'read',
})

export const refundPaymentTask = defineEndpoint({
  name: 'refundPaymentTask',
  method: 'POST',
  path: '/api/payment/tasks/:id/refund',
  summary: 'Starts the refund of the payment of a task at its gateway',
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
  summary: 'Applies the payment of a task to what it was paid for, if that is still possible',
  access: 'providerAdmin',
  matrix: 'Z-20',
  params: z.object({ id: rowId }),
  body: z.object({}),
  output: paymentTask,
  offline: 'online',
  stepUp: () => true,
})

/** Return address of the gateways. Redirects to the order, or shows the result without login (`?page=result`). */
export const returnFromPayment = defineEndpoint({
  name: 'returnFromPayment',
  method: 'GET',
  path: '/public/payment/return/:key',
  summary: 'Redirects a payer who returns from a gateway to the page of the order',
  access: 'anybody',
  matrix: 'Z-22',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'none',
  secret: true,
  responseType: 'bytes',
})

/** The signature covers the raw bytes of the body and is in a header. */
export const stripeCalls = defineEndpoint({
  name: 'stripeCalls',
  method: 'POST',
  path: '/public/payment/stripe',
  summary: 'Receives a payment notification from Stripe; a repeat has no second effect',
  access: 'anybody',
  matrix: 'Z-22',
  body: z.looseObject({ id: text(200, 1), type: text(100, 1) }),
  output: null,
  offline: 'none',
  secret: true,
})

/** Alipay repeats the call until the response is `success`. */
export const alipayCalls = defineEndpoint({
  name: 'alipayCalls',
  method: 'POST',
  path: '/public/payment/alipay',
  summary: 'Receives a payment notification from Alipay; a repeat has no second effect',
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
  summary: 'Returns an address that shows a document once, within 60 seconds',
  access: 'order',
  matrix: 'Z-24',
  body: z.object({
    kind: z.enum(['contract', 'PDBORDER', 'TRAFFIC', 'INVOICE', 'PROFORMA']),
    /** Of a contract, a backup order, a month of traffic, a row in the register of documents, or a pro-forma invoice. */
    id: rowId,
    /** Only invoices and pro-formas exist as a PDF. The default is a page to print. */
    format: z.optional(z.enum(['html', 'pdf'])),
    /** Language of the document. If omitted, the language of the user's account. */
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
  summary: 'Returns a document to print, once per key',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'html',
})
