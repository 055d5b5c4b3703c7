/** Sends messages to the push services of the browsers' makers (RFC 8030). Redirects are not followed. */
import { request, type RequestOptions } from 'node:https'
import { ClosedAddressError, isPushEndpoint, lookupPublic } from '#server/drivers/push/push-address.ts'
import {
  type BrowserKeys,
  createPushAuthorization,
  encryptPush,
  type PushKeys,
} from '#server/drivers/push/push-encryption.ts'

export interface PushMessage extends BrowserKeys {
  endpoint: string
  text: string
  /** A later message with the same topic replaces one that was not delivered yet. At most 32 characters of base64url. */
  topic: string
  keys: PushKeys
  /** `mailto:` address of the operator, for the push service. */
  contact: string
  /** Epoch ms. */
  now: number
}

/**
 * `gone`: the subscription no longer exists. `closed`: its address is not public. `later`: try again, at the earliest after `afterMs`;
 * `status` is null if the push service cannot be reached. `rejected`: a retry of this message cannot succeed.
 */
export type PushResult =
  | { kind: 'sent' | 'gone' | 'closed' }
  | { kind: 'later'; afterMs: number; status: number | null }
  | { kind: 'rejected'; status: number }

export interface PushDriver {
  send(message: PushMessage): Promise<PushResult>
}

/** Time limit of a request in ms, time in seconds for which the push service stores a message, and limit of a wait in ms. */
const limits = { requestMs: 10_000, storedSeconds: 86_400, retryAfterMs: 6 * 3_600_000 }

interface PushGuard {
  isAllowed: (endpoint: string) => boolean
  connection: RequestOptions
}

/** Refuses addresses of closed networks, in the address itself and where its name leads. Tests replace the guard. */
const publicGuard: PushGuard = { isAllowed: isPushEndpoint, connection: { lookup: lookupPublic } }

export const createPushDriver = ({ isAllowed, connection }: PushGuard = publicGuard): PushDriver => ({
  async send({ endpoint, text, topic, keys, contact, now, ...browserKeys }) {
    if (!isAllowed(endpoint)) return { kind: 'closed' }
    const url = new URL(endpoint)
    const body = encryptPush(text, browserKeys)
    const headers = {
      authorization: createPushAuthorization(keys, { audience: url.origin, contact, now }),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'content-length': String(body.length),
      ttl: String(limits.storedSeconds),
      urgency: 'normal',
      topic,
    }
    return await post(url, { ...connection, method: 'POST', headers }, body).then(
      (response) => toResult(response, now),
      (error: unknown) =>
        error instanceof ClosedAddressError ? { kind: 'closed' } : { kind: 'later', afterMs: 0, status: null },
    )
  },
})

interface PushResponse {
  status: number
  retryAfter: string | undefined
}

/** The body of the response is not read. */
const post = (url: URL, options: RequestOptions, body: Buffer): Promise<PushResponse> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, signal: AbortSignal.timeout(limits.requestMs) }, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
      response.destroy()
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

function toResult({ status, retryAfter }: PushResponse, now: number): PushResult {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 429 || status >= 500) return { kind: 'later', status, afterMs: parseRetryAfter(retryAfter, now) }
  return { kind: 'rejected', status }
}

/** Seconds or a date. Returns ms, and 0 for anything else. */
function parseRetryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(limits.retryAfterMs, Math.max(0, ms)) : 0
}
