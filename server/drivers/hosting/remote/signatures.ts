/**
 * Signs the requests between nodes with a key that is derived from the installation's key. A request is valid for some minutes and once. The
 * response proves that the node has the key too, so that another program on its port is recognised.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Maximum difference of the clocks of two nodes in ms. */
const maxAgeMs = 5 * 60_000

export const signatureHeaders = {
  time: 'x-portal-time',
  nonce: 'x-portal-nonce',
  signature: 'x-portal-signature',
} as const

/** Returns the key of 32 bytes. */
export const deriveNodeKey = (tokenKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', tokenKey, '', 'requests between nodes', 32))

export interface SignedRequest {
  nonce: string
  headers: Record<string, string>
}

/** Signs a GET request. `path` includes the query. */
export function signRequest(key: Buffer, path: string, now: number): SignedRequest {
  const nonce = randomBytes(16).toString('base64url')
  const time = String(now)
  const signature = sign(key, ['request', path, time, nonce])
  return {
    nonce,
    headers: {
      [signatureHeaders.time]: time,
      [signatureHeaders.nonce]: nonce,
      [signatureHeaders.signature]: signature,
    },
  }
}

export const signResponse = (key: Buffer, nonce: string): string => sign(key, ['response', nonce])

export const isResponseSigned = (key: Buffer, nonce: string, signature: unknown): boolean =>
  isEqual(signature, signResponse(key, nonce))

export type SignatureFault = 'unsigned' | 'time' | 'repeated'

/** Returns a function that checks the headers of a request. It returns the nonce, or the reason why the request is refused. */
export function createRequestCheck(key: Buffer, clock: () => number) {
  const timesByNonce = new Map<string, number>()

  function forgetOldNonces(now: number): void {
    // In the order of their arrival, so the first young one ends the search.
    for (const [nonce, arrivedAt] of timesByNonce) {
      if (now - arrivedAt < 2 * maxAgeMs) return
      timesByNonce.delete(nonce)
    }
  }

  return (path: string, headers: NodeJS.Dict<string | string[]>): { nonce: string } | { fault: SignatureFault } => {
    const [time, nonce, signature] = [signatureHeaders.time, signatureHeaders.nonce, signatureHeaders.signature].map(
      (name) => headers[name],
    )
    if (typeof time !== 'string' || typeof nonce !== 'string') return { fault: 'unsigned' }
    if (!isEqual(signature, sign(key, ['request', path, time, nonce]))) return { fault: 'unsigned' }
    const now = clock()
    if (!(Math.abs(now - Number(time)) < maxAgeMs)) return { fault: 'time' }
    forgetOldNonces(now)
    if (timesByNonce.has(nonce)) return { fault: 'repeated' }
    timesByNonce.set(nonce, now)
    return { nonce }
  }
}

const sign = (key: Buffer, parts: readonly string[]) =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')

function isEqual(signature: unknown, expected: string): boolean {
  const [a, b] = [Buffer.from(typeof signature === 'string' ? signature : ''), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
