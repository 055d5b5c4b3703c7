/**
 * Waiting writes. Every move of an entry is one transaction of this file: it is stored before it is sent, and leaves
 * only together with storing the server's answer or by its user's will.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { besideRows, rowsOf, type UserDatabase } from '#local/storage/database.ts'
import { tidyFiles } from '#local/outbox/files.ts'
import { rebaseFollowers } from '#local/outbox/dependents.ts'
import { idOf } from '#local/storage/row-ids.ts'
import { type StartedJob, jobFrom } from '#local/jobs/job-state.ts'
import { isPast, longestWaitMs } from '#local/outbox/claim.ts'
import { overlaid } from '#local/lists/overlay.ts'
import { receiptFor, receiptTables } from '#local/outbox/receipts.ts'
import { removeRow, putRow } from '#local/lists/row-store.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { OutboxEntry, Receipt } from '#local/storage/records.ts'
import { transactToSend } from '#local/storage/reserve.ts'

/** The server asked the whole sender to wait (protocol 25). */
export async function pauseSending(db: UserDatabase, now: number, forMs: number): Promise<void> {
  await db.meta.put({ name: 'pause', since: now, until: now + Math.min(forMs, longestWaitMs) })
}

export interface Accepted {
  status: number
  /** Exactly as the server sent it. */
  body: string
  /** The row the answer holds or the version it tells, null where neither is in it. */
  row: { id: number; row_version: number } | null
  version: number | null
  now: number
  asOf: number
  generation: number
  /** It was no effect yet but the beginning of a long request (protocol 39). */
  begun?: StartedJob | null
  /** Number of the server's own record of it. */
  outcomeId?: string | null
  /** What the server calls a file that was sent. */
  assetId?: string | null
}

/**
 * The server did it: row, name, receipt and the entry's end are one transaction (protocol 18). Counts whatever the
 * fence, because it is final (protocol 12). False when somebody else had recorded it before.
 */
export async function accept(db: UserDatabase, entry: OutboxEntry, accepted: Accepted): Promise<boolean> {
  return (await acceptAll(db, [{ entry, accepted }]))[0] ?? false
}

const acceptedTables = ['outbox', 'files', 'jobs', 'meta', ...besideRows, ...receiptTables]

/** Several answers that came together, in their order, in one transaction. */
export async function acceptAll(
  db: UserDatabase,
  heard: readonly { entry: OutboxEntry; accepted: Accepted }[],
): Promise<boolean[]> {
  return await transactToSend(db, acceptedTables, async () => {
    const there = await db.outbox.bulkGet(heard.map(({ entry }) => entry.intent))
    const isOurs = heard.map(({ entry }, at) => there[at]?.key === entry.key)
    const ours = heard.filter((_, at) => isOurs[at])
    await db.outbox.bulkDelete(ours.map(({ entry }) => entry.intent))
    const gate = await readGate(db)
    const receipts: Receipt[] = []
    for (const { entry, accepted } of ours) {
      const { row, status, body, begun, outcomeId } = accepted
      if (begun) await db.jobs.put(jobFrom(entry, begun, accepted.now))
      else {
        if (entry.action === 'create' && row)
          await db.rowIds.put({ intent: entry.intent, kind: entry.kind, id: row.id })
        receipts.push(
          await receiptFor(
            db,
            entry,
            { outcome: 'done', status, body, time: accepted.now, outcomeId: outcomeId ?? null },
            row,
          ),
        )
        // After a sign-out the write still counts, but nothing of the row stays here.
        if (gate === accepted.generation) await storeEffect(db, entry, accepted)
      }
      await tidyFiles(db, entry, accepted.assetId ?? null)
    }
    await db.receipts.bulkPut(receipts)
    return isOurs
  })
}

async function storeEffect(db: UserDatabase, entry: OutboxEntry, { row, version, asOf }: Accepted): Promise<void> {
  // An upload makes no row that any list shows.
  if (entry.table === '') return
  if (row) return await putRow(db, entry.table, row, asOf)
  const id = entry.target === null ? null : await idOf(db, entry.target)
  const stored = id === null ? undefined : await rowsOf(db, entry.table).get(id)
  if (!stored || id === null) return
  // An answer without a body: the row is what the write makes of it, if the answer told its version.
  const left = version === null ? null : overlaid(stored.row, entry, 0)
  if (left && version !== null) await putRow(db, entry.table, { ...left, id, row_version: version }, asOf)
  else await removeRow(db, entry.table, id, asOf)
}

