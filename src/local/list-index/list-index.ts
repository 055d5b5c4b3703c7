/**
 * The index of long lists: the only file that code outside this folder imports. Whoever writes rows calls `countIn` inside the
 * transaction that writes them. A list that is fetched anew gets its index by `beginNextIndex`, `addToIndex` and `showNextIndex`.
 * Reads find the rows of a filter by the index alone, inside a transaction over it.
 */
import { Dexie } from 'dexie'
import { type ListSpec, fillsOf } from '#contract/endpoint.ts'
import { findBetween, type Question, readBuckets } from '#local/list-index/bucket-filter.ts'
import { idColumn, isTrueOf, type Layout, layoutOf, moveRows } from '#local/list-index/buckets.ts'
import { counted, type Part } from '#local/list-index/list-stats.ts'
import type { Place } from '#local/list-query/query.ts'
import type { Bucket, Exchange, ListIndex, StoredRow } from '#local/storage/cache-records.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { dropIndex, forgetIndex } from '#local/storage/index-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Up to here a list is read whole, which costs less than keeping an index. 1,000 modules with their apps took 400 ms of a
 * processor slowed four times, with each page that was turned.
 */
export const indexedFrom = 500
/** So many rows are read at once while an index is made: what is in memory does not grow with the list. */
const pieceRows = 5_000

/** Brings counts and index of every list touched in step with its rows. Inside a transaction. */
export async function countIn(db: UserDatabase, table: string, exchange: Exchange, from = indexedFrom): Promise<void> {
  const list = fillsOf(table)
  for (const [scope, part] of byScope(exchange)) {
    const id = fillId(table, scope)
    const [holding, index] = await Promise.all([counted(db, table, scope, part), db.indexes.get(id)])
    // Nobody here knows the list's columns, so its index would go stale: it is made anew by who does.
    if (index && !list) await forgetIndex(db, index)
    else if (index && list) await moveInto(db, index, layoutOf(list), part)
    else if (list && holding.rows > from) await makeIndex(db, list, scope)
  }
}

function byScope({ gone, come, staged }: Exchange): Map<number | null, Part> {
  const parts = new Map<number | null, Part>()
  const partOf = (scope: number | null) => {
    const part = parts.get(scope) ?? { gone: [], come: [], staged: [] }
    parts.set(scope, part)
    return part
  }
  for (const row of staged ?? []) partOf(row.scope).staged.push(row)
  for (const row of gone) partOf(row.scope).gone.push(row)
  for (const row of come) partOf(row.scope).come.push(row)
  return parts
}

async function moveInto(db: UserDatabase, { name, next }: ListIndex, layout: Layout, part: Part): Promise<void> {
  const hidden = new Set(next === null ? [] : part.staged.map(({ id }) => id))
  const seen = part.come.filter(({ id }) => !hidden.has(id))
  if (part.gone.length + seen.length > 0) await moveRows(db, name, layout, { gone: part.gone, come: seen })
  if (next !== null) await moveRows(db, next, layout, part)
}

/** Makes the index of a list from its rows, piece by piece. Inside a transaction. */
export async function makeIndex(db: UserDatabase, list: ListSpec, scope: number | null): Promise<void> {
  const id = fillId(list.table, scope)
  const old = await db.indexes.get(id)
  if (old) await forgetIndex(db, old)
  const layout = layoutOf(list)
  const name = nameAfter(id, old?.name)
  const table = rowsOf(db, list.table)
  let last = 0
  for (;;) {
    const piece = await table
      .where(':id')
      .above(last)
      .filter((row) => scope === null || row.scope === scope)
      .limit(pieceRows)
      .toArray()
    if (piece.length > 0) await moveRows(db, name, layout, { gone: [], come: piece })
    last = piece.at(-1)?.id ?? last
    if (piece.length < pieceRows) break
  }
  await db.indexes.put({ id, table: list.table, name, next: null })
}

/**
 * A name is given once, also after the list was cleared away: nothing of an older index can be taken for a newer one's. It
 * is a number, because older builds count on from it.
 */
const nameAfter = (id: string, name: string | null | undefined): string =>
  `${id}#${Math.max(Number(name?.slice(name.lastIndexOf('#') + 1) ?? 0) + 1, Date.now())}`

