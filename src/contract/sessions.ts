/** The sessions of a user, and how to end them (S-46). */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { randomId, ref, timestamp } from '#contract/values.ts'

export const sessionRow = z.object({
  id: randomId,
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
  form: z.nullable(z.enum(['desktop', 'mobile', 'tablet'])),
  /** The network address without its last part: enough to recognise, too little to identify a person. */
  network: z.string(),
  create_time: timestamp,
  /** Time of the last renewal, up to ten minutes old. */
  last_time: timestamp,
  current: z.boolean(),
})
export type SessionRow = z.output<typeof sessionRow>

export const listSessions = defineEndpoint({
  name: 'listSessions',
  method: 'GET',
  path: '/api/m18s/sessions',
  summary: 'The own sessions that still stand: this one first, then the latest used',
  access: 'user',
  matrix: 'Z-02',
  output: z.array(sessionRow),
  offline: 'online',
})

// Like logout: repeating it changes nothing. It must bypass the idempotency store and the service worker.
export const endSession = defineEndpoint({
  name: 'endSession',
  method: 'DELETE',
  path: '/api/m18s/sessions/:id',
  summary: 'End one of the own sessions',
  access: 'user',
  matrix: 'Z-02',
  params: z.object({ id: randomId }),
  output: null,
  offline: 'online',
  secret: true,
})

export const endOtherSessions = defineEndpoint({
  name: 'endOtherSessions',
  method: 'DELETE',
  path: '/api/m18s/sessions',
  summary: 'End all own sessions but the one that asks',
  access: 'user',
  matrix: 'Z-02',
  output: null,
  offline: 'online',
  secret: true,
})

export const endUserSessions = defineEndpoint({
  name: 'endUserSessions',
  method: 'DELETE',
  path: '/api/m18s/user/:id/sessions',
  summary: "End all sessions of one of the company's other users",
  access: 'admin',
  matrix: 'Z-10',
  params: z.object({ id: ref('user') }),
  output: null,
  offline: 'online',
})
