import { Dexie, type IntervalTree, type IntervalTreeNode, type ObservabilitySet } from 'dexie'
import type { RowRef } from '#contract/endpoint.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readActiveSession, type Session } from '#local/session/session.ts'

/** Changed rows of a table: their ids, or `all` if they are not known. */
export interface RowChange {
  table: string
  ids: ReadonlySet<RowRef> | 'all'
}

/** Maximum number of ids in a change. Above it the rows are read again as a whole. */
const maxIds = 2_000

/**
 * Calls the listener after each transaction, also of other tabs and of the worker, that changed rows of these tables or their waiting
 * writes. A change of the outbox is reported for each table, without ids. Returns an unsubscribe function.
 */
export function subscribeToRowChanges(
  tables: readonly string[],
  listener: (changes: readonly RowChange[]) => void,
  device: Device = getThisDevice(),
): () => void {
  let databaseName: string | null = null
  let isActive = true
  const onMutation = (parts: ObservabilitySet) => {
    if (databaseName === null) return
    const changes = findChanges(parts, `idb://${databaseName}/`, tables)
    if (changes.length > 0) listener(changes)
  }
  const follow = (session: Session | null) => {
    if (!isActive || !session) return
    databaseName = device.getDatabase(session).name
    Dexie.on('storagemutated', onMutation)
  }
  // If the session cannot be read, the rows cannot either: their reader reports it.
  readActiveSession(device).then(follow, () => undefined)
  return () => {
    isActive = false
    Dexie.on.storagemutated.unsubscribe(onMutation)
  }
}

function findChanges(parts: ObservabilitySet, prefix: string, tables: readonly string[]): RowChange[] {
  const changes: RowChange[] = []
  const readIds = (table: string) => ('all' in parts ? 'all' : toIds(parts[`${prefix}${table}/`]))
  const hasOutboxChanged = isChanged(readIds('outbox')) || isChanged(readIds('rowIds'))
  for (const table of tables) {
    const ids = readIds(table)
    if (isChanged(ids) || hasOutboxChanged) changes.push({ table, ids })
  }
  return changes
}

const isChanged = (ids: RowChange['ids']) => ids === 'all' || ids.size > 0

/** Dexie reports larger writes as one range of all keys. The keys of the outbox are texts, so for it any change is `all`. */
function toIds(tree: IntervalTree | undefined): RowChange['ids'] {
  const ids = new Set<RowRef>()
  for (const { from, to } of listRanges(tree)) {
    const [min, max] = [Number(from), Number(to)]
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || ids.size + max - min >= maxIds) return 'all'
    for (let id = min; id <= max; id++) ids.add(id)
  }
  return ids
}

/** The trees are plain objects if they come from another tab. An empty tree has no range. */
function* listRanges(tree: IntervalTree | null | undefined): Generator<IntervalTreeNode> {
  if (!tree || !('from' in tree)) return
  yield* listRanges(tree.l)
  yield tree
  yield* listRanges(tree.r)
}