/** Looks at the bucket of one row and makes the index anew where it does not say what the rows say. */
export async function proveIndex(db: UserDatabase, list: ListSpec, scope: number | null, id: number): Promise<boolean> {
  // Asked first, so that nobody waits for a transaction over a list that has none.
  if (!(await db.indexes.get(fillId(list.table, scope)))) return true
  return await transact(db, [list.table, 'indexes', 'buckets', 'columns'], async () => {
    const index = await db.indexes.get(fillId(list.table, scope))
    const sample = index && (await rowsOf(db, list.table).get(id))
    if (!index || !sample || (await isTrueOf(db, index.name, layoutOf(list), sample))) return true
    await makeIndex(db, list, scope)
    return false
  })
}

/** Gives a list an empty index in place of the one that it has. Inside a transaction. */
export async function resetIndex(db: UserDatabase, list: ListSpec, scope: number | null): Promise<void> {
  const id = fillId(list.table, scope)
  const old = await db.indexes.get(id)
  if (old) await dropIndex(db, old.name)
  await db.indexes.put({ id, table: list.table, name: nameAfter(id, old?.name), next: null })
}

/** Adds rows to the index of that name. Inside a transaction. */
export const addToIndex = (db: UserDatabase, list: ListSpec, name: string, rows: readonly StoredRow[]): Promise<void> =>
  moveRows(db, name, layoutOf(list), { gone: [], come: rows })

/**
 * Puts an empty index beside the one that the screens read, under the name `next`; a list without an index gets one first.
 * Null: it could not be made. Inside a transaction.
 */
export async function beginNextIndex(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
): Promise<ListIndex | null> {
  const id = fillId(list.table, scope)
  if (!(await db.indexes.get(id))) await makeIndex(db, list, scope)
  const index = await db.indexes.get(id)
  if (!index) return null
  // Left by a fill that was cut off.
  if (index.next !== null) await dropIndex(db, index.next)
  const fresh = { ...index, next: nameAfter(id, index.next ?? index.name) }
  await db.indexes.put(fresh)
  return fresh
}

/** Ids that the index of the one name has and that of the other lacks, found bucket by bucket. Inside a transaction. */
export async function findMissingIds(db: UserDatabase, name: string, next: string): Promise<number[]> {
  const missing: number[] = []
  const buckets = await db.buckets.where('[list+at]').between([name, Dexie.minKey], [name, Dexie.maxKey]).toArray()
  for (const { at } of buckets) {
    const [before, after] = await db.columns.bulkGet([
      [name, idColumn, at],
      [next, idColumn, at],
    ])
    const there = new Set(after?.codes)
    for (const id of before?.codes ?? []) if (!there.has(id)) missing.push(id)
  }
  return missing
}

/** From now on the screens read the next index; the one before is deleted. Inside a transaction. */
export async function showNextIndex(db: UserDatabase, index: ListIndex, next: string): Promise<void> {
  await db.indexes.put({ ...index, name: next, next: null })
  await dropIndex(db, index.name)
}

/** The buckets that the filter can mean, in the list's own order; none where there is no index of that name. */
export const readIndexBuckets = (db: UserDatabase, name: string, question: Question): Promise<Bucket[]> =>
  readBuckets(db, name, question)

/** Ids of the rows that the filter means and that stand between two places of the order, both left out; null: without that end. */
export const findRowsBetween = (
  db: UserDatabase,
  name: string,
  question: Question,
  ends: { after: Place | null; before: Place | null },
): Promise<number[]> => findBetween(db, name, question, ends)

type IndexReader = typeof import('#local/list-index/index-reader.ts')

let reader: IndexReader | undefined

/** Loads what finds pages of a long list, before a transaction is begun: what writes rows does not carry that code. */
export async function loadIndexReader(): Promise<void> {
  // By this promise and not its own: else Dexie loses sight of what a live query reads after it.
  reader ??= await Promise.resolve(import('#local/list-index/index-reader.ts'))
}

/** What finds pages by the index, inside a transaction over it; `loadIndexReader` comes before. */
export function getIndexReader(): IndexReader {
  if (!reader) throw new Error('loadIndexReader was not awaited')
  return reader
}
