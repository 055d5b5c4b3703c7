/** Paying, the gateways' call-backs, and what is printed of it. None of it ever waits in a queue (D89). */
import * as z from 'zod/mini'
import { endpoint } from '#contract/endpoint.ts'
import { randomId, rowId, text } from '#contract/values.ts'

/** Which id stands in the path depends on what is paid: an order, a backup order or a traffic record (D66). */
export const pay = endpoint({
  name: 'pay',
  method: 'POST',
  path: '/api/payment/:contract',
  summary: 'Pay an order, a backup or traffic; Alipay answers where to go',
  who: 'order',
  matrix: 'Z-20 Z-21',
  params: z.object({ contract: rowId }),
  body: z.object({
    type: z.enum(['stripe', 'alipay', 'globalAlipay', 'simulate']),
    contractType: z.enum(['CONTRACT', 'PDBORDER', 'TRAFFIC']),
    /** A card token or a payment intent's id (D67). */
    token: z.optional(text(300)),
  }),
  encoding: 'form',
  output: z.union([z.object({ status: z.string() }), z.object({ redirect: z.string() })]),
  offline: 'online',
})

/** The signature is over the bytes as they came, and stands in a header. */
export const stripeCalls = endpoint({
  name: 'stripeCalls',
  method: 'POST',
  path: '/public/payment/stripe',
  summary: 'Stripe reports a payment; a repeat has no second effect',
  who: 'anybody',
  matrix: 'Z-22',
  body: z.looseObject({ id: text(200, 1), type: text(100, 1) }),
  output: null,
  offline: 'none',
  secret: true,
})

/** Alipay asks until it reads the word `success`. */
export const alipayCalls = endpoint({
  name: 'alipayCalls',
  method: 'POST',
  path: '/public/payment/alipay',
  summary: 'Alipay reports a payment; a repeat has no second effect',
  who: 'anybody',
  matrix: 'Z-22',
  body: z.record(text(100), text(5000)),
  encoding: 'form',
  output: z.unknown(),
  offline: 'none',
  secret: true,
  answers: 'bytes',
})

export const requestPrint = endpoint({
  name: 'requestPrint',
  method: 'POST',
  path: '/api/print',
  summary: 'An address that shows a document once, within 60 seconds (D65)',
  who: 'order',
  matrix: 'Z-24',
  body: z.object({ kind: z.enum(['contract', 'PDBORDER', 'TRAFFIC']), id: rowId }),
  output: z.object({ url: z.string() }),
  offline: 'online',
  secret: true,
})

export const openPrint = endpoint({
  name: 'openPrint',
  method: 'GET',
  path: '/public/print/:key',
  summary: 'A document to print, once',
  who: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  answers: 'html',
})
