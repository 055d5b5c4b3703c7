/**
 * Encrypts secrets with a key derived from the installation's key. That key is not in the database, so a stolen dump reveals no secret. A
 * seal is bound to its owner: copied to another row, it cannot be opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Config } from '#server/config/config.ts'

type TokenKeyConfig = Pick<Config, 'tokenKey'>

/** Each `purpose` has a separate key. `owner` identifies whose secret it is. Neither may change for stored secrets. */
export interface SealTarget {
  purpose: string
  owner: string
}

const cipher = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

const deriveKey = ({ tokenKey }: TokenKeyConfig, purpose: string) =>
  Buffer.from(hkdfSync('sha256', tokenKey, '', purpose, 32))

/** Returns the encrypted secret as base64url. */
export function seal(config: TokenKeyConfig, { purpose, owner }: SealTarget, secret: string): string {
  const iv = randomBytes(ivBytes)
  const encryption = createCipheriv(cipher, deriveKey(config, purpose), iv).setAAD(Buffer.from(owner))
  const sealedBytes = Buffer.concat([encryption.update(secret, 'utf8'), encryption.final()])
  return Buffer.concat([iv, encryption.getAuthTag(), sealedBytes]).toString('base64url')
}

/**
 * Returns null if the secret cannot be decrypted: the installation's key has changed, the owner is another one, or the text was changed.
 */
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
