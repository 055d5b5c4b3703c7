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
 * Returns true if the response contains no change: the device has the complete list, its change number is current, and the rows are equal.
 * Then only the time is stored. A transaction that writes rows would delay all pages that read them, and make them read again.
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
    // Compares the content and not the version, because the version of an order does not change with time-dependent fields.
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

/** Updates the time of a complete list to that of the response. Returns false if the list is incomplete or has changed since. */
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
