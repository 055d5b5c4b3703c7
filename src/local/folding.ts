/**
 * Writes that never left and need not leave one by one: a row that is made and taken away again never was, and what is
 * typed twice into one form goes as one, where the call says that this is the same (requirement 14, protocol 15).
 */
import { endpointNamed } from '#contract/endpoint.ts'
import { inLane } from '#local/around.ts'
import type { Entry, UserDatabase } from '#local/database.ts'
import { queuesOf } from '#local/overlay.ts'
import { receiptFor } from '#local/receipts.ts'

type Judged = Pick<Entry, 'endpoint' | 'makes' | 'target'>

const merges = (endpoint: string) => queuesOf(endpointNamed(endpoint))?.merges === true

/** Whether it is worth looking. */
export const mayFold = ({ endpoint, makes, target }: Judged): boolean =>
  (makes === 'delete' && typeof target === 'string') || (makes === 'change' && merges(endpoint))

/** None of its bytes was ever fixed, so nobody else can know of it; one that was mended has been somewhere, under another key. */
const neverLeft = ({ state, attempts, bytes, key, intent }: Entry) =>
  state === 'waiting' && attempts === 0 && bytes === null && key === intent

export type Folded =
  /** Stored by the caller, in the place of the one it continues. */
  | { is: 'merged'; entry: Entry }
  /** Neither happens; what was asked for is so. */
  | { is: 'cancelled'; entry: Entry }

/** Inside the transaction that stores `entry`. Null: it stands by itself. */
export async function fold(db: UserDatabase, entry: Entry): Promise<Folded | null> {
  const lane = await inLane(db, entry.lane).toArray()
  return entry.makes === 'delete' ? await cancel(db, entry, lane) : await join(db, entry, lane.at(-1))
}

async function cancel(db: UserDatabase, entry: Entry, lane: readonly Entry[]): Promise<Folded | null> {
  if (lane[0]?.makes !== 'create' || !lane.every(neverLeft)) return null
  const intents = lane.map(({ intent }) => intent)
  const others = await db.outbox.where('dependsOn').anyOf(intents).distinct().toArray()
  // Something else was to be done with the row: its user is asked about that when the row is dropped, not here.
  if (others.some((other) => other.lane !== entry.lane)) return null
  await db.outbox.bulkDelete(intents)
  const time = entry.since
  const dropped = lane.map((one) => receiptFor(db, one, { outcome: 'dropped', time }))
  const own = receiptFor(db, entry, { outcome: 'done', status: 204, time }, lane[0].asked.body)
  await db.receipts.bulkPut(await Promise.all([...dropped, own]))
  return { is: 'cancelled', entry }
}

/** The later one takes the place of the earlier: the newest wish, over the oldest base. */
async function join(db: UserDatabase, entry: Entry, before: Entry | undefined): Promise<Folded | null> {
  if (!before || !neverLeft(before) || before.endpoint !== entry.endpoint || !isSameAsking(before, entry)) return null
  const { seq, ifMatch, since } = before
  const dependsOn = [...new Set([...before.dependsOn, ...entry.dependsOn])]
  const base = olderOf(before, entry)
  const body = { ...fieldsOf(before), ...fieldsOf(entry) }
  const joined = { ...entry, seq, ifMatch, since, dependsOn, base, asked: { ...entry.asked, body } }
  await db.outbox.delete(before.intent)
  const ending = { outcome: 'merged', time: entry.since, into: entry.intent } as const
  await db.receipts.put(await receiptFor(db, before, ending))
  return { is: 'merged', entry: joined }
}

const isSameAsking = (a: Entry, b: Entry) =>
  JSON.stringify([a.asked.params, a.asked.query]) === JSON.stringify([b.asked.params, b.asked.query])

const fieldsOf = ({ asked }: Entry) => (asked.body ?? {}) as Record<string, unknown>

/** What a field was before both: the later form saw what the earlier write had laid over it. */
function olderOf(before: Entry, entry: Entry): Entry['base'] {
  if (!before.base && !entry.base) return null
  const changed = fieldsOf(before)
  const later = Object.entries(entry.base ?? {}).filter(([field]) => !Object.hasOwn(changed, field))
  return { ...Object.fromEntries(later), ...before.base }
}
