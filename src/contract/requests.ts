import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { key, text } from '#contract/values.ts'

/** `~{intent}` for the outcome of a write with an idempotency key, a plain id for a long request. */
const requestId = z.object({ id: key })

export const getRequest = defineEndpoint({
  name: 'getRequest',
  method: 'GET',
  path: '/api/request/:id',
  summary: 'Returns the outcome of a write (~{intent}), or the progress or result of a long request (id)',
  access: 'user',
  matrix: 'Z-15',
  params: requestId,
  output: z.unknown(),
  offline: 'relay',
})

export const voidRequest = defineEndpoint({
  name: 'voidRequest',
  method: 'DELETE',
  path: '/api/request/:id',
  summary: 'Voids a write that has not been executed, or returns its outcome if it has',
  access: 'user',
  matrix: 'Z-15',
  params: requestId,
  output: z.unknown(),
  offline: 'online',
})

export const batchWrite = z.object({
  method: z.enum(['POST', 'PUT', 'DELETE']),
  path: z.string().check(z.minLength(1), z.maxLength(2000)),
  key,
  headers: z._default(z.record(text(60), text(300)), {}),
  body: z.optional(z.unknown()),
  /** The intent that must be executed first. */
  after: z.optional(key),
})

export const sendBatch = defineEndpoint({
  name: 'sendBatch',
  method: 'POST',
  path: '/api/batch',
  summary: 'Executes up to 50 keyed writes in order, each as if it were sent alone',
  access: 'user',
  matrix: 'Z-15',
  body: z.array(batchWrite).check(z.minLength(1), z.maxLength(50)),
  output: z.array(z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() })),
  offline: 'none',
})
