/** Reads a window of a long list from its index, with the optimistic overlay. `read-list.ts` does the same for short lists. */
import type { ListSpec, VersionedRow } from '#contract/endpoint.ts'
import { getIndexReader, readIndexBuckets } from '#local/list-index/list-index.ts'
import { getRowTable, getRows, type UserDatabase } from '#local/storage/database.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { toListId } from '#local/storage/list-ids.ts'
import {
  orderAsServer,
  overlayStoredRows,
  isInScope,
  isUncounted,
  getSearchedFilters,
  type OverlaidCandidate,
  readWaitingWrites,
  readCachedListState,
  readNewIds,
  toListView,
  addNewRows,
} from '#local/lists/overlaid-rows.ts'
import { type ListCandidate, createRowComparer, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import type { Session } from '#local/session/session.ts'
import { readInTransaction } from '#local/storage/transaction.ts'
import type { ListQuery, ListView } from '#local/lists/list-view.ts'

/** Last index name of each list. A name is used only once, so it is still current if the index has buckets under it. */
const indexNameByList = new Map<string, string>()

const tables = ['outbox', 'rowIds', 'coverage', 'syncPoints', 'pages', 'listStats', 'indexes', 'buckets', 'columns']

/** Returns null if the list no longer has an index. */
export async function readIndexedList<R extends VersionedRow>(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  session: Session,
): Promise<ListView<R> | null> {
  const id = toListId(list.table, query.scope)
  const expectedName = indexNameByList.get(`${db.name} ${id}`)
  return await readInTransaction(db, [...tables, list.table], async () => {
    const [buckets, state, overlay] = await Promise.all([
      expectedName === undefined ? [] : readIndexBuckets(db, expectedName, { list, ...query }),
      readCachedListState(db, list, query),
      readOverlayChanges(db, list, query, session),
    ])
    const hasBuckets = buckets.length > 0
    const name = hasBuckets ? expectedName : await readIndexName(db, id)
    if (name === undefined) return null
    const matches = await getIndexReader().findRows(db, name, { list, ...query }, hasBuckets ? buckets : undefined)
    const context = { list, query, overlay }
    const count = matches.count - overlay.displacedRows.length + overlay.matchingRows.length
    // `listStats` changes with every stored row. Reading it would make this query run again each time, so it is read only if the view
    // shows it.
    const stats = isUncounted(state) ? await db.listStats.get(id) : undefined
    const searchedFilters = getSearchedFilters(state)
    const searchedCount = searchedFilters
      ? (await getIndexReader().findRows(db, name, { list, ...query, filters: searchedFilters })).count
      : (stats?.rows ?? matches.count)
    const page =
      !state.complete && state.page
        ? await readServerPage(db, context, state.page.ids)
        : await readWindow(db, context, matches)
    const rows = await putNewRowsFirst(db, context, page)
    return toListView<R>(state, {
      rows,
      count,
      cachedCount: matches.count,
      oldestAsOf: stats?.asOf ?? null,
      searchedCount,
      pendingCount: overlay.pendingCount,
    })
  })
}

async function readIndexName(db: UserDatabase, id: string): Promise<string | undefined> {
  const name = (await db.indexes.get(id))?.name
  const list = `${db.name} ${id}`
  const previousName = indexNameByList.get(list)
  if (name === previousName) return name
  if (previousName !== undefined) getIndexReader().forgetReadColumns(db, previousName)
  if (name === undefined) indexNameByList.delete(list)
  else indexNameByList.set(list, name)
  return name
}

export function forgetIndexNames(): void {
  indexNameByList.clear()
  getIndexReader().forgetReadColumns()
}

interface OverlayChanges {
  candidates: OverlaidCandidate[]
  touchedIds: Set<number>
  /** Stored rows that match and that a write changes. Their position is different now, or they no longer match. */
  displacedRows: StoredRow[]
  matchingRows: OverlaidCandidate[]
  pendingCount: number
}

interface ListContext {
  list: ListSpec
  query: ListQuery
  overlay: OverlayChanges
}

async function readOverlayChanges(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  session: Session,
): Promise<OverlayChanges> {
  const { entries, rowIds } = await readWaitingWrites(db, list.table)
  if (entries.length === 0)
    return { candidates: [], touchedIds: new Set(), displacedRows: [], matchingRows: [], pendingCount: 0 }
  const idsByIntent = new Map(rowIds.map(({ intent, id }) => [`~${intent}`, id]))
  const ids = entries.map(({ target }) => (typeof target === 'string' ? idsByIntent.get(target) : target))
  const touchedIds = new Set(ids.filter((id) => typeof id === 'number'))
  const storedRows = await getRows(db, list.table, [...touchedIds])
  const { candidates, insideRows, pendingCount } = overlayStoredRows(list, query, session, {
    storedRows,
    entries,
    rowIds,
  })
  const isMatch = createRowMatcher(list, query.filters)
  return {
    candidates,
    touchedIds,
    displacedRows: insideRows.filter(isMatch),
    matchingRows: candidates.filter(isMatch).sort(createRowComparer(list, query.sort)),
    pendingCount,
  }
}

const toOverlaidCandidate = ({ row, folds: normalisedTexts }: StoredRow): OverlaidCandidate => ({
  overlaidRow: { row, waiting: null },
  row,
  folds: normalisedTexts,
})

/**
 * Returns the window with the waiting writes applied. Each write shifts later rows by at most one position, so the window of stored rows is
 * read that much wider. The first stored row shows how many writes come before it.
 */
async function readWindow(
  db: UserDatabase,
  { list, query, overlay }: ListContext,
  matches: Awaited<ReturnType<ReturnType<typeof getIndexReader>['findRows']>>,
): Promise<OverlaidCandidate[]> {
  const { displacedRows, matchingRows } = overlay
  const compare = createRowComparer(list, query.sort)
  const firstIndex = (query.page - 1) * query.results
  const from = Math.min(Math.max(0, firstIndex - matchingRows.length), Math.max(0, matches.count - 1))
  const ids = await matches.ids(from, firstIndex - from + query.results + displacedRows.length)
  const storedRows = await readRows(db, list.table, ids)
  const firstRow = from === 0 ? undefined : storedRows[0]
  const isBefore = (candidate: ListCandidate) => firstRow !== undefined && compare(candidate, firstRow) < 0
  const skippedCount = from - displacedRows.filter(isBefore).length + matchingRows.filter(isBefore).length
  const remainingRows = storedRows.filter(({ id }) => !overlay.touchedIds.has(id)).map(toOverlaidCandidate)
  const mergedRows =
    matchingRows.length === 0
      ? remainingRows
      : [...remainingRows, ...matchingRows.filter((candidate) => !isBefore(candidate))].sort(compare)
  return mergedRows.slice(Math.max(0, firstIndex - skippedCount), firstIndex - skippedCount + query.results)
}

/** Number of rows per requested row that may be read in addition, so that one range read replaces single reads. */
const rowsReadAlong = 4
/** Up to this number, all rows of the range are read together: ten single reads take longer than one read of a hundred rows. */
const minRowsReadAtOnce = 100

async function readRows(db: UserDatabase, table: string, ids: readonly number[]): Promise<StoredRow[]> {
  const [minId, maxId] = [Math.min(...ids), Math.max(...ids)]
  if (ids.length === 0 || maxId - minId > Math.max(minRowsReadAtOnce, ids.length * rowsReadAlong))
    return await getRows(db, table, ids)
  const rows = await getRowTable(db, table).where(':id').between(minId, maxId, true, true).toArray()
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => rowsById.get(id) ?? [])
}

