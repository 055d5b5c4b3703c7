/**
 * What is counted of each list as its rows come and go, and from how many rows on it is read by its buckets. Called by
 * whoever writes rows, inside the transaction that writes them.
 */
import { type ListSpec, fillsOf } from '#contract/endpoint.ts'
import { forgetIndex, isTrueOf, type Layout, layoutOf, moveRows } from '#local/list-index/buckets.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import type { ListIndex } from '#local/storage/cache-records.ts'
import { counted, type Exchange, type Part } from '#local/list-index/list-stats.ts'
import { fillId } from '#local/lists/coverage.ts'
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
export const nameAfter = (id: string, name: string | null | undefined): string =>
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
