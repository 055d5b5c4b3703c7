/** The only writers of rows: what the server said, put if newer, and taken away where an answer proves it gone. */
import { type Fills, fillsOf, type Row } from '#contract/endpoint.ts'
import {
  type Coverage,
  rowsOf,
  rowTables,
  type StoredRow,
  transact,
  type UserDatabase,
  wipedTables,
} from '#local/database.ts'
import { addSpan, comparer, coverageId, fillId, foldsOf, matches, pageId, tidyFilters } from '#local/query.ts'
import { readGate } from '#local/session.ts'
import type { ListQuery } from '#local/view.ts'

/** How long a deleted id is remembered here (protocol 33). */
const tombstoneMs = 24 * 3_600_000

/** Rows that never change have no version: then the reading's time decides alone (protocol 33). */
export type ServerRow = { id: number; row_version?: number }

function toStored(table: string, row: ServerRow, asOf: number): StoredRow {
  const fills = fillsOf(table)
  const scope = fills?.scope ? (row as unknown as Record<string, unknown>)[fills.scope.column] : null
  return {
    id: row.id,
    scope: typeof scope === 'number' ? scope : null,
    version: row.row_version ?? 0,
    asOf,
    // A list's rows are of its own schema; one without a version is never the base of a write.
    row: row as Row,
    folds: fills ? foldsOf(fills, row as Row) : {},
  }
}

/** Puts rows unless newer ones, or the news that they are gone, are here already. Inside a transaction. */
async function putRows(db: UserDatabase, table: string, rows: readonly ServerRow[], asOf: number): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const known = await rowsOf(db, table).bulkGet(ids)
  const graves = await db.tombstones.bulkGet(ids.map((id) => [table, id]))
  const newer = rows.filter((row, at) => {
    const there = known[at]
    const grave = graves[at]
    const version = row.row_version ?? 0
    if (grave && grave.asOf >= asOf && grave.version >= version) return false
    return !there || version > there.version || (version === there.version && asOf >= there.asOf)
  })
  await rowsOf(db, table).bulkPut(newer.map((row) => toStored(table, row, asOf)))
}

export const putRow = (db: UserDatabase, table: string, row: ServerRow, asOf: number) => putRows(db, table, [row], asOf)

/** Forgets a row that is gone, or of which we only know that it is no longer as we have it. Inside a transaction. */
export async function bury(db: UserDatabase, table: string, id: number, asOf: number): Promise<void> {
  const stored = await rowsOf(db, table).get(id)
  await rowsOf(db, table).delete(id)
  await db.tombstones.put({ table, id, asOf, version: stored?.version ?? 0 })
  if (stored) await noLongerWhole(db, table, stored.scope)
}

/** A row went without our knowing what became of it, so no reading but the one that said so is the whole list now. */
async function noLongerWhole(db: UserDatabase, table: string, scope: number | null): Promise<void> {
  await db.fills.update(fillId(table, scope), { gaps: true })
  const prefix = coverageId(table, scope, {}).slice(0, -2)
  await db.coverage.where('id').startsWith(prefix).modify({ spans: [] })
}

/** One page of a list, as the server answered it. */
export interface PageAnswer {
  rows: ServerRow[]
  count: number
  asOf: number
  /** The company's change number, as the header says it. */
  change: string
}

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
    if ((await readGate(db)) !== generation) return false
    const filters = tidyFilters(fills, query.filters)
    const id = coverageId(fills.table, query.scope, filters)
    const { asOf } = answer
    await dropLeft(db, fills, query, answer)
    await putRows(db, fills.table, answer.rows, asOf)
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
  const table = rowsOf(db, fills.table)
  const all = await (query.scope === null ? table.toArray() : table.where('scope').equals(query.scope).toArray())
  const mine = matches(fills, query.filters)
  const compare = comparer(fills, query.sort)
  const read = answer.rows.map((row) => toStored(fills.table, row, answer.asOf))
  const ids = new Set(answer.rows.map(({ id }) => id))
  const first = query.page === 1 ? undefined : read[0]
  const isLast = query.page * query.results >= answer.count
  const last = isLast ? undefined : read.at(-1)
  if (read.length === 0 && !(query.page === 1 && answer.count === 0)) return
  const gone = all.filter(
    (one) =>
      !ids.has(one.id) &&
      one.asOf < answer.asOf &&
      mine(one) &&
      (!first || compare(first, one) < 0) &&
      (!last || compare(one, last) < 0),
  )
  if (gone.length === 0) return
  await table.bulkDelete(gone.map(({ id }) => id))
  await noLongerWhole(db, fills.table, query.scope)
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
  return await transact(db, [...rowTables, 'fills', 'tombstones', 'meta'], async () => {
    if ((await readGate(db)) !== how.generation) return false
    const { table } = fills
    const { asOf } = answer
    const id = fillId(table, scope)
    const known = await db.fills.get(id)
    if (known && known.upto > answer.upto) return false
    if (how.all) await dropMissing(db, table, scope, answer)
    await putRows(db, table, answer.changed, asOf)
    await rowsOf(db, table).bulkDelete(answer.gone)
    await db.tombstones.bulkPut(
      answer.gone.map((gone) => ({ table, id: gone, asOf, version: Number.MAX_SAFE_INTEGER })),
    )
    await db.tombstones
      .where('asOf')
      .below(asOf - tombstoneMs)
      .delete()
    await db.fills.put({ id, upto: answer.upto, asOf, gaps: false })
    return true
  })
}

async function dropMissing(db: UserDatabase, table: string, scope: number | null, answer: ChangesAnswer) {
  const there = new Set(answer.changed.map(({ id }) => id))
  const rows = rowsOf(db, table)
  const all = await (scope === null ? rows.toArray() : rows.where('scope').equals(scope).toArray())
  const gone = all.filter((one) => !there.has(one.id) && one.asOf < answer.asOf)
  await rows.bulkDelete(gone.map(({ id }) => id))
}

/** The last answer of a `read` endpoint. */
export async function storeReading(
  db: UserDatabase,
  reading: { path: string; body: string; asOf: number },
  generation: number,
): Promise<boolean> {
  return await transact(db, ['readings', 'meta'], async () => {
    if ((await readGate(db)) !== generation) return false
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
  await transact(db, [table, 'tombstones', 'meta'], async () => {
    if ((await readGate(db)) === generation) await putRow(db, table, row, asOf)
  })
}
