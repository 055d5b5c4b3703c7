/**
 * Stores a complete long list piece by piece and shows it when it is complete. Until then pages read the previous index, which stays in
 * place if the fill fails. Existing rows are updated as they arrive; only new and deleted rows wait for the end.
 */
import type { ListSpec } from '#contract/endpoint.ts'
import { listMetadataTables, getRows, type UserDatabase } from '#local/storage/database.ts'
import { addToIndex, beginNextIndex, findMissingIds, showNextIndex } from '#local/list-index/list-index.ts'
import type { ListIndex, StoredRow } from '#local/storage/cache-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { canStore } from '#local/session/session-generation.ts'
import {
  deleteOldTombstones,
  isLeftOut,
  type LeftOutRows,
  putRows,
  type ServerRow,
  removeRows,
  hasRemovalSince,
} from '#local/lists/row-store.ts'
import { transact } from '#local/storage/transaction.ts'

/** Rows per transaction: enough to be fast, but few enough that pages do not wait long for the database. */
const rowsPerPiece = 5_000

export interface CompleteListResponse {
  pieces: Iterable<ServerRow[]> | AsyncIterable<ServerRow[]>
  changeNumber: number
  asOf: number
  leftOutRows?: LeftOutRows
}

export function* splitIntoPieces(rows: readonly ServerRow[]): Generator<ServerRow[]> {
  for (let i = 0; i < rows.length; i += rowsPerPiece) yield rows.slice(i, i + rowsPerPiece)
}

/** Returns false and leaves the list as it was if the session has changed or newer data arrived meanwhile (protocol 34). */
export async function storeCompleteList(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  response: CompleteListResponse,
  generation: number,
): Promise<boolean> {
  const id = toListId(list.table, scope)
  const runStep = (action: (index: ListIndex) => Promise<void>, next: string | null) =>
    transact(db, [list.table, ...listMetadataTables, 'meta'], async () => {
      const index =
        next === null ? await beginCompleteList(db, list, scope, response.changeNumber) : await db.indexes.get(id)
      if (!index || (next !== null && index.next !== next) || !(await canStore(db, generation))) return null
      await action(index)
      return index.next
    })
  const next = await runStep(async () => {}, null)
  if (next === null) return false
  for await (const rows of response.pieces) {
    const indexName = await runStep(async () => {
      const newerRows = await putRows(db, list.table, rows, { asOf: response.asOf, isStaged: true })
      if (newerRows.length > 0) await addToIndex(db, list, next, newerRows)
    }, next)
    if (indexName === null) return false
  }
  const nextName = await runStep((index) => showCompleteList(db, list, { index, next, response }), next)
  return nextName !== null
}

async function beginCompleteList(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  changeNumber: number,
): Promise<ListIndex | null> {
  const syncPoint = await db.syncPoints.get(toListId(list.table, scope))
  return syncPoint && syncPoint.changeNumber > changeNumber ? null : await beginNextIndex(db, list, scope)
}

async function showCompleteList(
  db: UserDatabase,
  list: ListSpec,
  { index, next, response }: { index: ListIndex; next: string; response: CompleteListResponse },
): Promise<void> {
  const { asOf, changeNumber } = response
  const missingRows = await getRows(db, list.table, await findMissingIds(db, index.name, next))
  // Rows that the response does not cover, because they arrived after it was created or were left out of it.
  const isNotCovered = (row: StoredRow) => row.asOf >= asOf || isLeftOut(response, row.id)
  const deletedRows = missingRows.filter((row) => !isNotCovered(row))
  const newerRows = missingRows.filter(isNotCovered)
  if (newerRows.length > 0) await addToIndex(db, list, next, newerRows)
  const hasGaps = (await hasRemovalSince(db, list.table, asOf)) || response.leftOutRows !== undefined
  await removeRows(db, list.table, deletedRows, asOf)
  await deleteOldTombstones(db, asOf)
  await db.syncPoints.put({ id: index.id, changeNumber, asOf, gaps: hasGaps })
  await showNextIndex(db, index, next)
}
