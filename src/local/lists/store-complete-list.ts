/**
 * Brings a whole list of many rows here, piece by piece, and shows it when it is whole: until then the screens read the
 * index as it was, and a fill that fails leaves that one in place. Rows that were here before are brought up to date as
 * they come, each by itself; only what is new, and what is gone, waits for the end.
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

/** Stored at once: long enough to be quick, short enough that a screen that asks meanwhile does not wait for long. */
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

/** False, with the list as it was, when the session has moved on or something newer came meanwhile (protocol 34). */
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
      // Another fill took over, or what is kept was cleared away.
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

/** The index of the list with an empty one beside it, that becomes it in the end. */
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
  // Rows that the old index has and the new one lacks.
  const missingRows = await getRows(db, list.table, await findMissingIds(db, index.name, next))
  // What came after the answer was made, or was left out of it: it says nothing about them.
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
