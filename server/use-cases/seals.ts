/**
 * Secrets as they stand in the database: sealed by a key that is derived from the installation's and is in no row, so that a stolen
 * dump opens nothing. A seal is bound to what it is of: moved to another's row, it does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from '#server/config/config.ts'

type Keyed = Pick<Config, 'tokenKey'>

/** `purpose`: each has a key of its own. `of`: whose secret it is. Fixed for what is stored already. */
export interface SealedFor {
  purpose: string
  of: string
}

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

const keyOf = ({ tokenKey }: Keyed, purpose: string) => Buffer.from(hkdfSync('sha256', tokenKey, '', purpose, 32))

/** As base64url. */
export function seal(config: Keyed, { purpose, of }: SealedFor, secret: string): string {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, keyOf(config, purpose), iv).setAAD(Buffer.from(of))
  const sealed = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()])
  return Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64url')
}

/** Null where it was sealed under another key: the installation's was changed since. */
export function unseal(config: Keyed, { purpose, of }: SealedFor, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const opening = createDecipheriv(cipher, keyOf(config, purpose), bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(of))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8')
  } catch {
    return null
  }
}
