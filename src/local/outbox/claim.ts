/** Takes the entries that may be sent now, in the order of their queues, under a lease. */
import { endpointNamed, type Intent } from '#contract/endpoint.ts'
import { localProblem, type ProblemCode } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isSealedUp } from '#local/seals/sealed-records.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import { transactToSend } from '#local/storage/reserve.ts'

export interface Claiming {
  now: number
  leaseMs: number
  /** Entries at once, and bytes of their bodies together. */
  most: number
  maxBytes?: number
  /** Several of one lane too, in their order: whoever sends them lets none overtake another (protocol 24). */
  chained?: boolean
  generation: number
  /** The lock was taken from a living holder: what it is still allowed to send is not ours. */
  stolen: boolean
  freeze: (entry: OutboxEntry) => FrozenRequest
}

/** Takes the first entry of each lane that may go now. Its bytes are fixed here for good (protocol 2, 12). */
export async function claim(db: UserDatabase, claiming: Claiming): Promise<OutboxEntry[]> {
  const { now, leaseMs, freeze } = claiming
  return await transactToSend(db, ['outbox', 'meta'], async () => {
    if ((await readGate(db)) !== claiming.generation || (await isPaused(db, now)) || (await isSealedUp(db))) return []
    const { ready, old } = await findReady(db, claiming)
    if (old.length > 0) await db.outbox.bulkPut(old.map(toAsk))
    const frozen = ready.map((entry) => ({ ...entry, bytes: entry.bytes ?? freeze(entry) }))
    const claimed = together(frozen, claiming).map((entry) => ({
      ...entry,
      state: 'sending' as const,
      fence: entry.fence + 1,
      attempts: entry.attempts + 1,
      leaseUntil: now + leaseMs,
    }))
    await db.outbox.bulkPut(claimed)
    return claimed
  })
}

/** Older than this it is shown to its user before it is sent (protocol 19). */
const oldMs = 30 * 86_400_000

const isTooOld = ({ since, allowedAt }: OutboxEntry, now: number) => allowedAt === undefined && since < now - oldMs

/** Shown to its user because it is old; what was sent of it may have arrived long ago. */
export const isOld = ({ problem }: Pick<OutboxEntry, 'problem'>) => problem?.code === 'TOO_OLD'

/** Refused before the server looked into its idempotency store (protocol 4): that says nothing of what was sent earlier. */
const isUnchecked = ({ problem, key, intent }: Sent) =>
  problem?.code === 'NOT_SUPPORT' || (key !== intent && bytesRefused.has(problem?.code ?? ''))

/** These follow from the bytes alone: under their first key none like them can have been done. */
const bytesRefused: ReadonlySet<string> = new Set<ProblemCode>([
  'VALIDATION_ERROR',
  'TOO_LARGE',
  'IMAGE_TOO_LARGE',
  'UNSUPPORTED_TYPE',
])

type Sent = Pick<OutboxEntry, 'problem' | 'key' | 'intent' | 'attempts'>

/**
 * Attempts of a parked write that may have been done: then only the server can take it back. None where the server has
 * said what became of it; the one that was refused unchecked is known.
 */
export function attemptsLeft(entry: Sent): number {
  // Only the response may have been refused on its way.
  if (isOld(entry) || entry.problem?.code === 'BLOCKED_BY_PROXY') return entry.attempts
  return isUnchecked(entry) ? entry.attempts - 1 : 0
}

const toAsk = (entry: OutboxEntry): OutboxEntry => ({
  ...entry,
  state: 'asks',
  problem: localProblem('TOO_OLD'),
  leaseUntil: 0,
})

/** Read at once, in the order they were made. */
const stretch = 64

/** Once something may go, so many stretches are enough: what is further back has its turn in the next step. */
const enoughStretches = 4

/** What may go now: of each lane the first, or, chained, as far as nothing in between has to stay. */
async function findReady(db: UserDatabase, claiming: Claiming): Promise<{ ready: OutboxEntry[]; old: OutboxEntry[] }> {
  const open = new Map<string, boolean>()
  const [ready, old]: [OutboxEntry[], OutboxEntry[]] = [[], []]
  for (let after = 0, read = 1; ; read++) {
    const entries = await db.outbox.where('seq').above(after).limit(stretch).toArray()
    const isThere = await findAwaited(db, entries)
    for (const entry of entries) {
      const isNext = (open.get(entry.queueKey) ?? true) && mayGo(entry, isThere, claiming)
      const goes = isNext && !isTooOld(entry, claiming.now)
      open.set(entry.queueKey, goes && claiming.chained === true)
      if (goes) ready.push(entry)
      else if (isNext) old.push(entry)
    }
    const isEnough = ready.length >= claiming.most || (ready.length > 0 && read >= enoughStretches)
    if (isEnough || entries.length < stretch) return { ready: ready.slice(0, claiming.most), old }
    after = entries.at(-1)?.seq ?? after
  }
}

/** Which of the writes that these wait for are still here. */
async function findAwaited(db: UserDatabase, entries: readonly OutboxEntry[]): Promise<Set<Intent>> {
  const awaited = [...new Set(entries.flatMap(({ dependsOn }) => dependsOn))]
  if (awaited.length === 0) return new Set()
  return new Set(await db.outbox.where('intent').anyOf(awaited).primaryKeys())
}

const utf8 = new TextEncoder()

/** As many as fit; the first always. A file goes by itself where others are sent in one piece (protocol 22). */
function together<E extends OutboxEntry & { bytes: FrozenRequest }>(
  entries: readonly E[],
  { chained, maxBytes }: Claiming,
): E[] {
  const file = chained ? entries.findIndex(isUpload) : -1
  let left = maxBytes ?? Number.POSITIVE_INFINITY
  return entries.slice(0, file === -1 ? entries.length : Math.max(1, file)).filter(({ bytes: { path, body } }, at) => {
    left -= perItemBytes + path.length + (body === null ? 0 : utf8.encode(body).length)
    return at === 0 || left >= 0
  })
}

const isUpload = ({ endpoint }: OutboxEntry) => endpointNamed(endpoint)?.encoding === 'multipart'

/** Key, intent, For-User, If-Match and the signs around them. */
const perItemBytes = 400

function mayGo(entry: OutboxEntry, isThere: ReadonlySet<Intent>, { now, stolen, leaseMs }: Claiming): boolean {
  // Written by a newer build than this one: it waits for that build.
  if (!endpointNamed(entry.endpoint)) return false
  if (entry.dependsOn.some((intent) => isThere.has(intent))) return false
  // Found sending under our own lock: whoever sent it is gone. A lease further off than any lease is a turned clock.
  if (entry.state === 'sending') return !stolen || entry.leaseUntil <= now || entry.leaseUntil > now + leaseMs
  return entry.state === 'waiting' && isPast(entry.notBefore, now)
}

export const isPast = (notBefore: number, now: number) => notBefore <= now || notBefore > now + longestWaitMs

/** Further off than this no entry is ever held: the clock was turned back. */
export const longestWaitMs = 3_600_000

export async function isPaused(db: UserDatabase, now: number): Promise<boolean> {
  const pause = await db.meta.get('pause')
  return pause?.name === 'pause' && pause.until > now && pause.since <= now
}