async function readServerPage(
  db: UserDatabase,
  { list, query, overlay }: ListContext,
  ids: readonly number[],
): Promise<OverlaidCandidate[]> {
  const isMatch = createRowMatcher(list, query.filters)
  const untouchedIds = ids.filter((id) => !overlay.touchedIds.has(id))
  const cachedRows = (await readRows(db, list.table, untouchedIds))
    .filter((storedRow) => query.scope === null || storedRow.scope === query.scope)
    .filter(isMatch)
  return orderAsServer(ids, [...cachedRows.map(toOverlaidCandidate), ...overlay.matchingRows], query)
}

async function putNewRowsFirst(
  db: UserDatabase,
  { list, query, overlay }: ListContext,
  page: OverlaidCandidate[],
): Promise<OverlaidCandidate[]> {
  if (!query.newRowRefs?.length) return page
  const ids = await readNewIds(db, query)
  const untouchedIds = ids.flatMap((id) => (typeof id === 'number' && !overlay.touchedIds.has(id) ? [id] : []))
  const storedRows = await getRows(db, list.table, untouchedIds)
  const candidates = [...overlay.candidates, ...storedRows.map(toOverlaidCandidate)].filter(({ row }) =>
    isInScope(list, row, query.scope),
  )
  return addNewRows(list, page, ids, candidates)
}
