/**
 * Reads lists from the device: cached rows, the optimistic overlay, and how much of the list is cached. Live queries must call these from
 * an `async` function, because Dexie tracks no other kind across awaits.
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

/** Data of the last read. The next read starts from this data, and checks meanwhile whether the data is still valid. */
interface LastReading {
  session: Session
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
  // Data of a previous session must not be used.
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
  // `Promise.resolve` is needed here: after awaiting the native promise of `import()`, Dexie no longer tracks what a live query reads.
  indexedLists = await Promise.resolve(import('#local/lists/read-indexed-list.ts'))
  longLists.add(listId)
  return (
    (await indexedLists.readIndexedList<R>(db, list, query, session)) ?? (await readListOnDevice(device, list, query))
  )
}

/** Returns null if the list is too long to be read completely. */
async function readShortList<R extends VersionedRow>(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  session: Session,
) {
  // Reads everything in one transaction. Otherwise a write could be accepted between reading its row and its entry, and appear in
  // neither.
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
  // Cached rows without any match are also a result, which is as old as these rows.
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
