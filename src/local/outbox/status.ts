/** What waits in the outbox, what can be sent now, and what became of an entry. */
import { liveQuery } from 'dexie'
import { endpointNamed, type Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { isPast, isPaused } from '#local/outbox/claim.ts'
import { inQueue } from '#local/outbox/enqueue-context.ts'
import { isSealedUp, sealsIn } from '#local/seals/sealed-records.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { OutboxEntry, WaitingState } from '#local/storage/records.ts'

const goesByItself: readonly WaitingState[] = ['waiting', 'sending', 'dropping']

/** Whether anything may still go by itself; what waits for a decision does not. */
export async function hasSendable(db: UserDatabase): Promise<boolean> {
  if ((await db.outbox.where('state').anyOf(goesByItself).limit(1).count()) > 0) return true
  // Sealed ones come back to their user, and then go too.
  return (await sealsIn(db)).some(({ entries }) => entries > 0)
}

/**
 * What could be sent now if somebody tried. line: it waits only for one. turn: its time has come, or whoever was sending
 * it may be gone. Null: nothing, or the server asked for a pause.
 */
export async function findSendable(db: UserDatabase, now: number): Promise<'line' | 'turn' | null> {
  return await db.transaction('r', ['outbox', 'directCalls', 'meta'], async () => {
    if ((await readGate(db)) === null || (await isPaused(db, now))) return null
    // Whoever came back may have been cut off before they were opened: their turn is the next drain's.
    if (await isSealedUp(db)) return 'turn'
    if ((await db.directCalls.filter(({ state }) => state === 'unknown').count()) > 0) return 'line'
    if ((await db.outbox.where('delayedBy').equals('network').limit(1).count()) > 0) return 'line'
    const first = await db.outbox
      .where('state')
      .anyOf(goesByItself)
      .filter(({ notBefore, endpoint }) => isPast(notBefore, now) && endpointNamed(endpoint) !== undefined)
      .first()
    return first ? 'turn' : null
  })
}

/** Resolves once nothing of the write waits or is on its way any more; `stop` gives up waiting. */
export function whenSettled(db: UserDatabase, intent: Intent): { settled: Promise<void>; stop: () => void } {
  let stop = () => {}
  const settled = new Promise<void>((resolve) => {
    const subscription = liveQuery(() => db.outbox.get(intent)).subscribe((entry) => {
      if (!entry || isParked(entry)) resolve()
    })
    stop = () => subscription.unsubscribe()
  })
  return { settled, stop }
}

export interface Outcome {
  entry: OutboxEntry | null
  receipt: { status: number; body: string } | null
}

/** What became of a write, as far as this device knows; of one that went on in another, what became of that. */
export async function lookUp(db: UserDatabase, intent: Intent): Promise<Outcome> {
  return await db.transaction('r', ['outbox', 'receipts'], async () => {
    let entry = await db.outbox.get(intent)
    let receipt = await db.receipts.get(intent)
    while (!entry && receipt?.into !== undefined) {
      const { into } = receipt
      entry = await db.outbox.get(into)
      receipt = await db.receipts.get(into)
    }
    return { entry: entry ?? null, receipt: receipt?.outcome === 'done' ? receipt : null }
  })
}

/** Why a stored write has not gone although there is a connection. */
export interface Held {
  /** What the server said, such as RESOURCE_LOCKED; null: the earlier write waits for its user's decision. */
  problem: Problem | null
  /** It is an earlier write of the same row that is held, and this one goes after it. */
  isBehind: boolean
}

/** Null: nothing holds it but its turn, the connection or a sign-in. */
export async function readHeld(db: UserDatabase, entry: OutboxEntry | null): Promise<Held | null> {
  if (entry?.state !== 'waiting') return null
  const awaited = await db.outbox.where('intent').anyOf(entry.dependsOn).toArray()
  const first = awaited.find(isParked) ?? (await inQueue(db, entry.queueKey).first()) ?? entry
  const isBehind = first.intent !== entry.intent
  if (isParked(first)) return { problem: null, isBehind }
  return first.state === 'waiting' && first.problem ? { problem: first.problem, isBehind } : null
}
