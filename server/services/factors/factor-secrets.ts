/**
 * Secrets of authenticator apps as they stand in the database: sealed by a key that is derived from the installation's and is
 * in no row, so that a stolen dump opens no account. Bound to their user: moved to another's row, one opens nothing.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from '#server/config.ts'

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

type Keyed = Pick<Config, 'tokenKey'>

const keyOf = ({ tokenKey }: Keyed) => Buffer.from(hkdfSync('sha256', tokenKey, '', 'secrets of second factors', 32))
const boundTo = (userId: number) => Buffer.from(`factor of ${userId}`)

export function sealSecret(config: Keyed, userId: number, secret: string): string {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, keyOf(config), iv).setAAD(boundTo(userId))
  const sealed = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()])
  return Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64url')
}

/** Null where it was sealed under another key: the installation's was changed since. */
export function openSecret(config: Keyed, userId: number, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const opening = createDecipheriv(cipher, keyOf(config), bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(boundTo(userId))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8')
  } catch {
    return null
  }
}
