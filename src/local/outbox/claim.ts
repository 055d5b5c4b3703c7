/** Claims the entries that may be sent now, in the order of their queue keys, under a lease. */
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
  maxEntries: number
  maxBytes?: number
  /** True to claim several consecutive entries of one queue key. The sender must keep their order (protocol 24). */
  isChained?: boolean
  generation: number
  /** True if the lock was taken from a holder that is still alive. Entries that it may still send are not claimed. */
  isLockStolen: boolean
  freezeRequest: (entry: OutboxEntry) => FrozenRequest
}

/**
 * Claims the first sendable entry of each queue key, or several if `isChained`. From then on the bytes of an entry never change (protocol
 * 2, 12).
 */
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

/** Maximum age in ms. An older entry is parked, so that its user sees it before it is sent (protocol 19). */
const maxUnseenAgeMs = 30 * 86_400_000

const isTooOld = ({ since, allowedAt }: OutboxEntry, now: number) =>
  allowedAt === undefined && since < now - maxUnseenAgeMs

/** Returns true if the entry is parked because of its age. An earlier attempt may have reached the server. */
export const isParkedAsOld = ({ problem }: Pick<OutboxEntry, 'problem'>) => problem?.code === 'TOO_OLD'

/**
 * Returns true if the entry was refused before the idempotency store was checked (protocol 4), so earlier attempts may have been executed.
 */
const isUnchecked = ({ problem, key, intent }: SentEntry) =>
  problem?.code === 'NOT_SUPPORT' || (key !== intent && bytesRefused.has(problem?.code ?? ''))

/** Problems that depend on the bytes alone. If such bytes were sent under the entry's first key, no attempt was executed. */
const bytesRefused: ReadonlySet<string> = new Set<ProblemCode>([
  'VALIDATION_ERROR',
  'TOO_LARGE',
  'IMAGE_TOO_LARGE',
  'UNSUPPORTED_TYPE',
])

type SentEntry = Pick<OutboxEntry, 'problem' | 'key' | 'intent' | 'attempts'>

/**
 * Returns the number of attempts of a parked write that may have been executed; only the server can then cancel it. Returns 0 if the server
 * has reported the result. A refused attempt whose key was not checked is not counted.
 */
export function countOpenAttempts(entry: SentEntry): number {
  // A proxy may have refused only the response, so every attempt is counted.
  if (isParkedAsOld(entry) || entry.problem?.code === 'BLOCKED_BY_PROXY') return entry.attempts
  return isUnchecked(entry) ? entry.attempts - 1 : 0
}

const toConfirmationEntry = (entry: OutboxEntry): OutboxEntry => ({
  ...entry,
  state: 'asks',
  problem: createLocalProblem('TOO_OLD'),
  leaseUntil: 0,
})

const entriesPerRead = 64

/** Maximum number of reads if an entry is ready. Later entries are claimed in the next step. */
const maxReads = 4

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

async function readAwaitedIntents(db: UserDatabase, entries: readonly OutboxEntry[]): Promise<Set<Intent>> {
  const intents = [...new Set(entries.flatMap(({ dependsOn }) => dependsOn))]
  if (intents.length === 0) return new Set()
  return new Set(await db.outbox.where('intent').anyOf(intents).primaryKeys())
}

const textEncoder = new TextEncoder()

/** Returns as many entries as fit, at least one. An entry with a file is sent alone if others are sent as a batch (protocol 22). */
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

/** Approximate number of bytes per entry in a batch for the idempotency key, intent, For-User, If-Match and punctuation. */
const overheadBytesPerEntry = 400

function canSend(
  entry: OutboxEntry,
  awaitedIntents: ReadonlySet<Intent>,
  { now, isLockStolen, leaseMs }: ClaimOptions,
): boolean {
  // The entry was recorded by a newer build, so it waits for that build.
  if (!findEndpoint(entry.endpoint)) return false
  if (entry.dependsOn.some((intent) => awaitedIntents.has(intent))) return false
  // This sender holds the lock, so the sender of an entry in state `sending` has died. After the lock was stolen, that sender may be
  // alive until its lease ends. A lease longer than the maximum means that the clock was changed.
  if (entry.state === 'sending') return !isLockStolen || entry.leaseUntil <= now || entry.leaseUntil > now + leaseMs
  return entry.state === 'waiting' && isDue(entry.notBefore, now)
}

export const isDue = (notBefore: number, now: number) => notBefore <= now || notBefore > now + maxWaitMs

/** Maximum wait of an entry, in ms. A later time means that the clock was turned back. */
export const maxWaitMs = 3_600_000

export async function isPaused(db: UserDatabase, now: number): Promise<boolean> {
  const pause = await db.meta.get('pause')
  return pause?.name === 'pause' && pause.until > now && pause.since <= now
}
