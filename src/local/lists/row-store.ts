/** The only writers of rows: what the server said, put if newer, and taken away where an answer proves it gone. */
import { fillsOf, type Row } from '#contract/endpoint.ts'
import { isOutdated, rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { countIn } from '#local/list-index/list-index.ts'
import type { StoredRow, Exchange } from '#local/storage/cache-records.ts'
import { coverageId, fillId } from '#local/storage/list-ids.ts'
import { foldsOf } from '#local/list-query/query.ts'

/** How long a deleted id is remembered here (protocol 33). */
const tombstoneMs = 24 * 3_600_000

/** The version of a grave that no row comes back from: the server said that it is gone. */
export const deleted = Number.MAX_SAFE_INTEGER

/** Rows that never change have no version: then the reading's time decides alone (protocol 33). */
export type ServerRow = { id: number; row_version?: number }

/** One page of a list, as the server answered it. */
export interface PageAnswer {
  rows: ServerRow[]
  count: number
  asOf: number
  /** The company's change number, as the header says it. */
  change: string
  leftOut?: LeftOutRows
}

/** Ids of rows that the server could not show, although they are there; `unknown`: it did not name all of them. */
export type LeftOutRows = ReadonlySet<number> | 'unknown'

/** Whether the answer says nothing about that row: it is not gone because the answer lacks it. */
export const isLeftOut = ({ leftOut }: { leftOut?: LeftOutRows }, id: number): boolean =>
  leftOut === 'unknown' || leftOut?.has(id) === true

export function toStored(table: string, row: ServerRow, asOf: number, there?: StoredRow): StoredRow {
  const list = fillsOf(table)
  const scope = list?.scope ? (row as unknown as Record<string, unknown>)[list.scope.column] : null
  return {
    id: row.id,
    // Where nobody has loaded what fills the table, the row stays in the list it is in.
    scope: typeof scope === 'number' ? scope : list ? null : (there?.scope ?? null),
    version: row.row_version ?? 0,
    asOf,
    // A list's rows are of its own schema; one without a version is never the base of a write.
    row: row as Row,
    folds: list ? foldsOf(list, row as Row) : {},
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
  if (left.length > 0) await rowsOf(db, table).bulkDelete(left)
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
  const [known, graves] = await Promise.all([rowsOf(db, table).bulkGet(ids), db.tombstones.bulkGet(buried)])
  return {
    known: new Map(known.flatMap((row) => (row ? [[row.id, row] as const] : []))),
    graves: new Map(graves.flatMap((grave) => (grave ? [[grave.id, grave] as const] : []))),
  }
}

export async function putRow(db: UserDatabase, table: string, row: ServerRow, asOf: number): Promise<void> {
  await putRows(db, table, [row], { asOf })
}

/** Forgets a row that is gone, or of which we only know that it is no longer as we have it. Inside a transaction. */
export async function removeRow(db: UserDatabase, table: string, id: number, asOf: number): Promise<void> {
  const stored = await rowsOf(db, table).get(id)
  if (!stored) return void (await db.tombstones.put({ table, id, asOf, version: 0 }))
  await removeRows(db, table, [stored], asOf)
  await noLongerWhole(db, table, stored.scope)
}

/** Rows that an answer proves gone from where they were: no older answer brings them back. Inside a transaction. */
export async function removeRows(db: UserDatabase, table: string, gone: readonly StoredRow[], asOf: number) {
  await exchange(db, table, { gone, come: [] })
  await db.tombstones.bulkPut(gone.map(({ id, version }) => ({ table, id, asOf, version })))
}

/** A row went without our knowing what became of it, so no reading but the one that said so is the whole list now. */
export async function noLongerWhole(db: UserDatabase, table: string, scope: number | null): Promise<void> {
  await db.syncPoints.update(fillId(table, scope), { gaps: true })
  const prefix = coverageId(table, scope, {}).slice(0, -2)
  await db.coverage.where('id').startsWith(prefix).modify({ spans: [] })
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
