/** Stores responses. Nothing is stored for a session that has ended (protocol 10, 33, 35). */
import type { ListSpec } from '#contract/endpoint.ts'
import { findRowsBetween } from '#local/list-index/list-index.ts'
import {
  listMetadataTables,
  getRows,
  rowTables,
  type UserDatabase,
  wipedTables,
  getListRows,
} from '#local/storage/database.ts'
import type { ListCoverage, StoredRow } from '#local/storage/cache-records.ts'
import { addSpan } from '#local/list-query/coverage.ts'
import { toCoverageId, toListId, toPageId } from '#local/storage/list-ids.ts'
import {
  createRowComparer,
  createRowMatcher,
  createPositionReader,
  normaliseFilters,
} from '#local/list-query/filter-and-order.ts'
import {
  deletedVersion,
  exchangeRows,
  deleteOldTombstones,
  isLeftOut,
  type LeftOutRows,
  markIncomplete,
  type PageResponse,
  putRow,
  putRows,
  type ServerRow,
  removeRows,
  toStoredRow,
  hasRemovalSince,
} from '#local/lists/row-store.ts'
import { canStore } from '#local/session/session-generation.ts'
import { refreshIfUnchanged, refreshSyncPoint } from '#local/lists/refresh-unchanged.ts'
import { transact } from '#local/storage/transaction.ts'
import type { ListQuery } from '#local/lists/list-view.ts'

const listTables = wipedTables.filter((table) => table !== 'responses')

/** Stores the rows and metadata of a response in one transaction. Returns false and stores nothing if the session has changed. */
export async function storePage(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  response: PageResponse,
  generation: number,
): Promise<boolean> {
  if (await refreshIfUnchanged(db, list, query, response, generation)) return true
  return await transact(db, [...listTables, 'meta'], async () => {
    if (!(await canStore(db, generation))) return false
    const filters = normaliseFilters(list, query.filters)
    const id = toCoverageId(list.table, query.scope, filters)
    const { asOf } = response
    await removeMissingRows(db, list, query, response)
    await putRows(db, list.table, response.rows, { asOf })
    const page = toPageId(id, query.sort, query.results, query.page)
    // Runs in parallel, because on a slow device sequential requests would delay the rows on the screen.
    await Promise.all([
      extendCoverage(db, { id, list, query, response, filters }),
      db.pages.put({ id: page, table: list.table, ids: response.rows.map((row) => row.id), asOf }),
      refreshSyncPoint(db, toListId(list.table, query.scope), response),
    ])
    return true
  })
}

interface PageContext {
  id: string
  list: ListSpec
  query: ListQuery
  response: PageResponse
  filters: ListCoverage['filters']
}

async function extendCoverage(db: UserDatabase, page: PageContext): Promise<void> {
  const coverage = await db.coverage.get(page.id)
  if (!coverage || coverage.asOf <= page.response.asOf) await db.coverage.put(getExtendedCoverage(coverage, page))
}

function getExtendedCoverage(coverage: ListCoverage | undefined, page: PageContext): ListCoverage {
  const { query, response, list } = page
  const sort = query.sort.join(' ')
  const firstIndex = (query.page - 1) * query.results
  const span: [number, number] = [firstIndex, firstIndex + response.rows.length]
  const isContinuation =
    coverage &&
    coverage.sort === sort &&
    coverage.change === response.change &&
    response.change !== '' &&
    coverage.total === response.count
  return {
    id: page.id,
    table: list.table,
    scope: query.scope,
    filters: page.filters,
    total: response.count,
    // A result of several responses is as old as the oldest of them.
    asOf: isContinuation ? Math.min(coverage.asOf, response.asOf) : response.asOf,
    change: response.change,
    sort,
    spans: addSpan(isContinuation ? coverage.spans : [], span),
  }
}

/** Deletes older cached rows that belong into the range of the response but are missing in it. */
async function removeMissingRows(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  response: PageResponse,
): Promise<void> {
  const pageRows = response.rows.map((row) => toStoredRow(list.table, row, response.asOf))
  if (pageRows.length === 0 && !(query.page === 1 && response.count === 0)) return
  const ids = new Set(response.rows.map(({ id }) => id))
  const isLast = query.page * query.results >= response.count
  const firstRow = query.page === 1 ? null : (pageRows[0] ?? null)
  const lastRow = isLast ? null : (pageRows.at(-1) ?? null)
  const insideRows = await readRowsBetween(db, list, query, { firstRow, lastRow })
  const removedRows = insideRows.filter(
    (storedRow) => !ids.has(storedRow.id) && !isLeftOut(response, storedRow.id) && storedRow.asOf < response.asOf,
  )
  if (removedRows.length === 0) return
  await removeRows(db, list.table, removedRows, response.asOf)
  await markIncomplete(db, list.table, query.scope)
}

