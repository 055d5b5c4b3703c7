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
  summary: "Lists the caller's active sessions: the current one first, then the most recently used",
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
  summary: "Ends one of the caller's sessions",
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
  summary: "Ends all of the caller's sessions except the current one",
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
  summary: 'Ends all sessions of another user of the company',
  access: 'admin',
  matrix: 'Z-10',
  params: z.object({ id: ref('user') }),
  output: null,
  offline: 'online',
})
