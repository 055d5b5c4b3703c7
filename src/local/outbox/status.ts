import { liveQuery } from 'dexie'
import { findEndpoint, type Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { isDue, isPaused } from '#local/outbox/claim.ts'
import { queryQueue } from '#local/outbox/enqueue-context.ts'
import { hasSealedWrites, readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { OutboxEntry, WaitingState } from '#local/storage/records.ts'

const sendableStates: readonly WaitingState[] = ['waiting', 'sending', 'dropping']

export async function hasSendable(db: UserDatabase): Promise<boolean> {
  if ((await db.outbox.where('state').anyOf(sendableStates).limit(1).count()) > 0) return true
  // Sealed writes become entries after a login, and are sent then.
  return (await readSealedWrites(db)).some(({ entries }) => entries > 0)
}

/**
 * Returns whether an attempt could send something now. `line`: an entry or the check of a direct call waits only for the connection.
 * `turn`: an entry is due, or its sender may have died. Null: nothing to send, or the server requested a pause.
 */
export async function findSendable(db: UserDatabase, now: number): Promise<'line' | 'turn' | null> {
  return await db.transaction('r', ['outbox', 'directCalls', 'meta'], async () => {
    if ((await readSessionGeneration(db)) === null || (await isPaused(db, now))) return null
    // The page may have closed after a login, before the sealed writes were opened. The next run of the sender opens them.
    if (await hasSealedWrites(db)) return 'turn'
    if ((await db.directCalls.filter(({ state }) => state === 'unknown').count()) > 0) return 'line'
    if ((await db.outbox.where('delayedBy').equals('network').limit(1).count()) > 0) return 'line'
    const firstEntry = await db.outbox
      .where('state')
      .anyOf(sendableStates)
      .filter(({ notBefore, endpoint }) => isDue(notBefore, now) && findEndpoint(endpoint) !== undefined)
      .first()
    return firstEntry ? 'turn' : null
  })
}

/** Resolves when the entry is deleted or parked for its user. `stop` ends the wait, and the promise then never resolves. */
export function waitUntilSettled(db: UserDatabase, intent: Intent): { settled: Promise<void>; stop: () => void } {
  let stop = () => {}
  const settled = new Promise<void>((resolve) => {
    const subscription = liveQuery(() => db.outbox.get(intent)).subscribe((entry) => {
      if (!entry || isParked(entry)) resolve()
    })
    stop = () => subscription.unsubscribe()
  })
  return { settled, stop }
}

export interface WriteStatus {
  entry: OutboxEntry | null
  receipt: { status: number; body: string } | null
}

/** Returns the outcome of a write as far as the device knows it. For a merged write it is the outcome of the other write. */
export async function findWriteStatus(db: UserDatabase, intent: Intent): Promise<WriteStatus> {
  return await db.transaction('r', ['outbox', 'receipts'], async () => {
    let entry = await db.outbox.get(intent)
    let receipt = await db.receipts.get(intent)
    while (!entry && receipt?.into !== undefined) {
      const { into: mergedIntoIntent } = receipt
      entry = await db.outbox.get(mergedIntoIntent)
      receipt = await db.receipts.get(mergedIntoIntent)
    }
    return { entry: entry ?? null, receipt: receipt?.outcome === 'done' ? receipt : null }
  })
}

export interface HoldReason {
  /** Problem from the server, such as RESOURCE_LOCKED. Null if the blocking write waits for its user's decision. */
  problem: Problem | null
  /** True if another write blocks the entry: an earlier one of the same row, or one that the entry depends on. */
  isBehind: boolean
}

/** Returns null if the entry waits only for its turn, the connection or a sign-in. */
export async function readHoldReason(db: UserDatabase, entry: OutboxEntry | null): Promise<HoldReason | null> {
  if (entry?.state !== 'waiting') return null
  const awaitedEntries = await db.outbox.where('intent').anyOf(entry.dependsOn).toArray()
  const firstEntry = awaitedEntries.find(isParked) ?? (await queryQueue(db, entry.queueKey).first()) ?? entry
  const isBehind = firstEntry.intent !== entry.intent
  if (isParked(firstEntry)) return { problem: null, isBehind }
  return firstEntry.state === 'waiting' && firstEntry.problem ? { problem: firstEntry.problem, isBehind } : null
}
