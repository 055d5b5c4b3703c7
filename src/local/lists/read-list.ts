/**
 * Lists and single rows as the screens see them: what the device holds, waiting writes laid over it, and how much of
 * the list that is. Live queries run these, from an `async` function: Dexie follows no other across awaits.
 */
import type { ListSpec, VersionedRow } from '#contract/endpoint.ts'
import { loadIndexReader } from '#local/list-index/list-index.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { toListId } from '#local/storage/list-ids.ts'
import {
  orderAsServer,
  getSearchedFilters,
  readOverlaidRows,
  readCachedListState,
  readNewIds,
  toListView,
  addNewRows,
} from '#local/lists/overlaid-rows.ts'
import { createRowComparer, createRowMatcher } from '#local/list-query/filter-and-order.ts'
import { readActiveSession, type Session } from '#local/session/session.ts'
import { readInTransaction } from '#local/storage/transaction.ts'
import type { ListQuery, ListView, ReadList } from '#local/lists/list-view.ts'

const emptyView: ListView<never> = {
  rows: [],
  count: 0,
  offlineCount: 0,
  cachedCount: 0,
  total: null,
  asOf: null,
  complete: false,
  searchScope: null,
  pendingCount: 0,
}

export const readList: ReadList = (list, query) => readListOnDevice(getThisDevice(), list, query)

/** What the last reading found: the next begins with it, beside asking whether it still is so. */
interface LastReading {
  session: Session
  /** Lists that are not read whole. */
  longLists: Set<string>
}

const lastReadings = new WeakMap<Device, LastReading>()
let indexedLists: typeof import('#local/lists/read-indexed-list.ts') | undefined

export async function readListOnDevice<R extends VersionedRow>(
  device: Device,
  list: ListSpec,
  query: ListQuery,
): Promise<ListView<R>> {
  const listId = toListId(list.table, query.scope)
  const lastReading = lastReadings.get(device)
  const earlyReading = lastReading?.longLists.has(listId)
    ? indexedLists
        ?.readIndexedList<R>(device.getDatabase(lastReading.session), list, query, lastReading.session)
        .catch(() => null)
    : null
  const [session, earlyView] = await Promise.all([readActiveSession(device), earlyReading])
  const isSameSession = session !== null && session.generation === lastReading?.session.generation
  // What was read of a user who is no longer here is nobody's.
  if (!isSameSession) indexedLists?.forgetIndexNames()
  if (!session) return emptyView
  if (earlyView && isSameSession) return earlyView
  const db = device.getDatabase(session)
  const longLists = isSameSession ? lastReading.longLists : new Set<string>()
  lastReadings.set(device, { session, longLists })
  const shortList = await readShortList<R>(db, list, query, session)
  if (shortList) longLists.delete(listId)
  if (shortList) return shortList
  await loadIndexReader()
  // By this promise and not its own: else Dexie loses sight of what a live query reads after it.
  indexedLists = await Promise.resolve(import('#local/lists/read-indexed-list.ts'))
  longLists.add(listId)
  return (
    (await indexedLists.readIndexedList<R>(db, list, query, session)) ?? (await readListOnDevice(device, list, query))
  )
}

/** Null: the list is too long to be read whole. */
async function readShortList<R extends VersionedRow>(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  session: Session,
) {
  // One moment for all of it, or a write could be accepted between its row and its entry, and show in neither.
  const tables = ['outbox', 'rowIds', 'coverage', 'syncPoints', 'pages', 'indexes', list.table]
  const results = await readInTransaction(db, tables, async () => {
    if (await db.indexes.get(toListId(list.table, query.scope))) return null
    return await Promise.all([
      readCachedListState(db, list, query),
      readOverlaidRows(db, list, query, session),
      readNewIds(db, query),
    ])
  })
  if (!results) return null
  const [state, rows, newIds] = results
  const isMatch = createRowMatcher(list, query.filters)
  const matchingRows = rows.candidates.filter(isMatch).sort(createRowComparer(list, query.sort))
  const cachedRows = rows.storedRows.filter(isMatch)
  const searchedFilters = getSearchedFilters(state)
  const searchedRows = searchedFilters
    ? rows.storedRows.filter(createRowMatcher(list, searchedFilters))
    : rows.storedRows
  const firstIndex = (query.page - 1) * query.results
  const page =
    state.complete || !state.page
      ? matchingRows.slice(firstIndex, firstIndex + query.results)
      : orderAsServer(state.page.ids, matchingRows, query)
  // Nothing found in rows that are here is an answer, as old as they are.
  const oldestAsOf = findOldestAsOf(cachedRows) ?? findOldestAsOf(rows.storedRows)
  const { pendingCount } = rows
  return toListView<R>(state, {
    rows: addNewRows(list, page, newIds, rows.candidates),
    count: matchingRows.length,
    cachedCount: cachedRows.length,
    oldestAsOf,
    searchedCount: searchedRows.length,
    pendingCount,
  })
}

const findOldestAsOf = (storedRows: readonly StoredRow[]) =>
  storedRows.reduce<number | null>((min, { asOf }) => Math.min(min ?? asOf, asOf), null)
