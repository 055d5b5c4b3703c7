/**
 * Seals of entries that wait for their place in the log. A seal needs the key of the installation, which is not in the database: an entry
 * that somebody else puts there, or changes before it is signed, has none that fits (decision 67).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Config } from '#server/config/config.ts'
import type { Handle } from '#server/db/handle.ts'

/** The keys of the installation, 32 bytes each. */
export type SealKeyConfig = Pick<Config, 'auditKey' | 'auditKeyNext' | 'tokenKey'>

/** HMAC keys of 32 bytes: the one that seals, and all that are believed. */
interface SealKeys {
  current: Buffer
  accepted: Buffer[]
}

const keysByConfig = new WeakMap<SealKeyConfig, SealKeys>()
const keysByHandle = new WeakMap<Handle, SealKeys>()

function sealKeysOf(config: SealKeyConfig): SealKeys {
  const known = keysByConfig.get(config)
  if (known) return known
  const installation = config.auditKey ?? config.tokenKey
  // The next key seals as soon as it is named: what waits while it takes the place of the other is still known then.
  const accepted = [config.auditKeyNext, installation].flatMap((key) => (key ? [sealKey(key)] : []))
  const keys = { current: accepted[0] ?? sealKey(installation), accepted }
  keysByConfig.set(config, keys)
  return keys
}

const sealKey = (key: Buffer) => Buffer.from(hkdfSync('sha256', key, '', 'audit trail: seal of entries', 32))

const sealBy = (key: Buffer, leaf: string) => createHmac('sha256', key).update(leaf).digest()

/** Entries that are written through this handle are sealed by the installation's key. */
export function useSealKeys(db: Handle, config: SealKeyConfig): void {
  keysByHandle.set(db, sealKeysOf(config))
}

/** Hex. The leaf holds the id of the entry, so its seal fits no other one. */
export function sealLeaf(db: Handle, leaf: string): string {
  const keys = keysByHandle.get(db)
  if (!keys) throw new Error('entries of the audit trail are written in a transaction of inTransaction only')
  return sealBy(keys.current, leaf).toString('hex')
}

export function isSealed(config: SealKeyConfig, leaf: string, seal: string | null): boolean {
  const given = Buffer.from(seal ?? '', 'hex')
  return sealKeysOf(config).accepted.some((key) => given.length === 32 && timingSafeEqual(sealBy(key, leaf), given))
}
