/**
 * Merges writes that were never sent. A row that is created and deleted again is not sent at all, and two changes of one form are sent as
 * one, if the endpoint declares that this is equivalent (requirement 14, protocol 15).
 */
import { findEndpoint } from '#contract/endpoint.ts'
import { queryQueue } from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { getQueueSpec } from '#local/lists/overlay.ts'
import { createReceipt } from '#local/outbox/receipts.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

type CoalescingWrite = Pick<OutboxEntry, 'endpoint' | 'action' | 'target'>

const canMerge = (endpoint: string) => getQueueSpec(findEndpoint(endpoint))?.merges === true

export const canCoalesce = ({ endpoint, action, target }: CoalescingWrite): boolean =>
  (action === 'delete' && typeof target === 'string') || (action === 'change' && canMerge(endpoint))

/**
 * Returns true if the entry was never sent, so that its bytes exist only on this device. A corrected entry has another key, because it was
 * sent before.
 */
const isNeverSent = ({ state, attempts, bytes, key, intent }: OutboxEntry) =>
  state === 'waiting' && attempts === 0 && bytes === null && key === intent

export type CoalesceResult =
  /** The caller stores `entry`, which replaces the earlier entry. */
  | { kind: 'merged'; entry: OutboxEntry }
  /** Neither write is sent, because the result is already reached. */
  | { kind: 'cancelled'; entry: OutboxEntry }

/** Must run inside the transaction that stores `entry`. Returns null if the entry cannot be merged. */
export async function coalesce(db: UserDatabase, entry: OutboxEntry): Promise<CoalesceResult | null> {
  const queuedEntries = await queryQueue(db, entry.queueKey).toArray()
  return entry.action === 'delete'
    ? await cancelCreation(db, entry, queuedEntries)
    : await mergeEntries(db, entry, queuedEntries.at(-1))
}

async function cancelCreation(
  db: UserDatabase,
  entry: OutboxEntry,
  queuedEntries: readonly OutboxEntry[],
): Promise<CoalesceResult | null> {
  if (queuedEntries[0]?.action !== 'create' || !queuedEntries.every(isNeverSent)) return null
  const intents = queuedEntries.map(({ intent }) => intent)
  const dependentEntries = await db.outbox.where('dependsOn').anyOf(intents).distinct().toArray()
  // A write of another row depends on this creation. Its user decides about that write when the creation is dropped, not here.
  if (dependentEntries.some((dependentEntry) => dependentEntry.queueKey !== entry.queueKey)) return null
  await db.outbox.bulkDelete(intents)
  const time = entry.since
  const droppedReceipts = queuedEntries.map((queuedEntry) =>
    createReceipt(db, queuedEntry, { outcome: 'dropped', time }),
  )
  const receipt = createReceipt(db, entry, { outcome: 'done', status: 204, time }, queuedEntries[0].input.body)
  await db.receipts.bulkPut(await Promise.all([...droppedReceipts, receipt]))
  return { kind: 'cancelled', entry }
}

async function mergeEntries(
  db: UserDatabase,
  entry: OutboxEntry,
  earlierEntry: OutboxEntry | undefined,
): Promise<CoalesceResult | null> {
  if (
    !earlierEntry ||
    !isNeverSent(earlierEntry) ||
    earlierEntry.endpoint !== entry.endpoint ||
    !isSameTarget(earlierEntry, entry)
  )
    return null
  const { seq, ifMatch, since } = earlierEntry
  const dependsOn = [...new Set([...earlierEntry.dependsOn, ...entry.dependsOn])]
  const base = getOlderBase(earlierEntry, entry)
  const body = { ...getFields(earlierEntry), ...getFields(entry) }
  const mergedEntry = { ...entry, seq, ifMatch, since, dependsOn, base, input: { ...entry.input, body } }
  await db.outbox.delete(earlierEntry.intent)
  const receiptFields = { outcome: 'merged', time: entry.since, into: entry.intent } as const
  await db.receipts.put(await createReceipt(db, earlierEntry, receiptFields))
  return { kind: 'merged', entry: mergedEntry }
}

const isSameTarget = (a: OutboxEntry, b: OutboxEntry) =>
  JSON.stringify([a.input.params, a.input.query]) === JSON.stringify([b.input.params, b.input.query])

const getFields = ({ input }: OutboxEntry) => (input.body ?? {}) as Record<string, unknown>

/**
 * Returns the base of the merged write: for each field the value before both writes. The later form was opened with the result of the
 * earlier write.
 */
function getOlderBase(earlierEntry: OutboxEntry, entry: OutboxEntry): OutboxEntry['base'] {
  if (!earlierEntry.base && !entry.base) return null
  const earlierFields = getFields(earlierEntry)
  const laterFields = Object.entries(entry.base ?? {}).filter(([field]) => !Object.hasOwn(earlierFields, field))
  return { ...Object.fromEntries(laterFields), ...earlierEntry.base }
}
