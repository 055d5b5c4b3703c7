/** The only writers of rows: what the server said, put if newer, and taken away where an answer proves it gone. */
import { Dexie } from 'dexie'
import { type Fills, fillsOf, type Row } from '#contract/endpoint.ts'
import { besideRows, isOutdated, rowsOf, rowTables, transact, type UserDatabase, wipedTables } from '#local/database.ts'
import { findBetween } from '#local/blocks.ts'
import { forgetDrawn } from '#local/drawn.ts'
import type { Coverage, StoredRow } from '#local/kept.ts'
import { countIn, type Exchange, rowsIn } from '#local/holdings.ts'
import { addSpan, comparer, coverageId, fillId, foldsOf, matches, pageId, placeOf, tidyFilters } from '#local/query.ts'
import { readGate } from '#local/session.ts'
import { asked } from '#local/asking.ts'
import type { ListQuery } from '#local/view.ts'

/** How long a deleted id is remembered here (protocol 33). */
const tombstoneMs = 24 * 3_600_000

/** The version of a grave that no row comes back from: the server said that it is gone. */
export const deleted = Number.MAX_SAFE_INTEGER

/** Rows that never change have no version: then the reading's time decides alone (protocol 33). */
export type ServerRow = { id: number; row_version?: number }

function toStored(table: string, row: ServerRow, asOf: number, there?: StoredRow): StoredRow {
  const fills = fillsOf(table)
  const scope = fills?.scope ? (row as unknown as Record<string, unknown>)[fills.scope.column] : null
  return {
    id: row.id,
    // Where nobody has loaded what fills the table, the row stays in the list it is in.
    scope: typeof scope === 'number' ? scope : fills ? null : (there?.scope ?? null),
    version: row.row_version ?? 0,
    asOf,
    // A list's rows are of its own schema; one without a version is never the base of a write.
    row: row as Row,
    folds: fills ? foldsOf(fills, row as Row) : {},
  }
}

/**
 * Puts rows unless newer ones, or the news that they are gone, are here already. `hidden`: those that were not here at
 * all belong to a fill that is shown when it is whole. Answers what was newer here. Inside a transaction.
 */
export async function putRows(
  db: UserDatabase,
  table: string,
  rows: readonly ServerRow[],
  { asOf, hidden = false }: { asOf: number; hidden?: boolean },
): Promise<StoredRow[]> {
  const { known, graves } = await readThere(db, table, rows)
  const newer = rows.filter((row) => {
    const there = known.get(row.id)
    const grave = graves.get(row.id)
    const version = row.row_version ?? 0
    if (grave && grave.asOf >= asOf && grave.version >= version) return false
    return !there || version > there.version || (version === there.version && asOf >= there.asOf)
  })
  const come = newer.map((row) => toStored(table, row, asOf, known.get(row.id)))
  const staged = hidden ? come.filter(({ id }) => !known.has(id)) : []
  await exchange(db, table, { gone: newer.flatMap(({ id }) => known.get(id) ?? []), come, staged })
  const put = new Set(newer.map(({ id }) => id))
  return [...known.values()].filter(({ id }) => !put.has(id))
}

/** Rows that come take the place of those that go under the same id; the others are deleted. Inside a transaction. */
export async function exchange(db: UserDatabase, table: string, { gone, come, staged }: Exchange): Promise<void> {
  if (gone.length + come.length === 0 || isOutdated(db)) return
  const stay = new Set(come.map(({ id }) => id))
  const left = gone.flatMap(({ id }) => (stay.has(id) ? [] : [id]))
  if (come.length > 0) await rowsOf(db, table).bulkPut([...come])
  if (left.length > 0) {
    await rowsOf(db, table).bulkDelete(left)
    Dexie.currentTransaction.on('complete', () => Dexie.ignoreTransaction(() => forgetDrawn(db)))
  }
  await countIn(db, table, staged ? { gone, come, staged } : { gone, come })
}

/** From so many rows on it pays to ask first which ids between the least and the greatest are there at all. */
const askedOneByOne = 200

/** What is here of these rows, and which of them were seen to be gone. */
async function readThere(db: UserDatabase, table: string, rows: readonly ServerRow[]) {
  let ids = rows.map(({ id }) => id)
  let buried: [string, number][] = ids.map((id) => [table, id])
  if (ids.length > askedOneByOne) {
    const [least, most] = ids.reduce(
      ([low, high], id) => [Math.min(low, id), Math.max(high, id)],
      [Infinity, -Infinity],
    )
    const asked = new Set(ids)
    const keys = await rowsOf(db, table).where('id').between(least, most, true, true).primaryKeys()
    const graves = db.tombstones.where('[table+id]').between([table, least], [table, most], true, true)
    ids = keys.filter((id) => asked.has(id))
    buried = (await graves.primaryKeys()).filter(([, id]) => asked.has(id))
  }
  const known = await rowsOf(db, table).bulkGet(ids)
  const graves = await db.tombstones.bulkGet(buried)
  return {
    known: new Map(known.flatMap((row) => (row ? [[row.id, row] as const] : []))),
    graves: new Map(graves.flatMap((grave) => (grave ? [[grave.id, grave] as const] : []))),
  }
}

