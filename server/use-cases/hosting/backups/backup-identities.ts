/** Derives a company's key for archives (age, X25519) from the installation's key. The company's key is not stored. */
import { bech32 } from '@scure/base'
import { identityToRecipient } from 'age-encryption'
import { hkdfSync } from 'node:crypto'
import type { Config } from '#server/config/config.ts'

export type BackupKeys = Pick<Config, 'backupKey' | 'backupKeysBefore' | 'tokenKey'>

const deriveIdentity = (installationKey: Buffer, companyId: number): string => {
  const scalar = hkdfSync('sha256', installationKey, '', `backups: key of company ${companyId}`, 32)
  return bech32.encodeFromBytes('age-secret-key-', new Uint8Array(scalar)).toUpperCase()
}

/** Returns secret identities (`AGE-SECRET-KEY-1…`). The first encrypts new archives, and the others open older ones. */
export function getIdentities(config: BackupKeys, companyId: number): [string, ...string[]] {
  const formerIdentities = config.backupKeysBefore.map((key) => deriveIdentity(key, companyId))
  return [deriveIdentity(config.backupKey ?? config.tokenKey, companyId), ...formerIdentities]
}

export const toRecipient = (identity: string): Promise<string> => identityToRecipient(identity)

/** Returns the public recipient (`age1…`) of the company's key. */
export const getRecipient = (config: BackupKeys, companyId: number): Promise<string> =>
  toRecipient(getIdentities(config, companyId)[0])
