/** The print of a request (protocol 8): the same alone and in a batch, and without the server's key it tells nothing. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export interface FingerprintInput {
  method: string
  /** With its query. */
  path: string
  ifMatch: string | null
  forUser: string | null
  body: unknown
}

const formatVersion = 1

export function createFingerprint(key: Buffer, { method, path, ifMatch, forUser, body }: FingerprintInput): string {
  const text = toCanonicalJson([formatVersion, method, path, ifMatch, forUser, body ?? null])
  return createHmac('sha256', getKeyObject(key)).update('fingerprint').update(text).digest('base64url')
}

/** Bytes as a key cost Node five times what the print itself does. */
function getKeyObject(key: Buffer): KeyObject {
  const keyObject = keyObjects.get(key) ?? createSecretKey(key)
  keyObjects.set(key, keyObject)
  return keyObject
}
const keyObjects = new WeakMap<Buffer, KeyObject>()

/** JSON with sorted names. Pairs of a form are lists and keep their order. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nestedValue: unknown) =>
    typeof nestedValue === 'object' && nestedValue !== null && !Array.isArray(nestedValue)
      ? Object.fromEntries(Object.entries(nestedValue).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nestedValue,
  )
}
