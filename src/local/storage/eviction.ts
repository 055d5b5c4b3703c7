/**
 * Room on the device. What is kept of the server's word may always be fetched again, so it makes way: lists that grow too
 * many or too old go by themselves. When the disk is full the oldest go first, those that were prepared to work offline last, and
 * the write is tried again. What exists only here (writes, their files, names, receipts) is never touched, nor are rows that a
 * waiting write is about. What its user asked to keep stays until they take it away or leave.
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
  /** A full trail of 100,000 rows with its index; a hundredth of what a phone with little room left still grants. */
  bytes: 60_000_000,
  /** A tablet that was put away shows nothing that old (W-06). */
  ageMs: 14 * 24 * 3_600_000,
}

export async function clearCachedTables(db: UserDatabase): Promise<void> {
  const tables = [...rowTables, ...listMetadataTables, 'pages', 'responses', 'outbox', 'rowIds', ...storedTrailTables]
  await db.transaction('rw', tables, async () => {
    const [sparedIdsByTable, pinnedLists] = await Promise.all([readSparedIds(db), readPinnedLists(db)])
    for (const table of rowTables) {
      const ids = sparedIdsByTable.get(table)
      // What stays is not put back: on a full disk nothing can be put.
      if (ids) await getRowTable(db, table).where(':id').noneOf(ids).delete()
      else await getRowTable(db, table).clear()
    }
    for (const table of listMetadataTables)
      if (table !== 'tombstones') {
        if (pinnedLists.length === 0) await db.table(table).clear()
        else await clearListMetadata(db, table, pinnedLists)
      }
    await db.pages.clear()
    // The user's own reading says who is signed in, and holds the key that seals what waits.
    await db.responses.where('path').notEqual(getUser.path).delete()
  })
}

/** Ids of the lists that their user asked to keep (local/audit-trail): of them only the index is in the tables of lists. */
async function readPinnedLists(db: UserDatabase): Promise<string[]> {
  const companies = await db.storedTrails.toCollection().primaryKeys()
  return companies.map((companyId) => toListId('trail', companyId))
}

/** All but what belongs to pinned lists: their records are named by the list, and its index by that name and a number. */
async function clearListMetadata(db: UserDatabase, table: string, pinnedLists: readonly string[]): Promise<void> {
  const isPinned = (key: unknown) => {
    const [name] = Array.isArray(key) ? (key as unknown[]) : [key]
    return pinnedLists.some((id) => name === id || String(name).startsWith(`${id}#`))
  }
  const keys = await db.table(table).toCollection().primaryKeys()
  await db.table(table).bulkDelete(keys.filter((key) => !isPinned(key)))
}

/** A list that may make way. `isPrepared`: fetched to work offline (local/preparation), so the others go first. */
export type EvictableList = ListStats & { isPrepared: boolean }

/** Lists that may make way, the first to go first. */
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

/** Rows that waiting writes are about, by table: a write without its row would show nowhere. */
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
 * The disk is full: lists make way, the oldest first, until the write goes through. Throws what the last attempt threw
 * when nothing is left to go.
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

/** False: there was nothing that could go. */
async function makeRoom(db: UserDatabase, originalError: unknown): Promise<boolean> {
  try {
    const [firstList] = await readEvictable(db)
    if (firstList) await evictList(db, firstList)
    else if ((await countClearable(db)) > 0) await clearCachedTables(db)
    else return false
    return true
  } catch (error) {
    // Even taking away needs a little room to be written down.
    if (isFullError(error)) throw originalError
    throw error
  }
}

/** Whether there is anything that could make way. */
export const isAnythingCached = async (db: UserDatabase): Promise<boolean> =>
  (await readEvictable(db)).length + (await countClearable(db)) > 0

/** Whatever is left that `clear` would take. */
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
