/** Fills the index from the device's rows, and follows their changes until it is stopped. */
import type { RowRef } from '#contract/endpoint.ts'
import { subscribeToRowChanges } from '#local/lists/row-changes.ts'
import {
  type ListExtent,
  readListExtent,
  readRowPieces,
  readRowStates,
  type RowState,
} from '#local/lists/row-pieces.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import type { SearchItem, SearchKind, SearchSource } from '#patterns/search-source.ts'
import { hasHan, loadPinyin } from '#features/search/matching/pinyin.ts'
import { pause } from '#features/search/pause.ts'
import { createItemIndex, type SearchHit, type ItemIndex } from '#features/search/index/item-index.ts'

/** Rows per read. Reading and indexing them takes a few milliseconds. */
const rowsPerPiece = 150
/** Minimum time in ms between two notifications while rows are read. */
const notifyIntervalMs = 100

export interface IndexSnapshot {
  /** Changes when the index changes. */
  version: number
  isReading: boolean
  /** Sources whose extent was read. */
  extents: Partial<Record<SearchKind, SearchExtent>>
}

/** `itemCount`: rows that can be found. Deleted users, for example, are on the device and cannot. */
export type SearchExtent = ListExtent & { itemCount: number }

export type IndexSession = ReturnType<typeof startIndexSession>

interface IndexSessionOptions {
  /** Items whose rows are read first, because they are displayed before the user types. */
  recentKeys: readonly string[]
  /** Called when the device has a Chinese name and the readings were loaded. */
  onPinyinLoaded?: () => void
  device?: Device
}

export function startIndexSession(
  sources: readonly SearchSource[],
  { recentKeys, onPinyinLoaded = () => undefined, device = getThisDevice() }: IndexSessionOptions,
) {
  const listeners = new Set<() => void>()
  let snapshot: IndexSnapshot = { version: 0, isReading: true, extents: {} }
  let notifiedAt = 0
  let isStopped = false
  const indexes = new Map(
    sources.map((source) => [source.kind, createIndexedSource(source, { onPinyinLoaded, device })]),
  )

  function update(change: Partial<IndexSnapshot>, isLast: boolean) {
    snapshot = { ...snapshot, ...change, version: snapshot.version + 1 }
    if (!isLast && performance.now() - notifiedAt < notifyIntervalMs) return
    notifiedAt = performance.now()
    for (const listener of listeners) listener()
  }

  const pendingChanges = new Map<SearchKind, Set<RowRef> | 'all'>()
  let isRunning = false
  const unsubscribe = subscribeToRowChanges(
    [...new Set(sources.map(({ list }) => list.table))],
    (changes) => {
      for (const { table, ids } of changes)
        for (const { kind } of sources.filter(({ list }) => list.table === table)) {
          const pendingIds = pendingChanges.get(kind)
          const isAll = ids === 'all' || pendingIds === 'all'
          pendingChanges.set(kind, isAll ? 'all' : new Set([...(pendingIds ?? []), ...ids]))
        }
      void run()
    },
    device,
  )

  async function run() {
    if (isRunning) return
    isRunning = true
    try {
      for (let next = takeChange(); next && !isStopped; next = takeChange()) await apply(next)
    } catch {
      // The database does not respond or was closed. The page shows that; the items that were read remain.
    } finally {
      isRunning = false
      update({ isReading: false }, true)
    }
  }

  function takeChange() {
    const [change] = pendingChanges
    if (change) pendingChanges.delete(change[0])
    return change
  }

  async function apply([kind, ids]: [SearchKind, Set<RowRef> | 'all']) {
    const source = indexes.get(kind)
    if (!source) return
    if (ids === 'all') {
      update({ isReading: true }, false)
      for await (const _ of source.readAll()) {
        if (isStopped) return
        update({}, false)
      }
    } else await source.readStates(ids)
    const listExtent = await readListExtent(source, device)
    const extent = { ...listExtent, itemCount: source.index.getSize() }
    if (!isStopped) update({ extents: { ...snapshot.extents, [kind]: extent } }, true)
    for (const _ of source.index.compact()) await pause()
  }

  async function start() {
    isRunning = true
    for (const source of indexes.values()) await source.readRecent(recentKeys).catch(() => undefined)
    update({}, true)
    for (const { kind } of sources) pendingChanges.set(kind, 'all')
    isRunning = false
    await run()
  }
  void start()

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    /** Returns the items of these keys that exist, in the order of the keys. */
    findItems(keys: readonly string[]): SearchItem[] {
      return keys.flatMap((key) =>
        [...indexes.values()].flatMap(({ index }) => index.getItems(key).filter((item) => item.key === key)),
      )
    },
    listSuggestedItems: (): SearchItem[] => [...indexes.values()].flatMap(({ index }) => index.listSuggestedItems()),
    *search(text: string, maxHitsPerSource: number): Generator<void, SearchHit[]> {
      const hits: SearchHit[] = []
      for (const { index } of indexes.values()) hits.push(...(yield* index.search(text, maxHitsPerSource)))
      return hits
    },
    stop() {
      isStopped = true
      unsubscribe()
    },
  }
}

