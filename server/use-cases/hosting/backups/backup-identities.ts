/**
 * The key of a company's archives: an X25519 identity of age, worked out from the installation's key and the company's number. It is
 * stored nowhere; whoever has the installation's key has all of them.
 */
import { bech32 } from '@scure/base'
import { identityToRecipient } from 'age-encryption'
import { hkdfSync } from 'node:crypto'
import type { Config } from '#server/config/config.ts'

/** The installation's keys are in its configuration. */
export type BackupKeys = Pick<Config, 'backupKey' | 'backupKeysBefore' | 'tokenKey'>

const deriveIdentity = (installationKey: Buffer, companyId: number): string => {
  const scalar = hkdfSync('sha256', installationKey, '', `backups: key of company ${companyId}`, 32)
  return bech32.encodeFromBytes('age-secret-key-', new Uint8Array(scalar)).toUpperCase()
}

/** `AGE-SECRET-KEY-1…`: the first is the one that archives are made for now, the others open older ones. Secret. */
export function getIdentities(config: BackupKeys, companyId: number): [string, ...string[]] {
  const formerIdentities = config.backupKeysBefore.map((key) => deriveIdentity(key, companyId))
  return [deriveIdentity(config.backupKey ?? config.tokenKey, companyId), ...formerIdentities]
}

/** Of one identity. */
export const toRecipient = (identity: string): Promise<string> => identityToRecipient(identity)

/** `age1…`: names the key, and may be known to anybody. */
export const getRecipient = (config: BackupKeys, companyId: number): Promise<string> =>
  toRecipient(getIdentities(config, companyId)[0])
