/**
 * The step that sends what waits: in order within a lane, one, then batches, or up to four lanes at once where batches
 * are not known; each entry with its own key and the very bytes of its first attempt. A step is claim, send, record,
 * under one lock (protocol 12); safety rests on the server's idempotency store and the fence, never on the lock.
 */
import { headers } from '#contract/headers.ts'
import type { Intent } from '#contract/endpoint.ts'
import { createLocalProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { clearNetworkDelay, parkEntry } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { findWriteStatus, hasSendable, waitUntilSettled, type WriteStatus } from '#local/outbox/status.ts'
import { deleteOldReceipts } from '#local/outbox/receipts.ts'
import { endLongExpiredSession, readSession, wipeFormerUsers } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { storeReserve } from '#local/storage/reserve.ts'
import { sendEntryBatch } from '#request/writes/batch.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { storeUnsentCount } from '#request/session/unsent-count.ts'
import {
  type BlockedResponse,
  type ResponseData,
  isSuccess,
  toProblem,
  networkWaitMs,
  requestTimeoutMs,
  parseRetryAfterMs,
} from '#request/transport/send-request.ts'
import { buildEntryRequest } from '#request/transport/entry-request.ts'
import { resolveUnknownCalls } from '#request/writes/direct-call.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { freeze } from '#request/writes/record-write.ts'
import { canSendOthers, applyResponse, delayEntry, type SendContext } from '#request/writes/apply-response.ts'
import { openSeals } from '#request/session/open-seals.ts'
import { finishSignOut } from '#request/session/sign-in.ts'
import { formatSubject } from '#request/session/subject.ts'
import { settleBlocked } from '#request/writes/settle-blocked.ts'
import { voidWrites } from '#request/writes/void-write.ts'

const maxParallelQueueKeys = 4
const leaseMs = requestTimeoutMs + 15_000

export const getSenderLockName = (db: UserDatabase) => `drain:${db.name}`

/**
 * Sends until nothing may go now. `immediate`: there was a sign of life, or somebody waits, so what waits only because of
 * the line is tried at once. Safe to call at any time, any number of times. True when something still waits to be sent.
 */
export async function sendOutbox(ports: PipelinePorts, { immediate = false } = {}): Promise<boolean> {
  const device = await ports.device()
  await endLongExpiredSession(device, ports.clock())
  await wipeFormerUsers(device)
  const session = await readSession(device)
  if (!session) return false
  if (session.signedOut) return !(await finishSignOut(ports))
  const db = device.getDatabase(session)
  // What was sealed goes first.
  await openSeals(ports, { db, forUser: formatSubject(session), send: sendSignedIn })
  if (immediate) await clearNetworkDelay(db)
  await withBatchSizing(db, async (batchSizing) => {
    // A step that got something through proves the line; one that did not leaves the next to find out with one write.
    while (await runStep(ports, db, batchSizing)) await clearNetworkDelay(db)
    batchSizing.size = 1
  })
  const hasUnknown = await resolveUnknownCalls(ports, db)
  await storeUnsentCount(ports, session)
  await deleteOldReceipts(db, ports.clock())
  const hasUnsent = (await hasSendable(db)) || hasUnknown
  if (!hasUnsent) await storeReserve(db)
  if (hasUnsent) ports.requestWakeup()
  return hasUnsent
}

/** Sends the outbox, and waits a moment for this entry to be settled. */
export async function sendEntryNow(ports: PipelinePorts, db: UserDatabase, intent: Intent): Promise<WriteStatus> {
  const outboxRun = sendOutbox(ports, { immediate: true })
  // Goes on when the page or the worker that waits is served.
  ports.keepAlive(outboxRun)
  const { settled, stop } = waitUntilSettled(db, intent)
  await Promise.race([settled, outboxRun, ports.wait(networkWaitMs)])
  stop()
  return await findWriteStatus(db, intent)
}

/** How much is sent at once: the first write alone shows whether there is a line, then more and more (protocol 25). */
interface BatchSizing {
  size: number
  /** That was not found too large. */
  maxSize: number
  canBatch: boolean
}
const batchSizes = [1, 8, 50]
const batchBytes = 256_000

/** Of the drains that are under way here. */
const sizingsByDatabase = new WeakMap<UserDatabase, { batchSizing: BatchSizing; drainCount: number }>()

/** Many who wait for a write each are many drains in turn: what one finds out of the line holds for all (O2). */
async function withBatchSizing(db: UserDatabase, action: (batchSizing: BatchSizing) => Promise<void>): Promise<void> {
  const sharedSizing = sizingsByDatabase.get(db) ?? {
    batchSizing: { size: 1, maxSize: batchSizes.at(-1) ?? 1, canBatch: true },
    drainCount: 0,
  }
  sizingsByDatabase.set(db, sharedSizing)
  sharedSizing.drainCount += 1
  try {
    await action(sharedSizing.batchSizing)
  } finally {
    sharedSizing.drainCount -= 1
    if (sharedSizing.drainCount === 0) sizingsByDatabase.delete(db)
  }
}

/** One step; false when nothing may follow now, so that a dead line is not asked again at once. */
async function runStep(ports: PipelinePorts, db: UserDatabase, batchSizing: BatchSizing): Promise<boolean> {
  // From a frozen tab it is taken as from a dead one: should it wake, the idempotency store and the fence decide.
  const lockResult = await ports.locks.hold(
    getSenderLockName(db),
    { waitMs: leaseMs, shouldTakeFromFrozen: true },
    () => sendNext(ports, db, batchSizing, false),
  )
  if (lockResult) return lockResult.value
  // Kept past every lease. It may wake and send the same bytes; the idempotency store knows them.
  const stolenResult = await ports.locks.hold(getSenderLockName(db), { waitMs: 0, shouldSteal: true }, () =>
    sendNext(ports, db, batchSizing, true),
  )
  return stolenResult?.value ?? false
}

async function sendNext(
  ports: PipelinePorts,
  db: UserDatabase,
  batchSizing: BatchSizing,
  isStolen: boolean,
): Promise<boolean> {
  const generation = await readSessionGeneration(db)
  if (generation === null) return false
  const context = { ports, db, generation }
  if (await voidWrites(context)) return true
  const isBatch = batchSizing.canBatch && batchSizing.size > 1
  const maxEntries = batchSizing.canBatch ? batchSizing.size : maxParallelQueueKeys
  const claimedEntries = await claimEntries(db, {
    now: ports.clock(),
    leaseMs,
    maxEntries,
    generation,
    isLockStolen: isStolen,
    freezeRequest: freeze,
    isChained: isBatch,
    ...(isBatch ? { maxBytes: batchBytes } : {}),
  })
  if (claimedEntries.length < 2 || !isBatch) {
    const canContinue = await Promise.all(claimedEntries.map((entry) => sendEntry(context, entry)))
    if (canContinue.some((isSent) => isSent)) increaseBatchSize(batchSizing)
    return canContinue.some((isSent) => isSent)
  }
  const end = await sendEntryBatch(context, claimedEntries)
  if (end === 'go on') increaseBatchSize(batchSizing)
  if (end === 'halve') batchSizing.maxSize = batchSizing.size = Math.max(1, Math.floor(claimedEntries.length / 2))
  if (end === 'singly') batchSizing.canBatch = false
  return end !== 'stop'
}

function increaseBatchSize(batchSizing: BatchSizing): void {
  batchSizing.size = Math.min(
    batchSizing.maxSize,
    batchSizes.find((size) => size > batchSizing.size) ?? batchSizing.size,
  )
}

/** True when others may follow at once. */
async function sendEntry(context: SendContext, entry: OutboxEntry): Promise<boolean> {
  const { ports, db } = context
  const request = await buildEntryRequest(db, entry)
  if (!request) return await parkEntry(db, entry, 'refused', createLocalProblem('STORAGE_FAILED'))
  let blockedResponse: BlockedResponse | null = null
  const response = await sendSignedIn(ports, {
    ...request,
    onBlocked: (blockedBy) => void (blockedResponse = blockedBy),
  })
  if (response && isForeign(response, entry))
    blockedResponse = { status: response.status, retryAfterMs: parseRetryAfterMs(response) }
  if (blockedResponse) return await settleBlocked(context, entry, blockedResponse)
  if (!response) return await delayEntry(context, entry, 'network', null)
  return (await applyResponse(context, { entry, response })) || canSendOthers(response, entry)
}

/** Numbered like a response of our server, but without the key and with no problem of ours in it. */
const isForeign = (response: ResponseData, { key }: OutboxEntry) =>
  !isSuccess(response) && response.headers.get(headers.key) !== key && toProblem(response).code === 'UNREADABLE_ANSWER'
