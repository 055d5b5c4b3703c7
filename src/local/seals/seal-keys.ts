/**
 * Sealing keys as the device meets them. The newest stands among the user's rows and goes with them; older ones are asked
 * for to open what they sealed, and are never stored.
 */
import { getUser } from '#contract/accounts.ts'
import { importSealKey, newestPair, type Sealer, sealerOfKey, sealerOfPair } from '#local/seals/seal-crypto.ts'
import { keyIdOf, sealsIn } from '#local/seals/sealed-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { CachedResponse } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

export interface SealKey {
  id: number
  /** 32 bytes, base64url. */
  key: string
}

/** By id. Null: the server has no such key. Absent: nobody has asked. */
export type SealKeys = ReadonlyMap<number, string | null>

interface Said {
  seal_key?: unknown
  session_seal_key?: unknown
  seal_keys?: unknown
}

const isKey = (value: unknown): value is SealKey =>
  typeof (value as SealKey | null)?.id === 'number' && typeof (value as SealKey).key === 'string'

/** The account's first: all that a server told before each session had a key. */
const firstIn = ({ seal_key: key }: Said): SealKey | null => (typeof key === 'string' ? { id: 0, key } : null)

const newestIn = (said: Said): SealKey | null => (isKey(said.session_seal_key) ? said.session_seal_key : firstIn(said))

/** Every key in an answer about oneself. */
export function keysIn(body: unknown): Map<number, string> {
  const said = (body ?? {}) as Said
  const older: unknown[] = Array.isArray(said.seal_keys) ? said.seal_keys : []
  const all = [firstIn(said), newestIn(said), ...older].filter(isKey)
  return new Map(all.map(({ id, key }) => [id, key]))
}

const bodyOf = (reading: CachedResponse | undefined): unknown => reading && JSON.parse(reading.body)

/** What is sealed under from now on; null: that is not here. */
export const newestKeyHere = async (db: UserDatabase): Promise<SealKey | null> =>
  newestIn((bodyOf(await db.responses.get(getUser.path)) ?? {}) as Said)

/** What seals now: by the session's key or, where that is locked away, by its pair; null: neither is here. */
export async function readSealer(db: UserDatabase): Promise<Sealer | null> {
  const said = await newestKeyHere(db)
  const key = await importSealKey(said?.key)
  if (said && key) return sealerOfKey(said.id, key)
  const pair = await newestPair(db)
  return pair ? sealerOfPair(pair) : null
}

export const keysHere = async (db: UserDatabase): Promise<SealKeys> =>
  keysIn(bodyOf(await db.responses.get(getUser.path)))

/** Nothing lies sealed under it here any more, and nothing ever will. Inside a transaction with `meta`. */
export async function addSpentKey(db: UserDatabase, id: number): Promise<void> {
  const cache = await db.meta.get('sealed-cache')
  if (id === 0 || (cache?.name === 'sealed-cache' && cache.keyId === id)) return
  if ((await sealsIn(db)).some((sealed) => keyIdOf(sealed) === id)) return
  const ids = new Set(await spentIn(db))
  await db.meta.put({ name: 'spent-seal-keys', ids: [...ids.add(id)] })
}

/** What the server does not know of yet. */
export async function spentKeys(db: UserDatabase): Promise<number[]> {
  const ids = await spentIn(db)
  if (ids.length === 0) return []
  // A session that goes on may seal under its key again, or has.
  const newest = (await newestKeyHere(db))?.id ?? (await newestPair(db))?.keyId
  const cache = await db.meta.get('sealed-cache')
  const ofCache = cache?.name === 'sealed-cache' ? cache.keyId : undefined
  const inUse = new Set([newest, ofCache, ...(await sealsIn(db)).map(keyIdOf)])
  return ids.filter((id) => !inUse.has(id))
}

/** The server knows. */
export async function forgetSpentKeys(db: UserDatabase, told: readonly number[]): Promise<void> {
  await transact(db, ['meta'], async () => {
    const left = (await spentIn(db)).filter((id) => !told.includes(id))
    await db.meta.bulkDelete(told.map((id) => `seal-pair:${id}`))
    if (left.length > 0) await db.meta.put({ name: 'spent-seal-keys', ids: left })
    else await db.meta.delete('spent-seal-keys')
  })
}

async function spentIn(db: UserDatabase): Promise<number[]> {
  const found = await db.meta.get('spent-seal-keys')
  return found?.name === 'spent-seal-keys' ? found.ids : []
}
