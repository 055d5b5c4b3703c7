/**
 * Sends the outbox. Entries with the same queue key are sent in order. The first entry is sent alone, then batches follow. If the server
 * does not support batches, up to four entries of different queue keys are sent in parallel.
 * Each entry has its own key and the exact bytes of its first attempt. Each step claims entries, sends them and records the results, under
 * one lock (protocol 12). Correctness depends on the server's idempotency store and the fence, never on the lock.
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
import { buildEntryRequest, buildWaitedHeader } from '#request/transport/entry-request.ts'
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
 * Sends until no entry is due. With `immediate` (the server has responded, or a caller waits), entries that wait only for the connection
 * are sent too. May be called at any time. Returns true if entries are still waiting.
 */
export async function sendOutbox(ports: PipelinePorts, { immediate = false } = {}): Promise<boolean> {
  const device = await ports.device()
  await endLongExpiredSession(device, ports.clock())
  await wipeFormerUsers(device)
  const session = await readSession(device)
  if (!session) return false
  if (session.signedOut) return !(await finishSignOut(ports))
  const db = device.getDatabase(session)
  // Sealed writes are older, so they are restored first.
  await openSeals(ports, { db, forUser: formatSubject(session), send: sendSignedIn })
  if (immediate) await clearNetworkDelay(db)
  await withBatchSizing(db, async (batchSizing) => {
    // A successful step proves the connection, so entries that were delayed by it are due. After a failed step, the next one tests the
    // connection with a single write.
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

/** Sends the outbox, and waits a moment until this entry is settled. */
export async function sendEntryNow(ports: PipelinePorts, db: UserDatabase, intent: Intent): Promise<WriteStatus> {
  const outboxRun = sendOutbox(ports, { immediate: true })
  // Continues after the waiting page or worker has its response.
  ports.keepAlive(outboxRun)
  const { settled, stop } = waitUntilSettled(db, intent)
  await Promise.race([settled, outboxRun, ports.wait(networkWaitMs)])
  stop()
  return await findWriteStatus(db, intent)
}

/** Number of entries sent at once. The first entry is sent alone to test the connection, then the number grows (protocol 25). */
interface BatchSizing {
  size: number
  /** Largest size that was not refused as too large. */
  maxSize: number
  canBatch: boolean
}
const batchSizes = [1, 8, 50]
const batchBytes = 256_000

/** The sizing that the active runs of this page or worker share, by database. */
const sizingsByDatabase = new WeakMap<UserDatabase, { batchSizing: BatchSizing; drainCount: number }>()

/** Many callers that each wait for a write start many runs. The runs share one sizing, so that each uses the results of the others (O2). */
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

/** Runs one step. Returns false if no further step may follow now, so that a lost connection is not retried immediately. */
async function runStep(ports: PipelinePorts, db: UserDatabase, batchSizing: BatchSizing): Promise<boolean> {
  // The lock of a frozen tab is taken like that of a closed one. If the tab wakes up, store and fence prevent a second effect.
  const lockResult = await ports.locks.hold(
    getSenderLockName(db),
    { waitMs: leaseMs, shouldTakeFromFrozen: true },
    () => sendNext(ports, db, batchSizing, false),
  )
  if (lockResult) return lockResult.value
  // The lock was held longer than any lease, so it is stolen. If its holder wakes up and sends the same bytes, the idempotency store
  // recognises them.
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

/** Returns true if other entries may be sent next without a wait. */
async function sendEntry(context: SendContext, entry: OutboxEntry): Promise<boolean> {
  const { ports, db } = context
  const request = await buildEntryRequest(db, entry)
  if (!request) return await parkEntry(db, entry, 'refused', createLocalProblem('STORAGE_FAILED'))
  let blockedResponse: BlockedResponse | null = null
  const response = await sendSignedIn(ports, {
    ...request,
    headers: { ...request.headers, ...buildWaitedHeader(entry, ports.clock()) },
    onBlocked: (blockedBy) => void (blockedResponse = blockedBy),
  })
  if (response && isForeign(response, entry))
    blockedResponse = { status: response.status, retryAfterMs: parseRetryAfterMs(response) }
  if (blockedResponse) return await settleBlocked(context, entry, blockedResponse)
  if (!response) return await delayEntry(context, entry, 'network', null)
  return (await applyResponse(context, { entry, response })) || canSendOthers(response, entry)
}

/** Returns true for an error with a request id, like one of the portal, but without the echoed key and a readable problem. */
const isForeign = (response: ResponseData, { key }: OutboxEntry) =>
  !isSuccess(response) && response.headers.get(headers.key) !== key && toProblem(response).code === 'UNREADABLE_ANSWER'
