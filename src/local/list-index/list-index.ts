/**
 * The index of long lists. Code outside this folder imports only this file. A writer of rows calls `updateCountsAndIndex` inside its
 * transaction. A list that is fetched again gets its index by `beginNextIndex`, `addToIndex` and `showNextIndex`. Reads find the matching
 * rows by the index alone, inside a transaction over it.
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
 * A list with more rows than this gets an index. Without an index, 1,000 modules with apps took 400 ms per page with the CPU throttled to a
 * quarter.
 */
export const minIndexedRows = 500
/** Maximum number of rows read together while an index is built, so that memory does not grow with the list. */
const rowsPerPiece = 5_000

/** Updates the counts and the index of every changed list. Must run inside a transaction. */
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
    // This code does not know the columns of the list, so the index would become outdated. The index is deleted, and code that knows the
    // columns builds it again.
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

/** Builds the index of a list from its rows, piece by piece. Must run inside a transaction. */
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

/** A name is never used twice, even after the list was cleared. It ends in a number that older builds increment. */
const getNextIndexName = (id: string, name: string | null | undefined): string =>
  `${id}#${Math.max(Number(name?.slice(name.lastIndexOf('#') + 1) ?? 0) + 1, Date.now())}`

export async function verifyIndex(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  id: number,
): Promise<boolean> {
  // Checked first, so that a list without an index needs no transaction.
  if (!(await db.indexes.get(toListId(list.table, scope)))) return true
  return await transact(db, [list.table, 'indexes', 'buckets', 'columns'], async () => {
    const index = await db.indexes.get(toListId(list.table, scope))
    const sample = index && (await getRowTable(db, list.table).get(id))
    if (!index || !sample || (await isIndexCorrect(db, index.name, getIndexLayout(list), sample))) return true
    await makeIndex(db, list, scope)
    return false
  })
}

/** Replaces the index of a list with an empty one. Must run inside a transaction. */
export async function resetIndex(db: UserDatabase, list: ListSpec, scope: number | null): Promise<void> {
  const id = toListId(list.table, scope)
  const oldIndex = await db.indexes.get(id)
  if (oldIndex) await deleteIndexRecords(db, oldIndex.name)
  await db.indexes.put({ id, table: list.table, name: getNextIndexName(id, oldIndex?.name), next: null })
}

/** Adds rows to the index of that name. Must run inside a transaction. */
export const addToIndex = (db: UserDatabase, list: ListSpec, name: string, rows: readonly StoredRow[]): Promise<void> =>
  updateIndexRows(db, name, getIndexLayout(list), { removedRows: [], addedRows: rows })

/**
 * Creates an empty index under the name `next`, while pages still read the current one. A list without an index gets one first. Returns
 * null if that was not possible. Must run inside a transaction.
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
  // Left by an interrupted fill.
  if (index.next !== null) await deleteIndexRecords(db, index.next)
  const nextIndex = { ...index, next: getNextIndexName(id, index.next ?? index.name) }
  await db.indexes.put(nextIndex)
  return nextIndex
}

/** Returns the ids that the index `name` has and the index `next` lacks, bucket by bucket. Must run inside a transaction. */
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

/** Makes the next index the current one and deletes the previous one. Must run inside a transaction. */
export async function showNextIndex(db: UserDatabase, index: ListIndex, next: string): Promise<void> {
  await db.indexes.put({ ...index, name: next, next: null })
  await deleteIndexRecords(db, index.name)
}

export { findIdsBetween as findRowsBetween, readBuckets as readIndexBuckets } from '#local/list-index/bucket-filter.ts'

type IndexReader = typeof import('#local/list-index/index-reader.ts')

let indexReader: IndexReader | undefined

/**
 * Loads the index reader. It is a separate chunk, because code that only writes rows does not need it. Await it before a transaction
 * begins.
 */
export async function loadIndexReader(): Promise<void> {
  // `Promise.resolve` is needed here: after awaiting the native promise of `import()`, Dexie no longer tracks what a live query reads.
  indexReader ??= await Promise.resolve(import('#local/list-index/index-reader.ts'))
}

/** Returns the index reader. Throws if `loadIndexReader` was not awaited. Must be used inside a transaction over the index. */
export function getIndexReader(): IndexReader {
  if (!indexReader) throw new Error('loadIndexReader was not awaited')
  return indexReader
}
