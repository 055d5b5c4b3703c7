/**
 * Seals entries that wait for the log. A seal needs a key outside the database, so an entry that was changed in the database has no valid
 * seal (decision 67).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Config } from '#server/config/config.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

/** Keys of the installation from which the seal keys are derived, 32 bytes each. */
export type SealKeyConfig = Pick<Config, 'auditKey' | 'auditKeyNext' | 'tokenKey'>

/** HMAC keys of 32 bytes: the key that seals, and all keys whose seals are accepted. */
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
  // The next key seals as soon as it is configured. So entries that wait while it replaces the current key are still accepted.
  const acceptedKeys = [config.auditKeyNext, installationKey].flatMap((key) => (key ? [deriveSealKey(key)] : []))
  const keys = { currentKey: acceptedKeys[0] ?? deriveSealKey(installationKey), acceptedKeys }
  keysByConfig.set(config, keys)
  return keys
}

const deriveSealKey = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', 'audit trail: seal of entries', 32))

const computeSeal = (key: Buffer, leaf: string) => createHmac('sha256', key).update(leaf).digest()

export function setSealKeys(db: DatabaseHandle, config: SealKeyConfig): void {
  keysByHandle.set(db, getSealKeys(config))
}

/** Returns the seal as hex. The leaf contains the entry's id, so the seal is valid for no other entry. */
export function sealLeaf(db: DatabaseHandle, leaf: string): string {
  const keys = keysByHandle.get(db)
  if (!keys) throw new Error('audit entries can only be written in a transaction that runInTransaction opened')
  return computeSeal(keys.currentKey, leaf).toString('hex')
}

export function isSealValid(config: SealKeyConfig, leaf: string, seal: string | null): boolean {
  const sealBytes = Buffer.from(seal ?? '', 'hex')
  return getSealKeys(config).acceptedKeys.some(
    (key) => sealBytes.length === 32 && timingSafeEqual(computeSeal(key, leaf), sealBytes),
  )
}
