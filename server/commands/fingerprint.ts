/** Fingerprint of a request (protocol 8), the same in a batch. It reveals nothing without the server's key. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

export interface FingerprintInput {
  method: string
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

/** Creating the key object from bytes takes Node five times as long as the HMAC, so key objects are cached. */
function getKeyObject(key: Buffer): KeyObject {
  const keyObject = keyObjects.get(key) ?? createSecretKey(key)
  keyObjects.set(key, keyObject)
  return keyObject
}
const keyObjects = new WeakMap<Buffer, KeyObject>()

/** Returns JSON with sorted names. The pairs of a form are lists, so they keep their order. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nestedValue: unknown) =>
    typeof nestedValue === 'object' && nestedValue !== null && !Array.isArray(nestedValue)
      ? Object.fromEntries(Object.entries(nestedValue).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nestedValue,
  )
}
