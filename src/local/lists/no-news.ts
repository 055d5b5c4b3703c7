/** Answers that tell nothing but that all is as it was: most of those that a screen asks for. */
import type { ListSpec } from '#contract/endpoint.ts'
import { isSameValue } from '#domain/equal-values.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import type { ListSyncPoint } from '#local/storage/cache-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import type { PageAnswer } from '#local/lists/row-store.ts'
import { mayStore } from '#local/session/session-generation.ts'
import { readTogether, transact } from '#local/storage/transaction.ts'

/**
 * Whether the page tells nothing: the whole list was read, and nothing has changed since. Then only its time is noted. A
 * transaction that writes rows makes every screen wait that reads some, and one that has written them makes it read again.
 */
export async function isNoNews(
  db: UserDatabase,
  list: ListSpec,
  { scope }: ListQuery,
  answer: PageAnswer,
  generation: number,
): Promise<boolean> {
  const id = fillId(list.table, scope)
  const isHere = await readTogether(db, ['syncPoints', list.table], async () => {
    const [fill, there] = await Promise.all([
      db.syncPoints.get(id),
      rowsOf(db, list.table).bulkGet(answer.rows.map((row) => row.id)),
    ])
    // By what it says and not by its version: what time makes of an order has none.
    return isUnchanged(fill, answer) && answer.rows.every((row, at) => isSameValue(there[at]?.row, row))
  })
  if (!isHere) return false
  return await transact(db, ['syncPoints', 'meta'], async () => {
    if (!(await mayStore(db, generation))) return false
    return await refreshFill(db, id, answer)
  })
}

/** Nothing has changed since the whole table was read: then all of it is as fresh as this answer. False: something has. */
export async function refreshFill(db: UserDatabase, id: string, answer: PageAnswer): Promise<boolean> {
  const fill = await db.syncPoints.get(id)
  if (!isUnchanged(fill, answer)) return false
  if (fill.asOf < answer.asOf) await db.syncPoints.put({ ...fill, asOf: answer.asOf })
  return true
}

const isUnchanged = (fill: ListSyncPoint | undefined, { change }: PageAnswer): fill is ListSyncPoint =>
  fill !== undefined && !fill.gaps && change !== '' && String(fill.upto) === change
