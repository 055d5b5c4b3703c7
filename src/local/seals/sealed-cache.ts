/**
 * Seals the cached rows of an expired session. They stay on the device, unreadable until the next login (decision 83). Sealing and
 * restoring run while the session generation is closed and no rows are stored; otherwise an index and its rows could differ.
 */
import { getUser } from '#contract/accounts.ts'
import type { UserRights } from '#domain/access.ts'
import { importSealKey, openSealed, readSealPair, type TextSealer } from '#local/seals/seal-crypto.ts'
import { getMetaRecord, type UserDatabase, wipedTables, storedTrailTables } from '#local/storage/database.ts'
import { recordsToText, textToRecords } from '#local/storage/record-text.ts'
import type { SealedCache } from '#local/storage/records.ts'
import { isFullError } from '#local/storage/storage-errors.ts'
import { renameCachedRecord } from '#local/storage/upgrade.ts'
import { transact } from '#local/storage/transaction.ts'

/** Number of records per sealed piece, so that a piece has about 1 MB. A record of a stored trail has about 30 kB. */
const recordsPerPiece = { storedTrail: 32, other: 2_000 }

/** Returns false if the session generation has changed. If the disk is full, the sealed cache is deleted, and true is returned. */
export async function sealCache(db: UserDatabase, sealer: TextSealer, generation: number): Promise<boolean> {
  try {
    const previousCache = await readSealedCache(db)
    // A cache that was sealed in an older session and never opened does not match the current cache.
    if (previousCache && previousCache.keyId !== sealer.keyId) await dropSealedCache(db)
    const response = await db.responses.get(getUser.path)
    const rights = response && (JSON.parse(response.body) as UserRights)
    await db.meta.put({ name: 'sealed-cache', keyId: sealer.keyId, ...(rights ? { rights: pickRights(rights) } : {}) })
    for (const table of wipedTables) if (!(await sealTable(db, table, sealer, generation))) return false
    return true
  } catch (error) {
    if (!isFullError(error)) throw error
    await dropSealedCache(db)
    return true
  }
}

const pickRights = ({ admin, order, access_level }: UserRights): UserRights => ({ admin, order, access_level })

async function sealTable(db: UserDatabase, table: string, sealer: TextSealer, generation: number): Promise<boolean> {
  const size = (storedTrailTables as readonly string[]).includes(table)
    ? recordsPerPiece.storedTrail
    : recordsPerPiece.other
  for (;;) {
    const keys = await getSealableRecords(db, table).limit(size).primaryKeys()
    if (keys.length === 0) return true
    const records = await db.table(table).bulkGet(keys)
    const { iv, data, sender } = await sealer.seal(recordsToText(records))
    const isDone = await transact(db, [table, 'sealedCache', 'meta'], async () => {
      if (!(await isGenerationClosed(db, generation))) return false
      await db.sealedCache.add({ table, iv, data, ...(sender ? { sender } : {}) })
      await db.table(table).bulkDelete(keys)
      return true
    })
    if (!isDone) return false
  }
}

/** The cached response about the user contains the key. It is deleted, and arrives again with the next login. */
const getSealableRecords = (db: UserDatabase, table: string) =>
  table === 'responses' ? db.responses.where('path').notEqual(getUser.path) : db.table(table).toCollection()

export const isGenerationClosed = async (db: UserDatabase, generation: number): Promise<boolean> => {
  const record = await getMetaRecord(db, 'session-generation')
  return record?.open === false && record.generation === generation
}

/** Returns the readable description of the sealed cache, or null if nothing is sealed. */
export const readSealedCache = async (db: UserDatabase): Promise<SealedCache | null> =>
  (await getMetaRecord(db, 'sealed-cache')) ?? null

/**
 * Restores the cache before the session generation is opened. If the key does not open a piece, the complete cache is deleted, because it
 * can be fetched again.
 */
export async function restoreSealedCache(db: UserDatabase, keyText: string | null): Promise<void> {
  const sealedCache = await readSealedCache(db)
  if (!sealedCache) return
  const key = await importSealKey(keyText)
  const pair = await readSealPair(db, sealedCache.keyId)
  for (const id of await db.sealedCache.toCollection().primaryKeys()) {
    const sealedRows = await db.sealedCache.get(id)
    const text = sealedRows && key ? await openSealed(key, sealedRows, pair) : null
    if (!sealedRows || text === null) return await dropCachedTables(db)
    const { table } = sealedRows
    const records = textToRecords<Record<string, unknown>>(text).map((record) => renameCachedRecord(table, record))
    await transact(db, [table, 'sealedCache'], async () => {
      await db.table(table).bulkPut(records)
      await db.sealedCache.delete(id)
    })
  }
  await db.meta.delete('sealed-cache')
}

async function dropCachedTables(db: UserDatabase): Promise<void> {
  await dropSealedCache(db)
  await transact(db, [...wipedTables], async () => {
    for (const table of wipedTables) await db.table(table).clear()
  })
}

export async function dropSealedCache(db: UserDatabase): Promise<void> {
  await transact(db, ['sealedCache', 'meta'], async () => {
    await db.sealedCache.clear()
    await db.meta.delete('sealed-cache')
  })
}
