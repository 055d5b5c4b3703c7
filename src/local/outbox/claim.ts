/** Takes the entries that may be sent now, in the order of their queues, under a lease. */
import { findEndpoint, type Intent } from '#contract/endpoint.ts'
import { createLocalProblem, type ProblemCode } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { hasSealedWrites } from '#local/seals/sealed-records.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import { transactToSend } from '#local/storage/reserve.ts'

export interface ClaimOptions {
  now: number
  leaseMs: number
  /** Entries at once, and bytes of their bodies together. */
  maxEntries: number
  maxBytes?: number
  /** Several of one lane too, in their order: whoever sends them lets none overtake another (protocol 24). */
  isChained?: boolean
  generation: number
  /** The lock was taken from a living holder: what it is still allowed to send is not ours. */
  isLockStolen: boolean
  freezeRequest: (entry: OutboxEntry) => FrozenRequest
}

/** Takes the first entry of each lane that may go now. Its bytes are fixed here for good (protocol 2, 12). */
export async function claimEntries(db: UserDatabase, options: ClaimOptions): Promise<OutboxEntry[]> {
  const { now, leaseMs, freezeRequest } = options
  return await transactToSend(db, ['outbox', 'meta'], async () => {
    if (
      (await readSessionGeneration(db)) !== options.generation ||
      (await isPaused(db, now)) ||
      (await hasSealedWrites(db))
    )
      return []
    const { readyEntries, oldEntries } = await findReady(db, options)
    if (oldEntries.length > 0) await db.outbox.bulkPut(oldEntries.map(toConfirmationEntry))
    const frozenEntries = readyEntries.map((entry) => ({ ...entry, bytes: entry.bytes ?? freezeRequest(entry) }))
    const claimedEntries = limitBatch(frozenEntries, options).map((entry) => ({
      ...entry,
      state: 'sending' as const,
      fence: entry.fence + 1,
      attempts: entry.attempts + 1,
      leaseUntil: now + leaseMs,
    }))
    await db.outbox.bulkPut(claimedEntries)
    return claimedEntries
  })
}

/** Older than this it is shown to its user before it is sent (protocol 19). */
const maxUnseenAgeMs = 30 * 86_400_000

const isTooOld = ({ since, allowedAt }: OutboxEntry, now: number) =>
  allowedAt === undefined && since < now - maxUnseenAgeMs

/** Shown to its user because it is old; what was sent of it may have arrived long ago. */
export const isParkedAsOld = ({ problem }: Pick<OutboxEntry, 'problem'>) => problem?.code === 'TOO_OLD'

/** Refused before the server looked into its idempotency store (protocol 4): that says nothing of what was sent earlier. */
const isUnchecked = ({ problem, key, intent }: SentEntry) =>
  problem?.code === 'NOT_SUPPORT' || (key !== intent && bytesRefused.has(problem?.code ?? ''))

/** These follow from the bytes alone: under their first key none like them can have been done. */
const bytesRefused: ReadonlySet<string> = new Set<ProblemCode>([
  'VALIDATION_ERROR',
  'TOO_LARGE',
  'IMAGE_TOO_LARGE',
  'UNSUPPORTED_TYPE',
])

type SentEntry = Pick<OutboxEntry, 'problem' | 'key' | 'intent' | 'attempts'>

/**
 * Attempts of a parked write that may have been done: then only the server can take it back. None where the server has
 * said what became of it; the one that was refused unchecked is known.
 */
export function countOpenAttempts(entry: SentEntry): number {
  // Only the response may have been refused on its way.
  if (isParkedAsOld(entry) || entry.problem?.code === 'BLOCKED_BY_PROXY') return entry.attempts
  return isUnchecked(entry) ? entry.attempts - 1 : 0
}

const toConfirmationEntry = (entry: OutboxEntry): OutboxEntry => ({
  ...entry,
  state: 'asks',
  problem: createLocalProblem('TOO_OLD'),
  leaseUntil: 0,
})

/** Read at once, in the order they were made. */
const entriesPerRead = 64

