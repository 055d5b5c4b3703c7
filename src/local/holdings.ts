/**
 * What is counted of each list as its rows come and go, and from how many rows on it is read by its buckets. Called by
 * whoever writes rows, inside the transaction that writes them.
 */
import { type Fills, fillsOf } from '#contract/endpoint.ts'
import { rowsOf, transact, type UserDatabase } from '#local/database.ts'
import type { Holding, ListIndex, StoredRow } from '#local/kept.ts'
import { dropIndex, isTrueOf, type Layout, layoutOf, moveRows } from '#local/buckets.ts'
import { fillId } from '#local/query.ts'

/**
 * Up to here a list is read whole: some 25 ms on a slow tablet, less than an index costs while it is kept. Beyond it the
 * time of reading all would grow with the rows.
 */
export const indexedFrom = 2_000
/** So many rows are read at once while an index is made: what is in memory does not grow with the list. */
const pieceRows = 5_000

/** Rows that went (or were replaced, as they were) and rows that came, of one table. */
export interface Exchange {
  gone: readonly StoredRow[]
  come: readonly StoredRow[]
  /** Of those that came: of a fill that is under way, so not to be shown before it is whole. */
  staged?: readonly StoredRow[]
}

/** Brings counts and index of every list touched in step with its rows. Inside a transaction. */
export async function countIn(db: UserDatabase, table: string, exchange: Exchange, from = indexedFrom): Promise<void> {
  const fills = fillsOf(table)
  for (const [scope, part] of byScope(exchange)) {
    const id = fillId(table, scope)
    const holding = await counted(db, table, scope, part)
    const index = await db.indexes.get(id)
    // Nobody here knows the list's columns, so its index would go stale: it is made anew by who does.
    if (index && !fills) await forgetIndex(db, index)
    else if (index && fills) await moveInto(db, index, layoutOf(fills), part)
    else if (fills && holding.rows > from) await makeIndex(db, fills, scope)
  }
}

type Part = Record<'gone' | 'come' | 'staged', StoredRow[]>

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

/** What IndexedDB needs beside the text itself, roughly. */
const bytesBeside = 120
const bytesOf = (rows: readonly StoredRow[]) =>
  rows.reduce((bytes, { row }) => bytes + bytesBeside + weightOf(row as unknown as Record<string, unknown>), 0)

/** About as many bytes as the row has as text; made for every row that comes, so nothing is written out for it. */
function weightOf(row: Record<string, unknown>): number {
  let weight = 0
  for (const name in row) {
    const value = row[name]
    weight += name.length + 4
    if (typeof value === 'string') weight += value.length
    else if (value !== null && typeof value === 'object') weight += weightOf(value as Record<string, unknown>)
    else weight += 6
  }
  return weight
}

async function counted(db: UserDatabase, table: string, scope: number | null, part: Exchange): Promise<Holding> {
  const id = fillId(table, scope)
  const known = await db.holdings.get(id)
  const times = part.come.map(({ asOf }) => asOf)
  const rows = known ? known.rows + part.come.length - part.gone.length : await countRows(db, table, scope)
  const holding: Holding = {
    id,
    table,
    scope,
    rows,
    bytes: known ? Math.max(0, known.bytes + bytesOf(part.come) - bytesOf(part.gone)) : await weighed(db, table, scope),
    asOf: times.reduce((least, time) => Math.min(least, time), known?.asOf ?? Number.MAX_SAFE_INTEGER),
    newest: times.reduce((most, time) => Math.max(most, time), known?.newest ?? 0),
  }
  if (rows > 0) await db.holdings.put(holding)
  else await db.holdings.delete(id)
  return holding
}

export const rowsIn = (db: UserDatabase, table: string, scope: number | null) =>
  scope === null ? rowsOf(db, table).toCollection() : rowsOf(db, table).where('scope').equals(scope)

const countRows = (db: UserDatabase, table: string, scope: number | null) => rowsIn(db, table, scope).count()

/** Of a list that an older build stored: from a sample of it. */
async function weighed(db: UserDatabase, table: string, scope: number | null): Promise<number> {
  const sample = await rowsIn(db, table, scope).limit(50).toArray()
  const rows = await countRows(db, table, scope)
  return sample.length === 0 ? 0 : Math.round((bytesOf(sample) / sample.length) * rows)
}

async function moveInto(db: UserDatabase, { name, next }: ListIndex, layout: Layout, part: Part): Promise<void> {
  const hidden = new Set(next === null ? [] : part.staged.map(({ id }) => id))
  const seen = part.come.filter(({ id }) => !hidden.has(id))
  if (part.gone.length + seen.length > 0) await moveRows(db, name, layout, { gone: part.gone, come: seen })
  if (next !== null) await moveRows(db, next, layout, part)
}

export async function forgetIndex(db: UserDatabase, { id, name, next }: ListIndex): Promise<void> {
  await db.indexes.delete(id)
  await dropIndex(db, name)
  if (next !== null) await dropIndex(db, next)
}

/** Makes the index of a list from its rows, piece by piece. Inside a transaction. */
export async function makeIndex(db: UserDatabase, fills: Fills, scope: number | null): Promise<void> {
  const id = fillId(fills.table, scope)
  const old = await db.indexes.get(id)
  if (old) await forgetIndex(db, old)
  const layout = layoutOf(fills)
  const name = nameAfter(id, old?.name)
  const table = rowsOf(db, fills.table)
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
  await db.indexes.put({ id, table: fills.table, name, next: null })
}

/**
 * A name is given once, also after the list was cleared away: nothing of an older index can be taken for a newer one's. It
 * is a number, because older builds count on from it.
 */
export const nameAfter = (id: string, name: string | null | undefined): string =>
  `${id}#${Math.max(Number(name?.slice(name.lastIndexOf('#') + 1) ?? 0) + 1, Date.now())}`

/** Looks at the bucket of one row and makes the index anew where it does not say what the rows say. */
export async function proveIndex(db: UserDatabase, fills: Fills, scope: number | null, id: number): Promise<boolean> {
  // Asked first, so that nobody waits for a transaction over a list that has none.
  if (!(await db.indexes.get(fillId(fills.table, scope)))) return true
  return await transact(db, [fills.table, 'indexes', 'buckets', 'columns'], async () => {
    const index = await db.indexes.get(fillId(fills.table, scope))
    const sample = index && (await rowsOf(db, fills.table).get(id))
    if (!index || !sample || (await isTrueOf(db, index.name, layoutOf(fills), sample))) return true
    await makeIndex(db, fills, scope)
    return false
  })
}
