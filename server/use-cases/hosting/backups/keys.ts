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

const identityFrom = (key: Buffer, companyId: number): string => {
  const scalar = hkdfSync('sha256', key, '', `backups: key of company ${companyId}`, 32)
  return bech32.encodeFromBytes('age-secret-key-', new Uint8Array(scalar)).toUpperCase()
}

/** `AGE-SECRET-KEY-1…`: the first is the one that archives are made for now, the others open older ones. Secret. */
export function identitiesOf(config: BackupKeys, companyId: number): [string, ...string[]] {
  const before = config.backupKeysBefore.map((key) => identityFrom(key, companyId))
  return [identityFrom(config.backupKey ?? config.tokenKey, companyId), ...before]
}

/** Of one identity. */
export const recipientFor = (identity: string): Promise<string> => identityToRecipient(identity)

/** `age1…`: names the key, and may be known to anybody. */
export const recipientOf = (config: BackupKeys, companyId: number): Promise<string> =>
  recipientFor(identitiesOf(config, companyId)[0])
