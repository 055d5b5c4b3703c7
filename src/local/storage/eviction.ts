/**
 * Frees space on the device. Cached server data can be fetched again, so it is evicted: lists that are too large or too old are deleted
 * automatically. On a full disk the oldest lists are deleted first, lists prepared for offline work last, and the write is repeated. Data
 * that exists only here (writes, files, ids, receipts) and rows with waiting writes are never evicted. Data that the user chose to keep is
 * not evicted either.
 */
import { getUser } from '#contract/accounts.ts'
import { deleteIndex } from '#local/storage/index-records.ts'
import { readPreparedLists } from '#local/storage/preparation-record.ts'
import {
  listMetadataTables,
  getRowTable,
  rowTables,
  type UserDatabase,
  getListRows,
  storedTrailTables,
} from '#local/storage/database.ts'
import type { ListStats } from '#local/storage/cache-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { isFullError } from '#local/storage/storage-errors.ts'

export const evictionLimits = {
  /**
   * Maximum size of all cached lists in bytes: enough for a complete trail of 100,000 rows with its index, and about 1 % of what a phone
   * with little free space still allows.
   */
  bytes: 60_000_000,
  /** Maximum age of a cached list in ms. A tablet that was not used for long must not show older data (W-06). */
  ageMs: 14 * 24 * 3_600_000,
}

export async function clearCachedTables(db: UserDatabase): Promise<void> {
  const tables = [...rowTables, ...listMetadataTables, 'pages', 'responses', 'outbox', 'rowIds', ...storedTrailTables]
  await db.transaction('rw', tables, async () => {
    const [sparedIdsByTable, pinnedLists] = await Promise.all([readSparedIds(db), readPinnedLists(db)])
    for (const table of rowTables) {
      const ids = sparedIdsByTable.get(table)
      // Rows with waiting writes are excluded from the deletion. They could not be written again, because nothing can be written to a
      // full disk.
      if (ids) await getRowTable(db, table).where(':id').noneOf(ids).delete()
      else await getRowTable(db, table).clear()
    }
    for (const table of listMetadataTables)
      if (table !== 'tombstones') {
        if (pinnedLists.length === 0) await db.table(table).clear()
        else await clearListMetadata(db, table, pinnedLists)
      }
    await db.pages.clear()
    // The cached response about the user shows who is signed in and has the key that seals waiting writes.
    await db.responses.where('path').notEqual(getUser.path).delete()
  })
}

/** Returns ids of the lists that the user chose to keep (local/audit-trail). The tables of lists contain only their index. */
async function readPinnedLists(db: UserDatabase): Promise<string[]> {
  const companies = await db.storedTrails.toCollection().primaryKeys()
  return companies.map((companyId) => toListId('trail', companyId))
}

/** Deletes all metadata except that of pinned lists. Record keys begin with the list's id; index names are that id and a number. */
async function clearListMetadata(db: UserDatabase, table: string, pinnedLists: readonly string[]): Promise<void> {
  const isPinned = (key: unknown) => {
    const [name] = Array.isArray(key) ? (key as unknown[]) : [key]
    return pinnedLists.some((id) => name === id || String(name).startsWith(`${id}#`))
  }
  const keys = await db.table(table).toCollection().primaryKeys()
  await db.table(table).bulkDelete(keys.filter((key) => !isPinned(key)))
}

/** A list that may be evicted. With `isPrepared` it was fetched for offline work (local/preparation) and is evicted last. */
export type EvictableList = ListStats & { isPrepared: boolean }

export async function readEvictable(db: UserDatabase): Promise<EvictableList[]> {
  const [lists, pinnedLists, preparedLists] = await Promise.all([
    db.listStats.toArray(),
    readPinnedLists(db),
    readPreparedLists(db),
  ])
  return lists
    .filter(({ id }) => !pinnedLists.includes(id))
    .map((list) => ({ ...list, isPrepared: preparedLists.has(list.id) }))
    .sort((a, b) => Number(a.isPrepared) - Number(b.isPrepared) || a.latestAsOf - b.latestAsOf)
}

/** Returns ids of rows with waiting writes, by table. Without its row a write would not be shown anywhere. */
async function readSparedIds(db: UserDatabase): Promise<Map<string, number[]>> {
  const idsByTable = new Map<string, number[]>()
  for (const { table, target } of await db.outbox.toArray()) {
    const id = typeof target === 'string' ? (await db.rowIds.get(target.slice(1)))?.id : target
    if (typeof id === 'number') idsByTable.set(table, [...(idsByTable.get(table) ?? []), id])
  }
  return idsByTable
}

export async function evictList(db: UserDatabase, { id, table, scope }: ListStats): Promise<void> {
  const tables = [table, ...listMetadataTables, 'pages', 'outbox', 'rowIds']
  await db.transaction('rw', tables, async () => {
    const sparedIds = new Set((await readSparedIds(db)).get(table))
    const rows = getListRows(db, table, scope)
    await (sparedIds.size > 0 ? rows.filter(({ id }) => !sparedIds.has(id)) : rows).delete()
    const index = await db.indexes.get(id)
    if (index) await deleteIndex(db, index)
    for (const listTable of [db.table('coverage'), db.table('pages')])
      await listTable.where('id').startsWith(`${id}|`).delete()
    await db.syncPoints.delete(id)
    await db.listStats.delete(id)
  })
}

/**
 * Evicts lists, oldest first, then all other cached data, until the write succeeds. Throws the write's error if nothing is left to evict
 * (R-17).
 */
export async function retryAfterEviction<T>(
  db: UserDatabase,
  attempt: () => PromiseLike<T>,
  error: unknown,
): Promise<T> {
  let lastError = error
  while (await makeRoom(db, lastError)) {
    try {
      return await attempt()
    } catch (retryError) {
      if (!isFullError(retryError)) throw retryError
      lastError = retryError
    }
  }
  throw lastError
}

/** Returns false if nothing could be evicted. */
async function makeRoom(db: UserDatabase, originalError: unknown): Promise<boolean> {
  try {
    const [firstList] = await readEvictable(db)
    if (firstList) await evictList(db, firstList)
    else if ((await countClearable(db)) > 0) await clearCachedTables(db)
    else return false
    return true
  } catch (error) {
    if (isFullError(error)) throw originalError
    throw error
  }
}

export const isAnythingCached = async (db: UserDatabase): Promise<boolean> =>
  (await readEvictable(db)).length + (await countClearable(db)) > 0

async function countClearable(db: UserDatabase): Promise<number> {
  const pinnedLists = await readPinnedLists(db)
  const counts = await Promise.all([
    db.coverage.count(),
    db.pages.count(),
    db.syncPoints.where('id').noneOf(pinnedLists).count(),
    db.responses.where('path').notEqual(getUser.path).count(),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}
