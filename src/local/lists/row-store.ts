/**
 * Stores and deletes cached rows. A row is stored if it is newer than the cached one, and deleted if a response proves that the row is
 * deleted.
 */
import { findListSpec, type VersionedRow } from '#contract/endpoint.ts'
import { isSameValue } from '#domain/equal-values.ts'
import { isOutdated, getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { updateCountsAndIndex } from '#local/list-index/list-index.ts'
import type { StoredRow, RowExchange } from '#local/storage/cache-records.ts'
import { toCoverageId, toListId } from '#local/storage/list-ids.ts'
import { normaliseTexts } from '#local/list-query/filter-and-order.ts'

/** Time in ms for which a tombstone is stored (protocol 33). */
const tombstoneMs = 24 * 3_600_000

/** Version of a final tombstone: the server reported that the row is deleted, so no older response can restore it. */
export const deletedVersion = Number.MAX_SAFE_INTEGER

/** Rows that never change have no version; for them only the time of the response decides (protocol 33). */
export type ServerRow = { id: number; row_version?: number }

export interface PageResponse {
  rows: ServerRow[]
  count: number
  asOf: number
  change: string
  leftOutRows?: LeftOutRows
}

/** Ids of existing rows that the server could not include; `unknown` if it did not name all of them. */
export type LeftOutRows = ReadonlySet<number> | 'unknown'

/** Returns true if the response says nothing about that row, so its absence does not prove a deletion. */
export const isLeftOut = ({ leftOutRows }: { leftOutRows?: LeftOutRows }, id: number): boolean =>
  leftOutRows === 'unknown' || leftOutRows?.has(id) === true

export function toStoredRow(table: string, row: ServerRow, asOf: number, cachedRow?: StoredRow): StoredRow {
  const list = findListSpec(table)
  const scope = list?.scope ? (row as unknown as Record<string, unknown>)[list.scope.column] : null
  return {
    id: row.id,
    // If the code of the endpoint that fills the table is not loaded, the row stays in its current list.
    scope: typeof scope === 'number' ? scope : list ? null : (cachedRow?.scope ?? null),
    version: row.row_version ?? 0,
    asOf,
    // A list's rows have its schema; a row without a version is never the base of a write.
    row: row as VersionedRow,
    folds: list ? normaliseTexts(list, row as VersionedRow) : {},
  }
}

interface PutOptions {
  asOf: number
  isStaged?: boolean
  areEqualRowsSkipped?: boolean
}

/**
 * Stores rows unless newer ones or tombstones exist. With `isStaged`, rows that did not exist before belong to a fill that is shown when it
 * is complete. `areEqualRowsSkipped` leaves out rows with the content of the cached ones: some lists return all rows as changes, and each
 * written row is indexed again and makes pages read. Returns the cached rows that were not replaced. Must run inside a transaction.
 */
export async function putRows(
  db: UserDatabase,
  table: string,
  rows: readonly ServerRow[],
  { asOf, isStaged = false, areEqualRowsSkipped = false }: PutOptions,
): Promise<StoredRow[]> {
  const { cachedRows, tombstones } = await readCachedRows(db, table, rows)
  const newerRows = rows.filter((row) => {
    const cachedRow = cachedRows.get(row.id)
    const tombstone = tombstones.get(row.id)
    const version = row.row_version ?? 0
    if (tombstone && tombstone.asOf >= asOf && tombstone.version >= version) return false
    if (areEqualRowsSkipped && cachedRow && isSameValue(cachedRow.row, row)) return false
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

/** Replaces removed rows by added rows of the same id and deletes the others. Must run inside a transaction. */
export async function exchangeRows(db: UserDatabase, table: string, rowExchange: RowExchange): Promise<void> {
  const { removedRows, addedRows } = rowExchange
  if (removedRows.length + addedRows.length === 0 || isOutdated(db)) return
  const addedIds = new Set(addedRows.map(({ id }) => id))
  const removedIds = removedRows.flatMap(({ id }) => (addedIds.has(id) ? [] : [id]))
  if (addedRows.length > 0) await getRowTable(db, table).bulkPut([...addedRows])
  if (removedIds.length > 0) await getRowTable(db, table).bulkDelete(removedIds)
  await updateCountsAndIndex(db, table, rowExchange)
}

/** Maximum number of rows that are read one by one. Above it, reading first which ids exist in the range is faster. */
const maxRowsReadSingly = 200

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

/** Deletes a row that is deleted on the server, or whose cached state is outdated. Must run inside a transaction. */
export async function removeRow(db: UserDatabase, table: string, id: number, asOf: number): Promise<void> {
  const storedRow = await getRowTable(db, table).get(id)
  if (!storedRow) return void (await db.tombstones.put({ table, id, asOf, version: 0 }))
  await removeRows(db, table, [storedRow], asOf)
  await markIncomplete(db, table, storedRow.scope)
}

/**
 * Deletes rows that a response proves to be deleted. Tombstones prevent an older response from restoring them. Must run inside a
 * transaction.
 */
export async function removeRows(db: UserDatabase, table: string, removedRows: readonly StoredRow[], asOf: number) {
  await exchangeRows(db, table, { removedRows, addedRows: [] })
  await db.tombstones.bulkPut(removedRows.map(({ id, version }) => ({ table, id, asOf, version })))
}

/** Marks the cached coverage of a list as incomplete, because a row was removed and its new state is unknown. */
export async function markIncomplete(db: UserDatabase, table: string, scope: number | null): Promise<void> {
  await db.syncPoints.update(toListId(table, scope), { gaps: true })
  const prefix = toCoverageId(table, scope, {}).slice(0, -2)
  await db.coverage.where('id').startsWith(prefix).modify({ spans: [] })
}

/**
 * Returns true if a row was removed at or after this server time, without counting final tombstones. A response of that time may be wrong
 * about that row.
 */
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
