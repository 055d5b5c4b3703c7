/**
 * The step that sends what waits: in order within a lane, one, then batches, or up to four lanes at once where batches
 * are not known; each entry with its own key and the very bytes of its first attempt. A step is claim, send, record,
 * under one lock (protocol 12); safety rests on the server's idempotency store and the fence, never on the lock.
 */
import { headers } from '#contract/headers.ts'
import { localProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { clearNetworkDelay, holdForUser } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { hasSendable } from '#local/outbox/status.ts'
import { sweepReceipts } from '#local/outbox/receipts.ts'
import { endForgotten, readSession, sweep } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { keepReserve } from '#local/storage/reserve.ts'
import { sendTogether } from '#request/writes/batch.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { storeUnsentCount } from '#request/session/unsent-count.ts'
import {
  type BlockedResponse,
  type ResponseData,
  isGood,
  problemOf,
  requestTimeoutMs,
  retryAfterMs,
} from '#request/transport/transport.ts'
import { requestOf } from '#request/transport/multipart.ts'
import { askAboutUnknown } from '#request/writes/direct-call.ts'
import type { Ports } from '#request/ports.ts'
import { freeze } from '#request/writes/record-write.ts'
import { goesOn, settle, wait } from '#request/writes/apply-response.ts'
import { openSeals } from '#request/session/open-seals.ts'
import { finishSignOut } from '#request/session/sign-in.ts'
import { subjectOf } from '#request/session/subject.ts'
import { settleBlocked } from '#request/writes/settle-blocked.ts'
import { withdraw } from '#request/writes/void-write.ts'

const lanesAtOnce = 4
const leaseMs = requestTimeoutMs + 15_000

export const senderLock = (db: UserDatabase) => `drain:${db.name}`

/**
 * Sends until nothing may go now. `hurry`: there was a sign of life, or somebody waits, so what waits only because of
 * the line is tried at once. Safe to call at any time, any number of times. True when something still waits to be sent.
 */
export async function sendOutbox(ports: Ports, { hurry = false } = {}): Promise<boolean> {
  const device = await ports.device()
  await endForgotten(device, ports.clock())
  await sweep(device)
  const session = await readSession(device)
  if (!session) return false
  if (session.signedOut) return !(await finishSignOut(ports))
  const db = device.of(session)
  // What was sealed goes first.
  await openSeals(ports, { db, forUser: subjectOf(session), send: sendSignedIn })
  if (hurry) await clearNetworkDelay(db)
  await inPace(db, async (pace) => {
    // A step that got something through proves the line; one that did not leaves the next to find out with one write.
    while (await step(ports, db, pace)) await clearNetworkDelay(db)
    pace.size = 1
  })
  const isUnknown = await askAboutUnknown(ports, db)
  await storeUnsentCount(ports, session)
  await sweepReceipts(db, ports.clock())
  const isLeft = (await hasSendable(db)) || isUnknown
  if (!isLeft) await keepReserve(db)
  if (isLeft) ports.wakeLater()
  return isLeft
}

/** How much is sent at once: the first write alone shows whether there is a line, then more and more (protocol 25). */
interface Pace {
  size: number
  /** That was not found too large. */
  largest: number
  knowsBatches: boolean
}
const sizes = [1, 8, 50]
const batchBytes = 256_000

/** Of the drains that are under way here. */
const paces = new WeakMap<UserDatabase, { pace: Pace; drains: number }>()

/** Many who wait for a write each are many drains in turn: what one finds out of the line holds for all (O2). */
async function inPace(db: UserDatabase, act: (pace: Pace) => Promise<void>): Promise<void> {
  const shared = paces.get(db) ?? { pace: { size: 1, largest: sizes.at(-1) ?? 1, knowsBatches: true }, drains: 0 }
  paces.set(db, shared)
  shared.drains += 1
  try {
    await act(shared.pace)
  } finally {
    shared.drains -= 1
    if (shared.drains === 0) paces.delete(db)
  }
}

/** One step; false when nothing may follow now, so that a dead line is not asked again at once. */
async function step(ports: Ports, db: UserDatabase, pace: Pace): Promise<boolean> {
  // From a frozen tab it is taken as from a dead one: should it wake, the idempotency store and the fence decide.
  const held = await ports.locks.hold(senderLock(db), { waitMs: leaseMs, takeFromFrozen: true }, () =>
    sendNext(ports, db, pace, false),
  )
  if (held) return held.value
  // Kept past every lease. It may wake and send the same bytes; the idempotency store knows them.
  const taken = await ports.locks.hold(senderLock(db), { waitMs: 0, steal: true }, () =>
    sendNext(ports, db, pace, true),
  )
  return taken?.value ?? false
}

async function sendNext(ports: Ports, db: UserDatabase, pace: Pace, stolen: boolean): Promise<boolean> {
  const generation = await readGate(db)
  if (generation === null) return false
  if (await withdraw(ports, db, generation)) return true
  const chained = pace.knowsBatches && pace.size > 1
  const most = pace.knowsBatches ? pace.size : lanesAtOnce
  const claiming = { now: ports.clock(), leaseMs, most, generation, stolen, freeze }
  const claimed = await claim(db, { ...claiming, chained, ...(chained ? { maxBytes: batchBytes } : {}) })
  if (claimed.length < 2 || !chained) {
    const goOn = await Promise.all(claimed.map((entry) => send(ports, db, entry, generation)))
    if (goOn.some((one) => one)) grow(pace)
    return goOn.some((one) => one)
  }
  const end = await sendTogether(ports, db, claimed, generation)
  if (end === 'go on') grow(pace)
  if (end === 'halve') pace.largest = pace.size = Math.max(1, Math.floor(claimed.length / 2))
  if (end === 'singly') pace.knowsBatches = false
  return end !== 'stop'
}

function grow(pace: Pace): void {
  pace.size = Math.min(pace.largest, sizes.find((size) => size > pace.size) ?? pace.size)
}

/** True when others may follow at once. */
async function send(ports: Ports, db: UserDatabase, entry: OutboxEntry, generation: number): Promise<boolean> {
  const letter = await requestOf(db, entry)
  if (!letter) return await holdForUser(db, entry, 'refused', localProblem('STORAGE_FAILED'))
  let blocked: BlockedResponse | null = null
  const answer = await sendSignedIn(ports, { ...letter, onBlocked: (by) => void (blocked = by) })
  if (answer && isForeign(answer, entry)) blocked = { status: answer.status, retryAfterMs: retryAfterMs(answer) }
  if (blocked) return await settleBlocked(ports, db, { entry, blocked, generation })
  if (!answer) return await wait(ports, db, entry, 'network', null)
  return (await settle(ports, db, { entry, answer, generation })) || goesOn(answer, entry)
}

/** Numbered like a response of our server, but without the key and with no problem of ours in it. */
const isForeign = (answer: ResponseData, { key }: OutboxEntry) =>
  !isGood(answer) && answer.headers.get(headers.key) !== key && problemOf(answer).code === 'UNREADABLE_ANSWER'
