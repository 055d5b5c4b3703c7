/** The only writers of rows: what the server said, put if newer, and taken away where an answer proves it gone. */
import { findListSpec, type VersionedRow } from '#contract/endpoint.ts'
import { isOutdated, getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { updateCountsAndIndex } from '#local/list-index/list-index.ts'
import type { StoredRow, RowExchange } from '#local/storage/cache-records.ts'
import { toCoverageId, toListId } from '#local/storage/list-ids.ts'
import { normaliseTexts } from '#local/list-query/filter-and-order.ts'

/** How long a deleted id is remembered here (protocol 33). */
const tombstoneMs = 24 * 3_600_000

/** The version of a grave that no row comes back from: the server said that it is gone. */
export const deletedVersion = Number.MAX_SAFE_INTEGER

/** Rows that never change have no version: then the reading's time decides alone (protocol 33). */
export type ServerRow = { id: number; row_version?: number }

/** One page of a list, as the server answered it. */
export interface PageResponse {
  rows: ServerRow[]
  count: number
  asOf: number
  /** The company's change number, as the header says it. */
  change: string
  leftOutRows?: LeftOutRows
}

/** Ids of rows that the server could not show, although they are there; `unknown`: it did not name all of them. */
export type LeftOutRows = ReadonlySet<number> | 'unknown'

/** Whether the answer says nothing about that row: it is not gone because the answer lacks it. */
export const isLeftOut = ({ leftOutRows }: { leftOutRows?: LeftOutRows }, id: number): boolean =>
  leftOutRows === 'unknown' || leftOutRows?.has(id) === true

export function toStoredRow(table: string, row: ServerRow, asOf: number, cachedRow?: StoredRow): StoredRow {
  const list = findListSpec(table)
  const scope = list?.scope ? (row as unknown as Record<string, unknown>)[list.scope.column] : null
  return {
    id: row.id,
    // Where nobody has loaded what fills the table, the row stays in the list it is in.
    scope: typeof scope === 'number' ? scope : list ? null : (cachedRow?.scope ?? null),
    version: row.row_version ?? 0,
    asOf,
    // A list's rows are of its own schema; one without a version is never the base of a write.
    row: row as VersionedRow,
    folds: list ? normaliseTexts(list, row as VersionedRow) : {},
  }
}

/**
 * Puts rows unless newer ones, or the news that they are gone, are here already. `isStaged`: those that were not here at
 * all belong to a fill that is shown when it is whole. Answers what was newer here. Inside a transaction.
 */
export async function putRows(
  db: UserDatabase,
  table: string,
  rows: readonly ServerRow[],
  { asOf, isStaged = false }: { asOf: number; isStaged?: boolean },
): Promise<StoredRow[]> {
  const { cachedRows, tombstones } = await readCachedRows(db, table, rows)
  const newerRows = rows.filter((row) => {
    const cachedRow = cachedRows.get(row.id)
    const tombstone = tombstones.get(row.id)
    const version = row.row_version ?? 0
    if (tombstone && tombstone.asOf >= asOf && tombstone.version >= version) return false
    return !cachedRow || version > cachedRow.version || (version === cachedRow.version && asOf >= cachedRow.asOf)
  })
  const addedRows = newerRows.map((row) => toStoredRow(table, row, asOf, cachedRows.get(row.id)))
  const stagedRows = isStaged ? addedRows.filter(({ id }) => !cachedRows.has(id)) : []
  await exchangeRows(db, table, {
    removedRows: newerRows.flatMap(({ id }) => cachedRows.get(id) ?? []),
    addedRows,
    stagedRows,
  })
  const storedIds = new Set(newerRows.map(({ id }) => id))
  return [...cachedRows.values()].filter(({ id }) => !storedIds.has(id))
}

/** Rows that come take the place of those that go under the same id; the others are deleted. Inside a transaction. */
export async function exchangeRows(db: UserDatabase, table: string, rowExchange: RowExchange): Promise<void> {
  const { removedRows, addedRows } = rowExchange
  if (removedRows.length + addedRows.length === 0 || isOutdated(db)) return
  const addedIds = new Set(addedRows.map(({ id }) => id))
  const removedIds = removedRows.flatMap(({ id }) => (addedIds.has(id) ? [] : [id]))
  if (addedRows.length > 0) await getRowTable(db, table).bulkPut([...addedRows])
  if (removedIds.length > 0) await getRowTable(db, table).bulkDelete(removedIds)
  await updateCountsAndIndex(db, table, rowExchange)
}

/** From so many rows on it pays to ask first which ids between the least and the greatest are there at all. */
const maxRowsReadSingly = 200

/** What is here of these rows, and which of them were seen to be gone. */
async function readCachedRows(db: UserDatabase, table: string, rows: readonly ServerRow[]) {
  let ids = rows.map(({ id }) => id)
  let tombstoneKeys: [string, number][] = ids.map((id) => [table, id])
  if (ids.length > maxRowsReadSingly) {
    const [minId, maxId] = ids.reduce(([min, max], id) => [Math.min(min, id), Math.max(max, id)], [Infinity, -Infinity])
    const requestedIds = new Set(ids)
    const keys = await getRowTable(db, table).where('id').between(minId, maxId, true, true).primaryKeys()
    const tombstonesInRange = db.tombstones.where('[table+id]').between([table, minId], [table, maxId], true, true)
    ids = keys.filter((id) => requestedIds.has(id))
    tombstoneKeys = (await tombstonesInRange.primaryKeys()).filter(([, id]) => requestedIds.has(id))
  }
  const [storedRows, tombstones] = await Promise.all([
    getRowTable(db, table).bulkGet(ids),
    db.tombstones.bulkGet(tombstoneKeys),
  ])
  return {
    cachedRows: new Map(storedRows.flatMap((row) => (row ? [[row.id, row] as const] : []))),
    tombstones: new Map(tombstones.flatMap((tombstone) => (tombstone ? [[tombstone.id, tombstone] as const] : []))),
  }
}

export async function putRow(db: UserDatabase, table: string, row: ServerRow, asOf: number): Promise<void> {
  await putRows(db, table, [row], { asOf })
}

/** Forgets a row that is gone, or of which we only know that it is no longer as we have it. Inside a transaction. */
export async function removeRow(db: UserDatabase, table: string, id: number, asOf: number): Promise<void> {
  const storedRow = await getRowTable(db, table).get(id)
  if (!storedRow) return void (await db.tombstones.put({ table, id, asOf, version: 0 }))
  await removeRows(db, table, [storedRow], asOf)
  await markIncomplete(db, table, storedRow.scope)
}

/** Rows that an answer proves gone from where they were: no older answer brings them back. Inside a transaction. */
export async function removeRows(db: UserDatabase, table: string, removedRows: readonly StoredRow[], asOf: number) {
  await exchangeRows(db, table, { removedRows, addedRows: [] })
  await db.tombstones.bulkPut(removedRows.map(({ id, version }) => ({ table, id, asOf, version })))
}

/** A row went without our knowing what became of it, so no reading but the one that said so is the whole list now. */
export async function markIncomplete(db: UserDatabase, table: string, scope: number | null): Promise<void> {
  await db.syncPoints.update(toListId(table, scope), { gaps: true })
  const prefix = toCoverageId(table, scope, {}).slice(0, -2)
  await db.coverage.where('id').startsWith(prefix).modify({ spans: [] })
}

/** Whether a row left at or after this server time without our knowing where to: an answer as old as that cannot tell. */
export const hasRemovalSince = async (db: UserDatabase, table: string, asOf: number): Promise<boolean> =>
  (await db.tombstones
    .where('asOf')
    .aboveOrEqual(asOf)
    .filter((tombstone) => tombstone.table === table && tombstone.version !== deletedVersion)
    .count()) > 0

export const deleteOldTombstones = (db: UserDatabase, asOf: number) =>
  db.tombstones
    .where('asOf')
    .below(asOf - tombstoneMs)
    .delete()
