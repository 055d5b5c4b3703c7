/**
 * The index of long lists: the only file that code outside this folder imports. Whoever writes rows calls `updateCountsAndIndex` inside the
 * transaction that writes them. A list that is fetched anew gets its index by `beginNextIndex`, `addToIndex` and `showNextIndex`.
 * Reads find the rows of a filter by the index alone, inside a transaction over it.
 */
import { Dexie } from 'dexie'
import { type ListSpec, findListSpec } from '#contract/endpoint.ts'
import {
  idColumn,
  isIndexCorrect,
  type IndexLayout,
  getIndexLayout,
  updateIndexRows,
} from '#local/list-index/buckets.ts'
import { updateListStats, type ScopeExchange } from '#local/list-index/list-stats.ts'
import type { RowExchange, ListIndex, StoredRow } from '#local/storage/cache-records.ts'
import { getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { deleteIndexRecords, deleteIndex } from '#local/storage/index-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Up to here a list is read whole, which costs less than keeping an index. 1,000 modules with their apps took 400 ms of a
 * processor slowed four times, with each page that was turned.
 */
export const minIndexedRows = 500
/** So many rows are read at once while an index is made: what is in memory does not grow with the list. */
const rowsPerPiece = 5_000

/** Brings counts and index of every list touched in step with its rows. Inside a transaction. */
export async function updateCountsAndIndex(
  db: UserDatabase,
  table: string,
  rowExchange: RowExchange,
  minRows = minIndexedRows,
): Promise<void> {
  const list = findListSpec(table)
  for (const [scope, scopeExchange] of groupByScope(rowExchange)) {
    const id = toListId(table, scope)
    const [stats, index] = await Promise.all([updateListStats(db, table, scope, scopeExchange), db.indexes.get(id)])
    // Nobody here knows the list's columns, so its index would go stale: it is made anew by who does.
    if (index && !list) await deleteIndex(db, index)
    else if (index && list) await updateIndex(db, index, getIndexLayout(list), scopeExchange)
    else if (list && stats.rows > minRows) await makeIndex(db, list, scope)
  }
}

function groupByScope({ removedRows, addedRows, stagedRows }: RowExchange): Map<number | null, ScopeExchange> {
  const exchanges = new Map<number | null, ScopeExchange>()
  const getPart = (scope: number | null) => {
    const scopeExchange = exchanges.get(scope) ?? { removedRows: [], addedRows: [], stagedRows: [] }
    exchanges.set(scope, scopeExchange)
    return scopeExchange
  }
  for (const row of stagedRows ?? []) getPart(row.scope).stagedRows.push(row)
  for (const row of removedRows) getPart(row.scope).removedRows.push(row)
  for (const row of addedRows) getPart(row.scope).addedRows.push(row)
  return exchanges
}

async function updateIndex(
  db: UserDatabase,
  { name, next }: ListIndex,
  layout: IndexLayout,
  scopeExchange: ScopeExchange,
): Promise<void> {
  const hiddenIds = new Set(next === null ? [] : scopeExchange.stagedRows.map(({ id }) => id))
  const visibleRows = scopeExchange.addedRows.filter(({ id }) => !hiddenIds.has(id))
  if (scopeExchange.removedRows.length + visibleRows.length > 0)
    await updateIndexRows(db, name, layout, { removedRows: scopeExchange.removedRows, addedRows: visibleRows })
  if (next !== null) await updateIndexRows(db, next, layout, scopeExchange)
}

/** Makes the index of a list from its rows, piece by piece. Inside a transaction. */
export async function makeIndex(db: UserDatabase, list: ListSpec, scope: number | null): Promise<void> {
  const id = toListId(list.table, scope)
  const oldIndex = await db.indexes.get(id)
  if (oldIndex) await deleteIndex(db, oldIndex)
  const layout = getIndexLayout(list)
  const name = getNextIndexName(id, oldIndex?.name)
  const table = getRowTable(db, list.table)
  let lastId = 0
  for (;;) {
    const piece = await table
      .where(':id')
      .above(lastId)
      .filter((row) => scope === null || row.scope === scope)
      .limit(rowsPerPiece)
      .toArray()
    if (piece.length > 0) await updateIndexRows(db, name, layout, { removedRows: [], addedRows: piece })
    lastId = piece.at(-1)?.id ?? lastId
    if (piece.length < rowsPerPiece) break
  }
  await db.indexes.put({ id, table: list.table, name, next: null })
}

/**
 * A name is given once, also after the list was cleared away: nothing of an older index can be taken for a newer one's. It
 * is a number, because older builds count on from it.
 */
const getNextIndexName = (id: string, name: string | null | undefined): string =>
  `${id}#${Math.max(Number(name?.slice(name.lastIndexOf('#') + 1) ?? 0) + 1, Date.now())}`

/** Looks at the bucket of one row and makes the index anew where it does not say what the rows say. */
export async function verifyIndex(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  id: number,
): Promise<boolean> {
  // Asked first, so that nobody waits for a transaction over a list that has none.
  if (!(await db.indexes.get(toListId(list.table, scope)))) return true
  return await transact(db, [list.table, 'indexes', 'buckets', 'columns'], async () => {
    const index = await db.indexes.get(toListId(list.table, scope))
    const sample = index && (await getRowTable(db, list.table).get(id))
    if (!index || !sample || (await isIndexCorrect(db, index.name, getIndexLayout(list), sample))) return true
    await makeIndex(db, list, scope)
    return false
  })
}

/** Gives a list an empty index in place of the one that it has. Inside a transaction. */
export async function resetIndex(db: UserDatabase, list: ListSpec, scope: number | null): Promise<void> {
  const id = toListId(list.table, scope)
  const oldIndex = await db.indexes.get(id)
  if (oldIndex) await deleteIndexRecords(db, oldIndex.name)
  await db.indexes.put({ id, table: list.table, name: getNextIndexName(id, oldIndex?.name), next: null })
}

/** Adds rows to the index of that name. Inside a transaction. */
export const addToIndex = (db: UserDatabase, list: ListSpec, name: string, rows: readonly StoredRow[]): Promise<void> =>
  updateIndexRows(db, name, getIndexLayout(list), { removedRows: [], addedRows: rows })

/**
 * Puts an empty index beside the one that the screens read, under the name `next`; a list without an index gets one first.
 * Null: it could not be made. Inside a transaction.
 */
export async function beginNextIndex(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
): Promise<ListIndex | null> {
  const id = toListId(list.table, scope)
  if (!(await db.indexes.get(id))) await makeIndex(db, list, scope)
  const index = await db.indexes.get(id)
  if (!index) return null
  // Left by a fill that was cut off.
  if (index.next !== null) await deleteIndexRecords(db, index.next)
  const nextIndex = { ...index, next: getNextIndexName(id, index.next ?? index.name) }
  await db.indexes.put(nextIndex)
  return nextIndex
}

/** Ids that the index of the one name has and that of the other lacks, found bucket by bucket. Inside a transaction. */
export async function findMissingIds(db: UserDatabase, name: string, next: string): Promise<number[]> {
  const missingIds: number[] = []
  const buckets = await db.buckets.where('[list+at]').between([name, Dexie.minKey], [name, Dexie.maxKey]).toArray()
  for (const { at } of buckets) {
    const [currentColumn, nextColumn] = await db.columns.bulkGet([
      [name, idColumn, at],
      [next, idColumn, at],
    ])
    const nextIds = new Set(nextColumn?.codes)
    for (const id of currentColumn?.codes ?? []) if (!nextIds.has(id)) missingIds.push(id)
  }
  return missingIds
}

/** From now on the screens read the next index; the one before is deleted. Inside a transaction. */
export async function showNextIndex(db: UserDatabase, index: ListIndex, next: string): Promise<void> {
  await db.indexes.put({ ...index, name: next, next: null })
  await deleteIndexRecords(db, index.name)
}

export { findIdsBetween as findRowsBetween, readBuckets as readIndexBuckets } from '#local/list-index/bucket-filter.ts'

type IndexReader = typeof import('#local/list-index/index-reader.ts')

let indexReader: IndexReader | undefined

/** Loads what finds pages of a long list, before a transaction is begun: what writes rows does not carry that code. */
export async function loadIndexReader(): Promise<void> {
  // By this promise and not its own: else Dexie loses sight of what a live query reads after it.
  indexReader ??= await Promise.resolve(import('#local/list-index/index-reader.ts'))
}

/** What finds pages by the index, inside a transaction over it; `loadIndexReader` comes before. */
export function getIndexReader(): IndexReader {
  if (!indexReader) throw new Error('loadIndexReader was not awaited')
  return indexReader
}
