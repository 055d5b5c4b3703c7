import type { RowRef, ListSpec, VersionedRow } from '#contract/endpoint.ts'
import { getListRows, type UserDatabase } from '#local/storage/database.ts'
import type { ListCoverage, ListSyncPoint, StoredRow } from '#local/storage/cache-records.ts'
import { coversFilters, isCompleteList } from '#local/list-query/coverage.ts'
import { toCoverageId, toListId, toPageId } from '#local/storage/list-ids.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import {
  type ListCandidate,
  normaliseTexts,
  createRowMatcher,
  normaliseFilters,
} from '#local/list-query/filter-and-order.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import type { Session } from '#local/session/session.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import type { ListQuery, ListView, OverlaidRow } from '#local/lists/list-view.ts'

export interface OverlaidCandidate extends ListCandidate {
  overlaidRow: OverlaidRow<VersionedRow>
}

interface ListContent extends Pick<ListView<VersionedRow>, 'count' | 'cachedCount' | 'pendingCount'> {
  rows: OverlaidCandidate[]
  oldestAsOf: number | null
  searchedCount: number
}

export const toListView = <R extends VersionedRow>(
  state: CachedListState,
  { rows, count, cachedCount, oldestAsOf, searchedCount, pendingCount }: ListContent,
): ListView<R> => ({
  // The table has only parsed rows of the endpoint that fills it, so the rows have its schema.
  rows: rows.map(({ overlaidRow }) => overlaidRow as unknown as OverlaidRow<R>),
  count: state.complete ? count : Math.max(count, state.total ?? 0),
  offlineCount: count,
  cachedCount,
  total: state.total,
  asOf: state.asOf ?? oldestAsOf,
  complete: state.complete,
  searchScope: isUncounted(state) ? { cachedCount: searchedCount, total: state.widerCoverage?.total ?? null } : null,
  pendingCount,
})

/** Returns true if the rows are only those that happen to be cached, because the server has not counted this filter. */
export const isUncounted = ({ complete, total }: CachedListState) => !complete && total === null

/** For a filter that the server has not counted, returns the counted filter whose rows were searched, if any. Otherwise returns null. */
export const getSearchedFilters = (state: CachedListState): ListCoverage['filters'] | null =>
  isUncounted(state) ? (state.widerCoverage?.filters ?? null) : null

export type CachedListState = Awaited<ReturnType<typeof readCachedListState>>

interface WaitingWrites {
  entries: OutboxEntry[]
  rowIds: RowId[]
}

export async function readWaitingWrites(db: UserDatabase, table: string): Promise<WaitingWrites> {
  const entries = (await db.outbox.where('table').equals(table).toArray()).sort((a, b) => a.seq - b.seq)
  if (entries.length === 0) return { entries, rowIds: [] }
  const intents = entries.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const rowIds = (await db.rowIds.bulkGet(intents)).filter((name) => name !== undefined)
  return { entries, rowIds }
}

export async function readOverlaidRows(db: UserDatabase, list: ListSpec, query: ListQuery, session: Session) {
  const storedRows = await getListRows(db, list.table, query.scope).toArray()
  const waitingWrites = await readWaitingWrites(db, list.table)
  return { storedRows, ...overlayStoredRows(list, query, session, { storedRows, ...waitingWrites }) }
}

/** `candidates` are the rows of the query's scope with the waiting writes applied. `insideRows` are the stored rows of the scope. */
export function overlayStoredRows(
  list: ListSpec,
  { scope }: ListQuery,
  { companyId }: Session,
  { storedRows, entries, rowIds }: WaitingWrites & { storedRows: readonly StoredRow[] },
) {
  const textsByRow = new Map(storedRows.map((storedRow) => [storedRow.row, storedRow.folds]))
  const storedValues = storedRows.map(({ row }) => row)
  const candidates = [...applyOverlay(storedValues, entries, rowIds, companyId).values()]
    .filter(({ row }) => isInScope(list, row, scope))
    .map((overlaidRow): OverlaidCandidate => {
      const { row } = overlaidRow
      return { overlaidRow, row, folds: textsByRow.get(row) ?? normaliseTexts(list, row) }
    })
  const insideRows = storedRows.filter((storedRow) => scope === null || storedRow.scope === scope)
  const ids = new Set<RowRef>([...insideRows, ...candidates.map(({ row }) => row)].map(({ id }) => id))
  return { candidates, insideRows, pendingCount: countPending(entries, rowIds, ids) }
}

