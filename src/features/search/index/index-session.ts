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
import { hasHan } from '#features/search/matching/pinyin.ts'
import { pause } from '#features/search/pause.ts'
import { createChangeQueue, type SourceChange } from '#features/search/index/change-queue.ts'
import { createItemIndex, type SearchHit, type ItemIndex } from '#features/search/index/item-index.ts'
import { createReadings, type Readings, type ReadingsOptions } from '#features/search/index/readings.ts'

/** Rows per read. Reading and indexing them takes a few milliseconds. */
const rowsPerPiece = 150
/** Minimum time in ms between two notifications while rows are read. */
const notifyIntervalMs = 100

export interface IndexSnapshot {
  /** Changes when the index changes. */
  version: number
  isReading: boolean
  /** A list could not be read. It is read again with the next change, and by `retry`. */
  hasFailed: boolean
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
  /** For tests: how the readings are loaded. */
  readingsOptions?: Omit<ReadingsOptions, 'onLoaded'>
}

export function startIndexSession(
  sources: readonly SearchSource[],
  { recentKeys, onPinyinLoaded = () => undefined, device = getThisDevice(), readingsOptions = {} }: IndexSessionOptions,
) {
  const listeners = new Set<() => void>()
  let snapshot: IndexSnapshot = { version: 0, isReading: true, hasFailed: false, extents: {} }
  let notifiedAt = 0
  let isStopped = false
  const readings = createReadings({
    ...readingsOptions,
    onLoaded() {
      onPinyinLoaded()
      for (const [kind, source] of indexes) if (source.forgetRowsWithoutReadings()) changeQueue.add([kind, 'all'])
      void run()
    },
  })
  const indexes = new Map(sources.map((source) => [source.kind, createIndexedSource(source, { readings, device })]))

  function update(change: Partial<IndexSnapshot>, isLast: boolean) {
    snapshot = { ...snapshot, ...change, version: snapshot.version + 1 }
    if (!isLast && performance.now() - notifiedAt < notifyIntervalMs) return
    notifiedAt = performance.now()
    for (const listener of listeners) listener()
  }

  const changeQueue = createChangeQueue()
  let isRunning = false
  const unsubscribe = subscribeToRowChanges(
    [...new Set(sources.map(({ list }) => list.table))],
    (changes) => {
      for (const { table, ids } of changes)
        for (const { kind } of sources.filter(({ list }) => list.table === table)) changeQueue.add([kind, ids])
      void run()
    },
    device,
  )

  async function run() {
    if (isRunning || changeQueue.isEmpty()) return
    isRunning = true
    const failedChanges: SourceChange[] = []
    for (let next = changeQueue.take(); next && !isStopped; next = changeQueue.take())
      try {
        await apply(next)
      } catch {
        // The database does not respond or was closed. The items that were read remain.
        failedChanges.push(next)
      }
    for (const change of failedChanges) changeQueue.add(change)
    isRunning = false
    update({ isReading: false, hasFailed: failedChanges.length > 0 }, true)
  }

  async function apply([kind, ids]: SourceChange) {
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
    for (const { kind } of sources) changeQueue.add([kind, 'all'])
    isRunning = false
    if (sources.length === 0) update({ isReading: false }, true)
    await run()
  }
  void start()

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    /** Reads the lists again that could not be read. */
    retry: () => void run(),
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
      readings.stop()
      unsubscribe()
    },
  }
}

const hasHanName = ({ label, detail }: SearchItem) => hasHan(label) || hasHan(detail)

/** The index of one source, and what was read of its rows. */
function createIndexedSource(source: SearchSource, { readings, device }: { readings: Readings; device: Device }) {
  const index: ItemIndex = createItemIndex()
  /** Versions of the indexed rows, so that reading a list again does not index unchanged rows. Rows with waiting writes have none. */
  const versions = new Map<string, number>()
  const waitingRefs = new Set<RowRef>()
  /** Rows with Chinese names that were indexed before the readings were available. */
  const keysWithoutReadings = new Set<string>()
  const toRowKey = (ref: RowRef) => (typeof ref === 'number' ? source.toKey(ref) : ref)

  const isUnchanged = ({ ref, row, isWaiting }: RowState) =>
    row !== null && !isWaiting && versions.get(toRowKey(ref)) === row.row_version

  /** Indexes rows. Waits a short time for the readings before the first Chinese name. */
  async function putRows(states: readonly RowState[]) {
    const changes = states
      .filter((state) => !isUnchanged(state))
      .map((state) => ({ ...state, items: state.row ? source.toItems(state.row) : [] }))
    if (!readings.isLoaded() && changes.some(({ items }) => items.some(hasHanName))) await readings.wait()
    for (const { ref, row, isWaiting, items } of changes) {
      const rowKey = toRowKey(ref)
      index.put(rowKey, items)
      if (!readings.isLoaded() && items.some(hasHanName)) keysWithoutReadings.add(rowKey)
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
    /** Lets the next reading index these rows again. Returns false without such rows. */
    forgetRowsWithoutReadings(): boolean {
      for (const rowKey of keysWithoutReadings) versions.delete(rowKey)
      const hasRows = keysWithoutReadings.size > 0
      keysWithoutReadings.clear()
      return hasRows
    },
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
