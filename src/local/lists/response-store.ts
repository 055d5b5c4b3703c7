/** Stores what the server answered: a page, the changes of a list, a single response. Nothing is stored for a session that
 * has ended (protocol 10, 33, 35). */
import type { ListSpec } from '#contract/endpoint.ts'
import { findRowsBetween } from '#local/list-index/list-index.ts'
import { besideRows, rowsOf, rowTables, type UserDatabase, wipedTables, rowsIn } from '#local/storage/database.ts'
import type { Coverage, StoredRow } from '#local/storage/cache-records.ts'
import { addSpan } from '#local/list-query/coverage.ts'
import { coverageId, fillId, pageId } from '#local/storage/list-ids.ts'
import { comparer, matches, placeOf, tidyFilters } from '#local/list-query/query.ts'
import {
  deleted,
  exchange,
  forgetGraves,
  isLeftOut,
  type LeftOutRows,
  noLongerWhole,
  type PageAnswer,
  putRow,
  putRows,
  type ServerRow,
  removeRows,
  toStored,
  wentSince,
} from '#local/lists/row-store.ts'
import { mayStore } from '#local/session/session-generation.ts'
import { isNoNews, refreshFill } from '#local/lists/no-news.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'

/** What an answer about rows may touch. */
const listTables = wipedTables.filter((table) => table !== 'responses')

/** Everything that one page tells, in one transaction; nothing if the session has moved on (protocol 10, 33, 35). */
export async function storePage(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  answer: PageAnswer,
  generation: number,
): Promise<boolean> {
  if (await isNoNews(db, list, query, answer, generation)) return true
  return await transact(db, [...listTables, 'meta'], async () => {
    if (!(await mayStore(db, generation))) return false
    const filters = tidyFilters(list, query.filters)
    const id = coverageId(list.table, query.scope, filters)
    const { asOf } = answer
    await dropLeft(db, list, query, answer)
    await putRows(db, list.table, answer.rows, { asOf })
    const page = pageId(id, query.sort, query.results, query.page)
    // Beside each other: on a slow device what is asked one after the other keeps the rows from the screen.
    await Promise.all([
      extend(db, { id, list, query, answer, filters }),
      db.pages.put({ id: page, table: list.table, ids: answer.rows.map((row) => row.id), asOf }),
      refreshFill(db, fillId(list.table, query.scope), answer),
    ])
    return true
  })
}

interface PageRead {
  id: string
  list: ListSpec
  query: ListQuery
  answer: PageAnswer
  filters: Coverage['filters']
}

async function extend(db: UserDatabase, read: PageRead): Promise<void> {
  const known = await db.coverage.get(read.id)
  if (!known || known.asOf <= read.answer.asOf) await db.coverage.put(extended(known, read))
}

function extended(known: Coverage | undefined, read: PageRead): Coverage {
  const { query, answer, list } = read
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
    table: list.table,
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
async function dropLeft(db: UserDatabase, list: ListSpec, query: ListQuery, answer: PageAnswer): Promise<void> {
  const read = answer.rows.map((row) => toStored(list.table, row, answer.asOf))
  if (read.length === 0 && !(query.page === 1 && answer.count === 0)) return
  const ids = new Set(answer.rows.map(({ id }) => id))
  const isLast = query.page * query.results >= answer.count
  const first = query.page === 1 ? null : (read[0] ?? null)
  const last = isLast ? null : (read.at(-1) ?? null)
  const inside = await readBetween(db, list, query, { first, last })
  const gone = inside.filter((one) => !ids.has(one.id) && !isLeftOut(answer, one.id) && one.asOf < answer.asOf)
  if (gone.length === 0) return
  await removeRows(db, list.table, gone, answer.asOf)
  await noLongerWhole(db, list.table, query.scope)
}

/** Rows that the filter means and that stand behind `first` and before `last`; null: without an end on that side. */
async function readBetween(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  { first, last }: { first: StoredRow | null; last: StoredRow | null },
): Promise<StoredRow[]> {
  const index = await db.indexes.get(fillId(list.table, query.scope))
  if (index) {
    const place = placeOf(list, query.sort[0])
    const ends = { after: first && place(first), before: last && place(last) }
    const found = await findRowsBetween(db, index.name, { list, ...query }, ends)
    return (await rowsOf(db, list.table).bulkGet(found)).filter((row) => row !== undefined)
  }
  const mine = matches(list, query.filters)
  const compare = comparer(list, query.sort)
  const all = await rowsIn(db, list.table, query.scope).toArray()
  return all.filter((one) => mine(one) && (!first || compare(first, one) < 0) && (!last || compare(one, last) < 0))
}

/** What changed since a number, or everything. */
export interface ChangesAnswer {
  changed: ServerRow[]
  gone: number[]
  upto: number
  asOf: number
  leftOut?: LeftOutRows
}

/** Brings a whole table up to a change number. `all`: the answer is the whole table, so what it lacks is gone. */
export async function storeChanges(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  answer: ChangesAnswer,
  how: { all: boolean; generation: number },
): Promise<boolean> {
  return await transact(db, [...rowTables, ...besideRows, 'meta'], async () => {
    if (!(await mayStore(db, how.generation))) return false
    const { table } = list
    const { asOf } = answer
    const id = fillId(table, scope)
    const [known, gaps] = await Promise.all([db.syncPoints.get(id), wentSince(db, table, asOf)])
    if (known && known.upto > answer.upto) return false
    if (how.all) await dropMissing(db, table, scope, answer)
    await putRows(db, table, answer.changed, { asOf })
    const gone = (await rowsOf(db, table).bulkGet(answer.gone)).filter((row) => row !== undefined)
    await exchange(db, table, { gone, come: [] })
    await db.tombstones.bulkPut(answer.gone.map((gone) => ({ table, id: gone, asOf, version: deleted })))
    await forgetGraves(db, asOf)
    await db.syncPoints.put({ id, upto: answer.upto, asOf, gaps: gaps || answer.leftOut !== undefined })
    return true
  })
}

async function dropMissing(db: UserDatabase, table: string, scope: number | null, answer: ChangesAnswer) {
  const there = new Set(answer.changed.map(({ id }) => id))
  const missing = (await rowsIn(db, table, scope).primaryKeys()).filter((id) => !there.has(id))
  const rows = (await rowsOf(db, table).bulkGet(missing)).filter((row) => row !== undefined)
  const gone = rows.filter((one) => !isLeftOut(answer, one.id) && one.asOf < answer.asOf)
  await removeRows(db, table, gone, answer.asOf)
}

/** The last answer of a `read` endpoint. */
export async function storeReading(
  db: UserDatabase,
  reading: { path: string; body: string; asOf: number },
  generation: number,
): Promise<boolean> {
  return await transact(db, ['responses', 'meta'], async () => {
    if (!(await mayStore(db, generation))) return false
    const known = await db.responses.get(reading.path)
    if (!known || known.asOf <= reading.asOf) await db.responses.put(reading)
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
