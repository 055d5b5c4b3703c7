/** The latest sealing key is in the cached response about the user. Older keys are requested to open sealed data, and are never stored. */
import { getUser } from '#contract/accounts.ts'
import {
  importSealKey,
  readNewestPair,
  type TextSealer,
  createKeySealer,
  createPairSealer,
} from '#local/seals/seal-crypto.ts'
import { getSealKeyId, readSealedWrites } from '#local/seals/sealed-records.ts'
import { getMetaRecord, type UserDatabase } from '#local/storage/database.ts'
import type { CachedResponse } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

export interface SealKey {
  id: number
  /** 32 bytes, base64url. */
  key: string
}

/** Keys by id. Null if the server has no such key, absent if it was not requested. */
export type SealKeys = ReadonlyMap<number, string | null>

interface SealKeyFields {
  seal_key?: unknown
  session_seal_key?: unknown
  seal_keys?: unknown
}

const isSealKey = (value: unknown): value is SealKey =>
  typeof (value as SealKey | null)?.id === 'number' && typeof (value as SealKey).key === 'string'

/** Returns the account's first key, which was the only one before each session had its own key. */
const getFirstKey = ({ seal_key: key }: SealKeyFields): SealKey | null =>
  typeof key === 'string' ? { id: 0, key } : null

const getNewestKey = (fields: SealKeyFields): SealKey | null =>
  isSealKey(fields.session_seal_key) ? fields.session_seal_key : getFirstKey(fields)

export function getSealKeys(body: unknown): Map<number, string> {
  const fields = (body ?? {}) as SealKeyFields
  const olderKeys: unknown[] = Array.isArray(fields.seal_keys) ? fields.seal_keys : []
  const keys = [getFirstKey(fields), getNewestKey(fields), ...olderKeys].filter(isSealKey)
  return new Map(keys.map(({ id, key }) => [id, key]))
}

const parseBody = (response: CachedResponse | undefined): unknown => response && JSON.parse(response.body)

/** Returns the key that new seals use, or null if it is not on the device. */
export const readNewestStoredKey = async (db: UserDatabase): Promise<SealKey | null> =>
  getNewestKey((parseBody(await db.responses.get(getUser.path)) ?? {}) as SealKeyFields)

/** Returns the current sealer: the session's key, or its key pair if the key was removed. Returns null if neither is on the device. */
export async function readSealer(db: UserDatabase): Promise<TextSealer | null> {
  const sealKey = await readNewestStoredKey(db)
  const key = await importSealKey(sealKey?.key)
  if (sealKey && key) return createKeySealer(sealKey.id, key)
  const pair = await readNewestPair(db)
  return pair ? createPairSealer(pair) : null
}

export const readStoredKeys = async (db: UserDatabase): Promise<SealKeys> =>
  getSealKeys(parseBody(await db.responses.get(getUser.path)))

/**
 * Marks a key as unused, unless sealed data on this device still needs it. Key 0 is never marked. Must run inside a transaction with
 * `meta`.
 */
export async function addSpentKey(db: UserDatabase, id: number): Promise<void> {
  if (id === 0 || (await getMetaRecord(db, 'sealed-cache'))?.keyId === id) return
  if ((await readSealedWrites(db)).some((sealed) => getSealKeyId(sealed) === id)) return
  const ids = new Set(await readSpentKeyIds(db))
  await db.meta.put({ name: 'spent-seal-keys', ids: [...ids.add(id)] })
}

/** Returns the unused keys that must still be reported to the server. */
export async function findSpentKeys(db: UserDatabase): Promise<number[]> {
  const ids = await readSpentKeyIds(db)
  if (ids.length === 0) return []
  // A session that continues may seal under its key again, or has already done so.
  const newestKeyId = (await readNewestStoredKey(db))?.id ?? (await readNewestPair(db))?.keyId
  const cacheKeyId = (await getMetaRecord(db, 'sealed-cache'))?.keyId
  const usedKeyIds = new Set([newestKeyId, cacheKeyId, ...(await readSealedWrites(db)).map(getSealKeyId)])
  return ids.filter((id) => !usedKeyIds.has(id))
}

/** Called when the server has received these ids. */
export async function forgetSpentKeys(db: UserDatabase, reportedIds: readonly number[]): Promise<void> {
  await transact(db, ['meta'], async () => {
    const remainingIds = (await readSpentKeyIds(db)).filter((id) => !reportedIds.includes(id))
    await db.meta.bulkDelete(reportedIds.map((id) => `seal-pair:${id}`))
    if (remainingIds.length > 0) await db.meta.put({ name: 'spent-seal-keys', ids: remainingIds })
    else await db.meta.delete('spent-seal-keys')
  })
}

const readSpentKeyIds = async (db: UserDatabase): Promise<number[]> =>
  (await getMetaRecord(db, 'spent-seal-keys'))?.ids ?? []