export async function putRow(db: UserDatabase, table: string, row: ServerRow, asOf: number): Promise<void> {
  await putRows(db, table, [row], { asOf })
}

/** Forgets a row that is gone, or of which we only know that it is no longer as we have it. Inside a transaction. */
export async function bury(db: UserDatabase, table: string, id: number, asOf: number): Promise<void> {
  const stored = await rowsOf(db, table).get(id)
  if (!stored) return void (await db.tombstones.put({ table, id, asOf, version: 0 }))
  await takeAway(db, table, [stored], asOf)
  await noLongerWhole(db, table, stored.scope)
}

/** Rows that an answer proves gone from where they were: no older answer brings them back. Inside a transaction. */
export async function takeAway(db: UserDatabase, table: string, gone: readonly StoredRow[], asOf: number) {
  await exchange(db, table, { gone, come: [] })
  await db.tombstones.bulkPut(gone.map(({ id, version }) => ({ table, id, asOf, version })))
}

/** A row went without our knowing what became of it, so no reading but the one that said so is the whole list now. */
async function noLongerWhole(db: UserDatabase, table: string, scope: number | null): Promise<void> {
  await db.fills.update(fillId(table, scope), { gaps: true })
  const prefix = coverageId(table, scope, {}).slice(0, -2)
  await db.coverage.where('id').startsWith(prefix).modify({ spans: [] })
}

/** Whether an answer that was asked for in this generation may still be kept, by this build. Inside a transaction. */
export const mayStore = async (db: UserDatabase, generation: number): Promise<boolean> =>
  !isOutdated(db) && (await readGate(db)) === generation

/** One page of a list, as the server answered it. */
export interface PageAnswer {
  rows: ServerRow[]
  count: number
  asOf: number
  /** The company's change number, as the header says it. */
  change: string
}

/** What an answer about rows may touch. */
const listTables = wipedTables.filter((table) => table !== 'readings')

/** Everything that one page tells, in one transaction; nothing if the session has moved on (protocol 10, 33, 35). */
export async function storePage(
  db: UserDatabase,
  fills: Fills,
  query: ListQuery,
  answer: PageAnswer,
  generation: number,
): Promise<boolean> {
  return await transact(db, [...listTables, 'meta'], async () => {
    if (!(await mayStore(db, generation))) return false
    const filters = tidyFilters(fills, query.filters)
    const id = coverageId(fills.table, query.scope, filters)
    const { asOf } = answer
    await dropLeft(db, fills, query, answer)
    await putRows(db, fills.table, answer.rows, { asOf })
    const known = await db.coverage.get(id)
    if (!known || known.asOf <= asOf) await db.coverage.put(extended(known, { id, fills, query, answer, filters }))
    const page = pageId(id, query.sort, query.results, query.page)
    await db.pages.put({ id: page, table: fills.table, ids: answer.rows.map((row) => row.id), asOf })
    await refreshFill(db, fillId(fills.table, query.scope), answer)
    return true
  })
}

/** Nothing has changed since the whole table was read: then all of it is as fresh as this answer. */
async function refreshFill(db: UserDatabase, id: string, { change, asOf }: PageAnswer): Promise<void> {
  const fill = await db.fills.get(id)
  if (fill && !fill.gaps && change !== '' && String(fill.upto) === change && fill.asOf < asOf)
    await db.fills.put({ ...fill, asOf })
}

function extended(
  known: Coverage | undefined,
  read: {
    id: string
    fills: Fills
    query: ListQuery
    answer: PageAnswer
    filters: Coverage['filters']
  },
): Coverage {
  const { query, answer, fills } = read
  const sort = query.sort.join(' ')
  const first = (query.page - 1) * query.results
  const span: [number, number] = [first, first + answer.rows.length]
  const goesOn =
    known &&
    known.sort === sort &&
    known.change === answer.change &&
    answer.change !== '' &&
    known.total === answer.count
  return {
    id: read.id,
    table: fills.table,
    scope: query.scope,
    filters: read.filters,
    total: answer.count,
    // What rests on several readings is as old as the oldest of them.
    asOf: goesOn ? Math.min(known.asOf, answer.asOf) : answer.asOf,
    change: answer.change,
    sort,
    spans: addSpan(goesOn ? known.spans : [], span),
  }
}

/**
 * Rows that left: the answer proves a stretch of one order, so a row of ours that belongs into it by its stored values,
 * is not in the answer and did not come after it is no longer there.
 */