/** Returns matching rows after `first` and before `lastRow`. Null means no limit on that side. */
async function readRowsBetween(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  { firstRow, lastRow }: { firstRow: StoredRow | null; lastRow: StoredRow | null },
): Promise<StoredRow[]> {
  const index = await db.indexes.get(toListId(list.table, query.scope))
  if (index) {
    const readPosition = createPositionReader(list, query.sort[0])
    const bounds = {
      afterPosition: firstRow && readPosition(firstRow),
      beforePosition: lastRow && readPosition(lastRow),
    }
    const ids = await findRowsBetween(db, index.name, { list, ...query }, bounds)
    return await getRows(db, list.table, ids)
  }
  const isMatch = createRowMatcher(list, query.filters)
  const compare = createRowComparer(list, query.sort)
  const listRows = await getListRows(db, list.table, query.scope).toArray()
  return listRows.filter(
    (storedRow) =>
      isMatch(storedRow) &&
      (!firstRow || compare(firstRow, storedRow) < 0) &&
      (!lastRow || compare(storedRow, lastRow) < 0),
  )
}

export interface ChangesResponse {
  changed: ServerRow[]
  deletedIds: number[]
  changeNumber: number
  asOf: number
  leftOutRows?: LeftOutRows
}

/** Updates a complete table to a change number. With `all` the response is the complete table, so rows that it lacks are deleted. */
export async function storeChanges(
  db: UserDatabase,
  list: ListSpec,
  scope: number | null,
  response: ChangesResponse,
  options: { isComplete: boolean; generation: number },
): Promise<boolean> {
  return await transact(db, [...rowTables, ...listMetadataTables, 'meta'], async () => {
    if (!(await canStore(db, options.generation))) return false
    const { table } = list
    const { asOf } = response
    const id = toListId(table, scope)
    const [syncPoint, hasGaps] = await Promise.all([db.syncPoints.get(id), hasRemovalSince(db, table, asOf)])
    if (syncPoint && syncPoint.changeNumber > response.changeNumber) return false
    if (options.isComplete) await removeUnlistedRows(db, table, scope, response)
    await putRows(db, table, response.changed, { asOf, areEqualRowsSkipped: !options.isComplete })
    const deletedRows = await getRows(db, table, response.deletedIds)
    await exchangeRows(db, table, { removedRows: deletedRows, addedRows: [] })
    await db.tombstones.bulkPut(response.deletedIds.map((id) => ({ table, id, asOf, version: deletedVersion })))
    await deleteOldTombstones(db, asOf)
    await db.syncPoints.put({
      id,
      changeNumber: response.changeNumber,
      asOf,
      gaps: hasGaps || response.leftOutRows !== undefined,
    })
    return true
  })
}

async function removeUnlistedRows(db: UserDatabase, table: string, scope: number | null, response: ChangesResponse) {
  const listedIds = new Set(response.changed.map(({ id }) => id))
  const missingIds = (await getListRows(db, table, scope).primaryKeys()).filter((id) => !listedIds.has(id))
  const rows = await getRows(db, table, missingIds)
  const removedRows = rows.filter((storedRow) => !isLeftOut(response, storedRow.id) && storedRow.asOf < response.asOf)
  await removeRows(db, table, removedRows, response.asOf)
}

export async function storeResponse(
  db: UserDatabase,
  response: { path: string; body: string; asOf: number },
  generation: number,
): Promise<boolean> {
  return await transact(db, ['responses', 'meta'], async () => {
    if (!(await canStore(db, generation))) return false
    const cachedResponse = await db.responses.get(response.path)
    if (!cachedResponse || cachedResponse.asOf <= response.asOf) await db.responses.put(response)
    return true
  })
}

export async function storeRow(
  db: UserDatabase,
  table: string,
  row: ServerRow,
  { asOf, generation }: { asOf: number; generation: number },
): Promise<void> {
  await transact(db, [table, ...listMetadataTables, 'meta'], async () => {
    if (await canStore(db, generation)) await putRow(db, table, row, asOf)
  })
}
