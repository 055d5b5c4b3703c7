/**
 * Secrets as they stand in the database: sealed by a key that is derived from the installation's and is in no row, so that a stolen
 * dump opens nothing. A seal is bound to what it is of: moved to another's row, it does not open.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from '#server/config/config.ts'

type TokenKeyConfig = Pick<Config, 'tokenKey'>

/** `purpose`: each has a key of its own. `owner`: whose secret it is. Fixed for what is stored already. */
export interface SealTarget {
  purpose: string
  owner: string
}

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

const deriveKey = ({ tokenKey }: TokenKeyConfig, purpose: string) =>
  Buffer.from(hkdfSync('sha256', tokenKey, '', purpose, 32))

/** As base64url. */
export function seal(config: TokenKeyConfig, { purpose, owner }: SealTarget, secret: string): string {
  const iv = randomBytes(ivBytes)
  const encryption = createCipheriv(cipher, deriveKey(config, purpose), iv).setAAD(Buffer.from(owner))
  const sealedBytes = Buffer.concat([encryption.update(secret, 'utf8'), encryption.final()])
  return Buffer.concat([iv, encryption.getAuthTag(), sealedBytes]).toString('base64url')
}

/** Null where it was sealed under another key: the installation's was changed since. */
export function unseal(config: TokenKeyConfig, { purpose, owner }: SealTarget, sealedText: string): string | null {
  const bytes = Buffer.from(sealedText, 'base64url')
  try {
    const decryption = createDecipheriv(cipher, deriveKey(config, purpose), bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decryption.update(bytes.subarray(ivBytes + tagBytes)), decryption.final()]).toString('utf8')
  } catch {
    return null
  }
}