async function dropLeft(db: UserDatabase, fills: Fills, query: ListQuery, answer: PageAnswer): Promise<void> {
  const read = answer.rows.map((row) => toStored(fills.table, row, answer.asOf))
  if (read.length === 0 && !(query.page === 1 && answer.count === 0)) return
  const ids = new Set(answer.rows.map(({ id }) => id))
  const isLast = query.page * query.results >= answer.count
  const first = query.page === 1 ? null : (read[0] ?? null)
  const last = isLast ? null : (read.at(-1) ?? null)
  const inside = await readBetween(db, fills, query, { first, last })
  const gone = inside.filter((one) => !ids.has(one.id) && one.asOf < answer.asOf)
  if (gone.length === 0) return
  await takeAway(db, fills.table, gone, answer.asOf)
  await noLongerWhole(db, fills.table, query.scope)
}

/** Rows that the filter means and that stand behind `first` and before `last`; null: without an end on that side. */
async function readBetween(
  db: UserDatabase,
  fills: Fills,
  query: ListQuery,
  { first, last }: { first: StoredRow | null; last: StoredRow | null },
): Promise<StoredRow[]> {
  const index = await db.indexes.get(fillId(fills.table, query.scope))
  if (index) {
    const place = placeOf(fills, query.sort[0])
    const ends = { after: first && place(first), before: last && place(last) }
    const found = await findBetween(asked(), db, index.name, { fills, ...query }, ends)
    return (await rowsOf(db, fills.table).bulkGet(found)).filter((row) => row !== undefined)
  }
  const mine = matches(fills, query.filters)
  const compare = comparer(fills, query.sort)
  const all = await rowsIn(db, fills.table, query.scope).toArray()
  return all.filter((one) => mine(one) && (!first || compare(first, one) < 0) && (!last || compare(one, last) < 0))
}

/** What changed since a number, or everything. */
export interface ChangesAnswer {
  changed: ServerRow[]
  gone: number[]
  upto: number
  asOf: number
}

/** Brings a whole table up to a change number. `all`: the answer is the whole table, so what it lacks is gone. */
export async function storeChanges(
  db: UserDatabase,
  fills: Fills,
  scope: number | null,
  answer: ChangesAnswer,
  how: { all: boolean; generation: number },
): Promise<boolean> {
  return await transact(db, [...rowTables, ...besideRows, 'meta'], async () => {
    if (!(await mayStore(db, how.generation))) return false
    const { table } = fills
    const { asOf } = answer
    const id = fillId(table, scope)
    const known = await db.fills.get(id)
    if (known && known.upto > answer.upto) return false
    const gaps = await wentSince(db, table, asOf)
    if (how.all) await dropMissing(db, table, scope, answer)
    await putRows(db, table, answer.changed, { asOf })
    const gone = (await rowsOf(db, table).bulkGet(answer.gone)).filter((row) => row !== undefined)
    await exchange(db, table, { gone, come: [] })
    await db.tombstones.bulkPut(answer.gone.map((gone) => ({ table, id: gone, asOf, version: deleted })))
    await forgetGraves(db, asOf)
    await db.fills.put({ id, upto: answer.upto, asOf, gaps })
    return true
  })
}

/** Whether a row left at or after this server time without our knowing where to: an answer as old as that cannot tell. */
export const wentSince = async (db: UserDatabase, table: string, asOf: number): Promise<boolean> =>
  (await db.tombstones
    .where('asOf')
    .aboveOrEqual(asOf)
    .filter((grave) => grave.table === table && grave.version !== deleted)
    .count()) > 0

export const forgetGraves = (db: UserDatabase, asOf: number) =>
  db.tombstones
    .where('asOf')
    .below(asOf - tombstoneMs)
    .delete()

async function dropMissing(db: UserDatabase, table: string, scope: number | null, answer: ChangesAnswer) {
  const there = new Set(answer.changed.map(({ id }) => id))
  const missing = (await rowsIn(db, table, scope).primaryKeys()).filter((id) => !there.has(id))
  const rows = (await rowsOf(db, table).bulkGet(missing)).filter((row) => row !== undefined)
  const gone = rows.filter((one) => one.asOf < answer.asOf)
  await takeAway(db, table, gone, answer.asOf)
}

/** The last answer of a `read` endpoint. */
export async function storeReading(
  db: UserDatabase,
  reading: { path: string; body: string; asOf: number },
  generation: number,
): Promise<boolean> {
  return await transact(db, ['readings', 'meta'], async () => {
    if (!(await mayStore(db, generation))) return false
    const known = await db.readings.get(reading.path)
    if (!known || known.asOf <= reading.asOf) await db.readings.put(reading)
    return true
  })
}

/** One row that the server has just answered. */
export async function storeRow(
  db: UserDatabase,
  table: string,
  row: ServerRow,
  { asOf, generation }: { asOf: number; generation: number },
): Promise<void> {
  await transact(db, [table, ...besideRows, 'meta'], async () => {
    if (await mayStore(db, generation)) await putRow(db, table, row, asOf)
  })
}