/** The server said no, or asks: kept with its problem for the user to decide. Final, so whatever the fence. */
export async function holdForUser(
  db: UserDatabase,
  entry: OutboxEntry,
  state: 'refused' | 'asks' | 'conflict',
  problem: Problem,
): Promise<boolean> {
  // Marked to be dropped meanwhile, it stays marked: the server is asked what became of it, and says the same.
  const isMeant = (now: OutboxEntry) => now.key === entry.key && now.state !== 'dropping'
  return await move(db, entry, isMeant, { state, problem, leaseUntil: 0 })
}

export type Waits = Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'problem' | 'blockedTries'> & {
  /** `refused`: on its way, so often that its user is to decide. */
  state: 'waiting' | 'sign in' | 'refused'
}

/** Nothing final came back: under our own fence it goes back to wait, with the same bytes and key. */
export const returnToQueue = async (db: UserDatabase, entry: OutboxEntry, why: Waits): Promise<boolean> =>
  (await giveBackAll(db, [entry], () => why)) > 0

/** Several that went together, in one transaction: whoever tries again waits for it. How many were ours to give back. */
export async function giveBackAll(
  db: UserDatabase,
  entries: readonly OutboxEntry[],
  why: (entry: OutboxEntry) => Waits,
): Promise<number> {
  return await transactToSend(db, ['outbox'], async () => {
    const there = await db.outbox.bulkGet(entries.map(({ intent }) => intent))
    const ours = entries.flatMap((entry, at) => {
      const now = there[at]
      const isOurs = now?.key === entry.key && now.state === 'sending' && now.fence === entry.fence
      return isOurs ? [{ ...now, ...why(entry), leaseUntil: 0 }] : []
    })
    await db.outbox.bulkPut(ours)
    return ours.length
  })
}

async function move(
  db: UserDatabase,
  entry: OutboxEntry,
  when: (now: OutboxEntry) => boolean,
  changes: Partial<OutboxEntry>,
): Promise<boolean> {
  return await transactToSend(db, ['outbox'], async () => {
    const now = await db.outbox.get(entry.intent)
    if (!now || !when(now)) return false
    await db.outbox.put({ ...now, ...changes })
    return true
  })
}

/** Writes to be taken back whose turn it is, in the order they were made. */
export async function findDropping(db: UserDatabase, now: number): Promise<OutboxEntry[]> {
  const dropping = db.outbox.where('state').equals('dropping')
  return await dropping.filter(({ notBefore }) => isPast(notBefore, now)).sortBy('seq')
}

/** The server could not be asked: again later, and a little later each time. */
export async function holdDropping(
  db: UserDatabase,
  entry: OutboxEntry,
  wait: Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'blockedTries'>,
): Promise<void> {
  const isStill = (now: OutboxEntry) => now.state === 'dropping'
  await move(db, entry, isStill, { ...wait, attempts: entry.attempts + 1 })
}

/** The refusal reached its form, which keeps the wish from here on (protocol 20). */
export async function forgetRefused(db: UserDatabase, intent: Intent, now: number, newId: () => string): Promise<void> {
  await transactToSend(db, ['outbox', 'files', ...receiptTables], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'refused') return
    await db.outbox.delete(intent)
    await tidyFiles(db, entry, null)
    // What follows a creation goes on naming it: its form sends it again under the same intent.
    if (entry.action !== 'create') await rebaseFollowers(db, entry, newId)
    const { status = 0, code = null } = entry.problem ?? {}
    await db.receipts.put(await receiptFor(db, entry, { outcome: 'refused', status, code, time: now }))
  })
}

/** A sign of life from the server: what waited only because of the line need not wait on. */
export async function clearNetworkDelay(db: UserDatabase): Promise<void> {
  await transactToSend(db, ['outbox'], async () => {
    await db.outbox.where('delayedBy').equals('network').modify({ notBefore: 0, delayedBy: null })
  })
}