function countPending(entries: readonly OutboxEntry[], rowIds: readonly RowId[], ids: ReadonlySet<RowRef>): number {
  const idsByIntent = new Map<RowRef, RowRef>(rowIds.map(({ intent, id }) => [`~${intent}`, id]))
  return entries.filter(({ target, intent }) =>
    ids.has(idsByIntent.get(target ?? `~${intent}`) ?? target ?? `~${intent}`),
  ).length
}

export const isInScope = (list: ListSpec, row: VersionedRow, scope: number | null) =>
  scope === null || list.scope === null || (row as unknown as Record<string, unknown>)[list.scope.column] === scope

export async function readCachedListState(db: UserDatabase, list: ListSpec, query: ListQuery) {
  const filters = normaliseFilters(list, query.filters)
  const id = toCoverageId(list.table, query.scope, filters)
  const listId = toListId(list.table, query.scope)
  const [syncPoint, coverages] = await Promise.all([
    db.syncPoints.get(listId),
    db.coverage.where('id').startsWith(`${listId}|`).toArray(),
  ])
  const ownCoverage = coverages.find((coverage) => coverage.id === id)
  const completeAsOf = findCompleteAsOf(list, filters, syncPoint, coverages)
  const page = completeAsOf === null ? await db.pages.get(toPageId(id, query.sort, query.results, query.page)) : null
  return {
    list: listId,
    total: ownCoverage?.total ?? null,
    widerCoverage: findWidestCoverage(list, filters, coverages),
    page: page ?? null,
    complete: completeAsOf !== null,
    asOf: completeAsOf ?? page?.asOf ?? ownCoverage?.asOf ?? null,
  }
}

const findWidestCoverage = (
  list: ListSpec,
  filters: ListCoverage['filters'],
  coverages: ListCoverage[],
): ListCoverage | null =>
  coverages
    .filter((coverage) => coversFilters(list, coverage.filters, filters))
    .reduce<ListCoverage | null>(
      (widestCoverage, coverage) =>
        widestCoverage && widestCoverage.total >= coverage.total ? widestCoverage : coverage,
      null,
    )

/** Returns the server time of the latest response that has every row of the filter. Returns null if no response has them all. */
function findCompleteAsOf(
  list: ListSpec,
  filters: ListCoverage['filters'],
  syncPoint: ListSyncPoint | undefined,
  coverages: ListCoverage[],
) {
  const asOfTimes = coverages
    .filter((coverage) => isCompleteList(coverage) && coversFilters(list, coverage.filters, filters))
    .map(({ asOf }) => asOf)
  if (syncPoint && !syncPoint.gaps) asOfTimes.push(syncPoint.asOf)
  return asOfTimes.length > 0 ? Math.max(...asOfTimes) : null
}

/**
 * Returns the page in the server's order (`ids`), because offsets into an incomplete cache would give other rows. Rows that only exist on
 * this device come first on page 1.
 */
export function orderAsServer(
  ids: readonly number[],
  candidates: readonly OverlaidCandidate[],
  query: ListQuery,
): OverlaidCandidate[] {
  const candidatesById = new Map(candidates.map((candidate) => [candidate.row.id, candidate]))
  const cachedRows = ids.flatMap((id) => candidatesById.get(id) ?? [])
  const newCandidates = query.page === 1 ? candidates.filter(({ row }) => typeof row.id === 'string') : []
  return [...newCandidates, ...cachedRows]
}

/** Returns ids of the query's new rows. A row created on this device is identified by its intent until the server assigns an id. */
export const readNewIds = (db: UserDatabase, { newRowRefs = [] }: ListQuery): Promise<RowRef[]> =>
  Promise.all(newRowRefs.map(async (id) => (await findRowId(db, id)) ?? id))

export function addNewRows(
  list: ListSpec,
  page: OverlaidCandidate[],
  newIds: readonly RowRef[],
  candidates: readonly OverlaidCandidate[],
): OverlaidCandidate[] {
  const isVisible = createRowMatcher(list, {})
  // A row whose creation was refused and sent again can be listed by its intent and by its id.
  const newCandidates = [...new Set(newIds)].flatMap(
    (id) => candidates.find((candidate) => candidate.row.id === id && isVisible(candidate)) ?? [],
  )
  const ids = new Set(newCandidates.map(({ row }) => row.id))
  const markedRows = newCandidates.map((candidate) => ({
    ...candidate,
    overlaidRow: { ...candidate.overlaidRow, isNew: true as const },
  }))
  return [...markedRows, ...page.filter(({ row }) => !ids.has(row.id))]
}