/** The index of one source, and what was read of its rows. */
function createIndexedSource(
  source: SearchSource,
  { onPinyinLoaded, device }: { onPinyinLoaded: () => void; device: Device },
) {
  const index: ItemIndex = createItemIndex()
  /** Versions of the indexed rows, so that reading a list again does not index unchanged rows. Rows with waiting writes have none. */
  const versions = new Map<string, number>()
  const waitingRefs = new Set<RowRef>()
  const toRowKey = (ref: RowRef) => (typeof ref === 'number' ? source.toKey(ref) : ref)

  const isUnchanged = ({ ref, row, isWaiting }: RowState) =>
    row !== null && !isWaiting && versions.get(toRowKey(ref)) === row.row_version

  /** Indexes rows. Loads the readings before the first Chinese name. */
  async function putRows(states: readonly RowState[]) {
    const changes = states
      .filter((state) => !isUnchanged(state))
      .map((state) => ({ ...state, items: state.row ? source.toItems(state.row) : [] }))
    const hasHanName = changes.some(({ items }) => items.some(({ label, detail }) => hasHan(label) || hasHan(detail)))
    if (hasHanName && (await loadPinyin())) onPinyinLoaded()
    for (const { ref, row, isWaiting, items } of changes) {
      const rowKey = toRowKey(ref)
      index.put(rowKey, items)
      if (row && !isWaiting) versions.set(rowKey, row.row_version)
      else versions.delete(rowKey)
    }
  }

  async function readStates(refs: Iterable<RowRef>) {
    const states = await readRowStates(source, [...refs, ...waitingRefs], device)
    await putRows(states)
    waitingRefs.clear()
    for (const { ref, isWaiting } of states) if (isWaiting) waitingRefs.add(ref)
  }

  return {
    ...source,
    index,
    readStates,
    /** Reads all rows again, and removes those that no longer exist. Yields after each piece. */
    async *readAll(): AsyncGenerator<void> {
      const currentKeys = new Set<string>()
      for await (const rows of readRowPieces(source, rowsPerPiece, device)) {
        for (const { id } of rows) currentKeys.add(toRowKey(id))
        const storedRows = rows.filter(({ id }) => !waitingRefs.has(id))
        await putRows(storedRows.map((row) => ({ ref: row.id, row, isWaiting: false })))
        yield
      }
      for (const rowKey of index.listRowKeys()) if (!currentKeys.has(rowKey)) index.put(rowKey, [])
      for (const rowKey of versions.keys()) if (!currentKeys.has(rowKey)) versions.delete(rowKey)
      await readStates([])
    },
    async readRecent(recentKeys: readonly string[]) {
      const ids = recentKeys.flatMap((key) => {
        const id = Number(key.slice(key.lastIndexOf(' ') + 1))
        return Number.isSafeInteger(id) && source.toKey(id) === key ? [id] : []
      })
      if (ids.length > 0) await readStates(ids)
    },
  }
}
