/**
 * Writes that never left and need not leave one by one: a row that is made and taken away again never was, and what is
 * typed twice into one form goes as one, where the call says that this is the same (requirement 14, protocol 15).
 */
import { endpointNamed } from '#contract/endpoint.ts'
import { inQueue } from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { queuesOf } from '#local/lists/overlay.ts'
import { receiptFor } from '#local/outbox/receipts.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

type Judged = Pick<OutboxEntry, 'endpoint' | 'action' | 'target'>

const merges = (endpoint: string) => queuesOf(endpointNamed(endpoint))?.merges === true

/** Whether it is worth looking. */
export const canCoalesce = ({ endpoint, action, target }: Judged): boolean =>
  (action === 'delete' && typeof target === 'string') || (action === 'change' && merges(endpoint))

/** None of its bytes was ever fixed, so nobody else can know of it; one that was mended has been somewhere, under another key. */
const neverLeft = ({ state, attempts, bytes, key, intent }: OutboxEntry) =>
  state === 'waiting' && attempts === 0 && bytes === null && key === intent

export type Folded =
  /** Stored by the caller, in the place of the one it continues. */
  | { kind: 'merged'; entry: OutboxEntry }
  /** Neither happens; what was asked for is so. */
  | { kind: 'cancelled'; entry: OutboxEntry }

/** Inside the transaction that stores `entry`. Null: it stands by itself. */
export async function coalesce(db: UserDatabase, entry: OutboxEntry): Promise<Folded | null> {
  const queued = await inQueue(db, entry.queueKey).toArray()
  return entry.action === 'delete' ? await cancel(db, entry, queued) : await join(db, entry, queued.at(-1))
}

async function cancel(db: UserDatabase, entry: OutboxEntry, queued: readonly OutboxEntry[]): Promise<Folded | null> {
  if (queued[0]?.action !== 'create' || !queued.every(neverLeft)) return null
  const intents = queued.map(({ intent }) => intent)
  const others = await db.outbox.where('dependsOn').anyOf(intents).distinct().toArray()
  // Something else was to be done with the row: its user is asked about that when the row is dropped, not here.
  if (others.some((other) => other.queueKey !== entry.queueKey)) return null
  await db.outbox.bulkDelete(intents)
  const time = entry.since
  const dropped = queued.map((one) => receiptFor(db, one, { outcome: 'dropped', time }))
  const own = receiptFor(db, entry, { outcome: 'done', status: 204, time }, queued[0].input.body)
  await db.receipts.bulkPut(await Promise.all([...dropped, own]))
  return { kind: 'cancelled', entry }
}

/** The later one takes the place of the earlier: the newest wish, over the oldest base. */
async function join(db: UserDatabase, entry: OutboxEntry, before: OutboxEntry | undefined): Promise<Folded | null> {
  if (!before || !neverLeft(before) || before.endpoint !== entry.endpoint || !isSameAsking(before, entry)) return null
  const { seq, ifMatch, since } = before
  const dependsOn = [...new Set([...before.dependsOn, ...entry.dependsOn])]
  const base = olderOf(before, entry)
  const body = { ...fieldsOf(before), ...fieldsOf(entry) }
  const joined = { ...entry, seq, ifMatch, since, dependsOn, base, input: { ...entry.input, body } }
  await db.outbox.delete(before.intent)
  const ending = { outcome: 'merged', time: entry.since, into: entry.intent } as const
  await db.receipts.put(await receiptFor(db, before, ending))
  return { kind: 'merged', entry: joined }
}

const isSameAsking = (a: OutboxEntry, b: OutboxEntry) =>
  JSON.stringify([a.input.params, a.input.query]) === JSON.stringify([b.input.params, b.input.query])

const fieldsOf = ({ input: asked }: OutboxEntry) => (asked.body ?? {}) as Record<string, unknown>

/** What a field was before both: the later form saw what the earlier write had laid over it. */
function olderOf(before: OutboxEntry, entry: OutboxEntry): OutboxEntry['base'] {
  if (!before.base && !entry.base) return null
  const changed = fieldsOf(before)
  const later = Object.entries(entry.base ?? {}).filter(([field]) => !Object.hasOwn(changed, field))
  return { ...Object.fromEntries(later), ...before.base }
}
