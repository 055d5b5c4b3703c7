/** Answers that tell nothing but that all is as it was: most of those that a screen asks for. */
import type { ListSpec } from '#contract/endpoint.ts'
import { isSameValue } from '#domain/equal-values.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import type { ListSyncPoint } from '#local/storage/cache-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import type { PageResponse } from '#local/lists/row-store.ts'
import { canStore } from '#local/session/session-generation.ts'
import { readInTransaction, transact } from '#local/storage/transaction.ts'

/**
 * Whether the page tells nothing: the whole list was read, and nothing has changed since. Then only its time is noted. A
 * transaction that writes rows makes every screen wait that reads some, and one that has written them makes it read again.
 */
export async function refreshIfUnchanged(
  db: UserDatabase,
  list: ListSpec,
  { scope }: ListQuery,
  response: PageResponse,
  generation: number,
): Promise<boolean> {
  const id = toListId(list.table, scope)
  const isSame = await readInTransaction(db, ['syncPoints', list.table], async () => {
    const [syncPoint, cachedRows] = await Promise.all([
      db.syncPoints.get(id),
      getRowTable(db, list.table).bulkGet(response.rows.map((row) => row.id)),
    ])
    // By what it says and not by its version: what time makes of an order has none.
    return (
      isSyncPointCurrent(syncPoint, response) &&
      response.rows.every((row, index) => isSameValue(cachedRows[index]?.row, row))
    )
  })
  if (!isSame) return false
  return await transact(db, ['syncPoints', 'meta'], async () => {
    if (!(await canStore(db, generation))) return false
    return await refreshSyncPoint(db, id, response)
  })
}

/** Nothing has changed since the whole table was read: then all of it is as fresh as this answer. False: something has. */
export async function refreshSyncPoint(db: UserDatabase, id: string, response: PageResponse): Promise<boolean> {
  const syncPoint = await db.syncPoints.get(id)
  if (!isSyncPointCurrent(syncPoint, response)) return false
  if (syncPoint.asOf < response.asOf) await db.syncPoints.put({ ...syncPoint, asOf: response.asOf })
  return true
}

const isSyncPointCurrent = (
  syncPoint: ListSyncPoint | undefined,
  { change }: PageResponse,
): syncPoint is ListSyncPoint =>
  syncPoint !== undefined && !syncPoint.gaps && change !== '' && String(syncPoint.changeNumber) === change