/** Once something may go, so many stretches are enough: what is further back has its turn in the next step. */
const maxReads = 4

/** What may go now: of each lane the first, or, chained, as far as nothing in between has to stay. */
async function findReady(
  db: UserDatabase,
  options: ClaimOptions,
): Promise<{ readyEntries: OutboxEntry[]; oldEntries: OutboxEntry[] }> {
  const openQueues = new Map<string, boolean>()
  const [readyEntries, oldEntries]: [OutboxEntry[], OutboxEntry[]] = [[], []]
  for (let lastSeq = 0, readCount = 1; ; readCount++) {
    const entries = await db.outbox.where('seq').above(lastSeq).limit(entriesPerRead).toArray()
    const awaitedIntents = await readAwaitedIntents(db, entries)
    for (const entry of entries) {
      const isFirstInQueue = (openQueues.get(entry.queueKey) ?? true) && canSend(entry, awaitedIntents, options)
      const isReady = isFirstInQueue && !isTooOld(entry, options.now)
      openQueues.set(entry.queueKey, isReady && options.isChained === true)
      if (isReady) readyEntries.push(entry)
      else if (isFirstInQueue) oldEntries.push(entry)
    }
    const isEnough = readyEntries.length >= options.maxEntries || (readyEntries.length > 0 && readCount >= maxReads)
    if (isEnough || entries.length < entriesPerRead)
      return { readyEntries: readyEntries.slice(0, options.maxEntries), oldEntries }
    lastSeq = entries.at(-1)?.seq ?? lastSeq
  }
}

/** Which of the writes that these wait for are still here. */
async function readAwaitedIntents(db: UserDatabase, entries: readonly OutboxEntry[]): Promise<Set<Intent>> {
  const intents = [...new Set(entries.flatMap(({ dependsOn }) => dependsOn))]
  if (intents.length === 0) return new Set()
  return new Set(await db.outbox.where('intent').anyOf(intents).primaryKeys())
}

const textEncoder = new TextEncoder()

/** As many as fit; the first always. A file goes by itself where others are sent in one piece (protocol 22). */
function limitBatch<E extends OutboxEntry & { bytes: FrozenRequest }>(
  entries: readonly E[],
  { isChained, maxBytes }: ClaimOptions,
): E[] {
  const fileIndex = isChained ? entries.findIndex(isUpload) : -1
  let remainingBytes = maxBytes ?? Number.POSITIVE_INFINITY
  return entries
    .slice(0, fileIndex === -1 ? entries.length : Math.max(1, fileIndex))
    .filter(({ bytes: { path, body } }, index) => {
      remainingBytes -= overheadBytesPerEntry + path.length + (body === null ? 0 : textEncoder.encode(body).length)
      return index === 0 || remainingBytes >= 0
    })
}

const isUpload = ({ endpoint }: OutboxEntry) => findEndpoint(endpoint)?.encoding === 'multipart'

/** Key, intent, For-User, If-Match and the signs around them. */
const overheadBytesPerEntry = 400

function canSend(
  entry: OutboxEntry,
  awaitedIntents: ReadonlySet<Intent>,
  { now, isLockStolen, leaseMs }: ClaimOptions,
): boolean {
  // Written by a newer build than this one: it waits for that build.
  if (!findEndpoint(entry.endpoint)) return false
  if (entry.dependsOn.some((intent) => awaitedIntents.has(intent))) return false
  // Found sending under our own lock: whoever sent it is gone. A lease further off than any lease is a turned clock.
  if (entry.state === 'sending') return !isLockStolen || entry.leaseUntil <= now || entry.leaseUntil > now + leaseMs
  return entry.state === 'waiting' && isDue(entry.notBefore, now)
}

export const isDue = (notBefore: number, now: number) => notBefore <= now || notBefore > now + maxWaitMs

/** Further off than this no entry is ever held: the clock was turned back. */
export const maxWaitMs = 3_600_000

export async function isPaused(db: UserDatabase, now: number): Promise<boolean> {
  const pause = await db.meta.get('pause')
  return pause?.name === 'pause' && pause.until > now && pause.since <= now
}
