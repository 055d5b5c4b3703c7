/**
 * Room on the device. What is kept of the server's word may always be fetched again, so it makes way: lists that grow too
 * many or too old go by themselves. When the disk is full the oldest go first, those that were prepared to work offline last, and
 * the write is tried again. What exists only here (writes, their files, names, receipts) is never touched, nor are rows that a
 * waiting write is about. What its user asked to keep stays until they take it away or leave.
 */
import { getUser } from '#contract/accounts.ts'
import { forgetIndex } from '#local/storage/index-records.ts'
import { readPreparedLists } from '#local/storage/preparation-record.ts'
import { besideRows, rowsOf, rowTables, type UserDatabase, rowsIn } from '#local/storage/database.ts'
import type { ListStats } from '#local/storage/cache-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import { isFull } from '#local/storage/storage-errors.ts'

export const limits = {
  /** A full trail of 100,000 rows with its index; a hundredth of what a phone with little room left still grants. */
  bytes: 60_000_000,
  /** A tablet that was put away shows nothing that old (W-06). */
  ageMs: 14 * 24 * 3_600_000,
}

export async function clear(db: UserDatabase): Promise<void> {
  const tables = [...rowTables, ...besideRows, 'pages', 'responses', 'outbox', 'rowIds', 'keptTrails']
  await db.transaction('rw', tables, async () => {
    const [spared, pinned] = await Promise.all([readSpared(db), readPinned(db)])
    for (const table of rowTables) {
      const ids = spared.get(table)
      // What stays is not put back: on a full disk nothing can be put.
      if (ids) await rowsOf(db, table).where(':id').noneOf(ids).delete()
      else await rowsOf(db, table).clear()
    }
    for (const table of besideRows)
      if (table !== 'tombstones') {
        if (pinned.length === 0) await db.table(table).clear()
        else await clearBeside(db, table, pinned)
      }
    await db.pages.clear()
    // The user's own reading says who is signed in, and holds the key that seals what waits.
    await db.responses.where('path').notEqual(getUser.path).delete()
  })
}

/** Ids of the lists that their user asked to keep (local/audit-trail): of them only the index is in the tables of lists. */
async function readPinned(db: UserDatabase): Promise<string[]> {
  const companies = await db.keptTrails.toCollection().primaryKeys()
  return companies.map((companyId) => fillId('trail', companyId))
}

/** All but what belongs to pinned lists: their records are named by the list, and its index by that name and a number. */
async function clearBeside(db: UserDatabase, table: string, pinned: readonly string[]): Promise<void> {
  const isPinned = (key: unknown) => {
    const [name] = Array.isArray(key) ? (key as unknown[]) : [key]
    return pinned.some((id) => name === id || String(name).startsWith(`${id}#`))
  }
  const keys = await db.table(table).toCollection().primaryKeys()
  await db.table(table).bulkDelete(keys.filter((key) => !isPinned(key)))
}

/** A list that may make way. `isPrepared`: fetched to work offline (local/preparation), so the others go first. */
export type EvictableList = ListStats & { isPrepared: boolean }

/** Lists that may make way, the first to go first. */
export async function readEvictable(db: UserDatabase): Promise<EvictableList[]> {
  const [lists, pinned, prepared] = await Promise.all([db.listStats.toArray(), readPinned(db), readPreparedLists(db)])
  return lists
    .filter(({ id }) => !pinned.includes(id))
    .map((list) => ({ ...list, isPrepared: prepared.has(list.id) }))
    .sort((a, b) => Number(a.isPrepared) - Number(b.isPrepared) || a.newest - b.newest)
}

/** Rows that waiting writes are about, by table: a write without its row would show nowhere. */
async function readSpared(db: UserDatabase): Promise<Map<string, number[]>> {
  const spared = new Map<string, number[]>()
  for (const { table, target } of await db.outbox.toArray()) {
    const id = typeof target === 'string' ? (await db.rowIds.get(target.slice(1)))?.id : target
    if (typeof id === 'number') spared.set(table, [...(spared.get(table) ?? []), id])
  }
  return spared
}

export async function evict(db: UserDatabase, { id, table, scope }: ListStats): Promise<void> {
  const tables = [table, ...besideRows, 'pages', 'outbox', 'rowIds']
  await db.transaction('rw', tables, async () => {
    const spared = new Set((await readSpared(db)).get(table))
    const rows = rowsIn(db, table, scope)
    await (spared.size > 0 ? rows.filter(({ id }) => !spared.has(id)) : rows).delete()
    const index = await db.indexes.get(id)
    if (index) await forgetIndex(db, index)
    await db.coverage
      .where('id')
      .startsWith(`${fillId(table, scope)}|`)
      .delete()
    await db.pages
      .where('id')
      .startsWith(`${fillId(table, scope)}|`)
      .delete()
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
  let why = error
  while (await makeRoom(db, why)) {
    try {
      return await attempt()
    } catch (again) {
      if (!isFull(again)) throw again
      why = again
    }
  }
  throw why
}

/** False: there was nothing that could go. */
async function makeRoom(db: UserDatabase, why: unknown): Promise<boolean> {
  try {
    const [first] = await readEvictable(db)
    if (first) await evict(db, first)
    else if ((await countCleared(db)) > 0) await clear(db)
    else return false
    return true
  } catch (error) {
    // Even taking away needs a little room to be written down.
    if (isFull(error)) throw why
    throw error
  }
}

/** Whether there is anything that could make way. */
export const isAnythingCached = async (db: UserDatabase): Promise<boolean> =>
  (await readEvictable(db)).length + (await countCleared(db)) > 0

/** Whatever is left that `clear` would take. */
async function countCleared(db: UserDatabase): Promise<number> {
  const pinned = await readPinned(db)
  const counts = await Promise.all([
    db.coverage.count(),
    db.pages.count(),
    db.syncPoints.where('id').noneOf(pinned).count(),
    db.responses.where('path').notEqual(getUser.path).count(),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}
