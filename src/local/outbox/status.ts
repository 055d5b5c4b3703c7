/** What waits in the outbox, what can be sent now, and what became of an entry. */
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

/** Whether anything may still go by itself; what waits for a decision does not. */
export async function hasSendable(db: UserDatabase): Promise<boolean> {
  if ((await db.outbox.where('state').anyOf(sendableStates).limit(1).count()) > 0) return true
  // Sealed ones come back to their user, and then go too.
  return (await readSealedWrites(db)).some(({ entries }) => entries > 0)
}

/**
 * What could be sent now if somebody tried. line: it waits only for one. turn: its time has come, or whoever was sending
 * it may be gone. Null: nothing, or the server asked for a pause.
 */
export async function findSendable(db: UserDatabase, now: number): Promise<'line' | 'turn' | null> {
  return await db.transaction('r', ['outbox', 'directCalls', 'meta'], async () => {
    if ((await readSessionGeneration(db)) === null || (await isPaused(db, now))) return null
    // Whoever came back may have been cut off before they were opened: their turn is the next drain's.
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

/** Resolves once nothing of the write waits or is on its way any more; `stop` gives up waiting. */
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

/** What became of a write, as far as this device knows; of one that went on in another, what became of that. */
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

/** Why a stored write has not gone although there is a connection. */
export interface HoldReason {
  /** What the server said, such as RESOURCE_LOCKED; null: the earlier write waits for its user's decision. */
  problem: Problem | null
  /** It is an earlier write of the same row that is held, and this one goes after it. */
  isBehind: boolean
}

/** Null: nothing holds it but its turn, the connection or a sign-in. */
export async function readHoldReason(db: UserDatabase, entry: OutboxEntry | null): Promise<HoldReason | null> {
  if (entry?.state !== 'waiting') return null
  const awaitedEntries = await db.outbox.where('intent').anyOf(entry.dependsOn).toArray()
  const firstEntry = awaitedEntries.find(isParked) ?? (await queryQueue(db, entry.queueKey).first()) ?? entry
  const isBehind = firstEntry.intent !== entry.intent
  if (isParked(firstEntry)) return { problem: null, isBehind }
  return firstEntry.state === 'waiting' && firstEntry.problem ? { problem: firstEntry.problem, isBehind } : null
}
