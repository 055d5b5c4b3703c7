/** Call-backs of the payment gateways. A file of its own, because the page never makes these calls and need not load them. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { randomId, text } from '#contract/values.ts'

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
