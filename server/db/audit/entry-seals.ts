/**
 * Seals of entries that wait for their place in the log. A seal needs the key of the installation, which is not in the database: an entry
 * that somebody else puts there, or changes before it is signed, has none that fits (decision 67).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Config } from '#server/config/config.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

/** The keys of the installation, 32 bytes each. */
export type SealKeyConfig = Pick<Config, 'auditKey' | 'auditKeyNext' | 'tokenKey'>

/** HMAC keys of 32 bytes: the one that seals, and all that are believed. */
interface SealKeys {
  currentKey: Buffer
  acceptedKeys: Buffer[]
}

const keysByConfig = new WeakMap<SealKeyConfig, SealKeys>()
const keysByHandle = new WeakMap<DatabaseHandle, SealKeys>()

function getSealKeys(config: SealKeyConfig): SealKeys {
  const cachedKeys = keysByConfig.get(config)
  if (cachedKeys) return cachedKeys
  const installationKey = config.auditKey ?? config.tokenKey
  // The next key seals as soon as it is named: what waits while it takes the place of the other is still known then.
  const acceptedKeys = [config.auditKeyNext, installationKey].flatMap((key) => (key ? [deriveSealKey(key)] : []))
  const keys = { currentKey: acceptedKeys[0] ?? deriveSealKey(installationKey), acceptedKeys }
  keysByConfig.set(config, keys)
  return keys
}

const deriveSealKey = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', 'audit trail: seal of entries', 32))

const computeSeal = (key: Buffer, leaf: string) => createHmac('sha256', key).update(leaf).digest()

/** Entries that are written through this handle are sealed by the installation's key. */
export function setSealKeys(db: DatabaseHandle, config: SealKeyConfig): void {
  keysByHandle.set(db, getSealKeys(config))
}

/** Hex. The leaf holds the id of the entry, so its seal fits no other one. */
export function sealLeaf(db: DatabaseHandle, leaf: string): string {
  const keys = keysByHandle.get(db)
  if (!keys) throw new Error('entries of the audit trail are written in a transaction of inTransaction only')
  return computeSeal(keys.currentKey, leaf).toString('hex')
}

export function isSealValid(config: SealKeyConfig, leaf: string, seal: string | null): boolean {
  const sealBytes = Buffer.from(seal ?? '', 'hex')
  return getSealKeys(config).acceptedKeys.some(
    (key) => sealBytes.length === 32 && timingSafeEqual(computeSeal(key, leaf), sealBytes),
  )
}
