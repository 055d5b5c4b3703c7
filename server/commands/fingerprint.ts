/** The print of a request (protocol 8): the same alone and in a batch, and without the server's key it tells nothing. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export interface Printed {
  method: string
  /** With its query. */
  path: string
  ifMatch: string | null
  forUser: string | null
  body: unknown
}

const version = 1

export function fingerprint(key: Buffer, { method, path, ifMatch, forUser, body }: Printed): string {
  const text = canonical([version, method, path, ifMatch, forUser, body ?? null])
  return createHmac('sha256', prepared(key)).update('fingerprint').update(text).digest('base64url')
}

/** Bytes as a key cost Node five times what the print itself does. */
function prepared(key: Buffer): KeyObject {
  const known = keys.get(key) ?? createSecretKey(key)
  keys.set(key, known)
  return known
}
const keys = new WeakMap<Buffer, KeyObject>()

/** JSON with sorted names. Pairs of a form are lists and keep their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
