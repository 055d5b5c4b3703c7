/**
 * Waiting writes. Every move of an entry is one transaction of this file: it is stored before it is sent, and leaves
 * only together with storing the server's answer or by its user's will.
 */
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { listMetadataTables, getRowTable, type UserDatabase } from '#local/storage/database.ts'
import { cleanUpFiles } from '#local/outbox/files.ts'
import { rebaseFollowers } from '#local/outbox/dependents.ts'
import { findRowId } from '#local/storage/row-ids.ts'
import { type StartedJob, createRunningJob } from '#local/jobs/job-state.ts'
import { isDue, maxWaitMs } from '#local/outbox/claim.ts'
import { overlayRow } from '#local/lists/overlay.ts'
import { createReceipt, receiptTables } from '#local/outbox/receipts.ts'
import { removeRow, putRow } from '#local/lists/row-store.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { OutboxEntry, Receipt } from '#local/storage/records.ts'
import { transactToSend } from '#local/storage/reserve.ts'

/** The server asked the whole sender to wait (protocol 25). */
export async function pauseSending(db: UserDatabase, now: number, pauseMs: number): Promise<void> {
  await db.meta.put({ name: 'pause', since: now, until: now + Math.min(pauseMs, maxWaitMs) })
}

export interface AcceptedWrite {
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
  startedJob?: StartedJob | null
  /** Number of the server's own record of it. */
  outcomeId?: string | null
  /** What the server calls a file that was sent. */
  assetId?: string | null
}

/**
 * The server did it: row, name, receipt and the entry's end are one transaction (protocol 18). Counts whatever the
 * fence, because it is final (protocol 12). False when somebody else had recorded it before.
 */
export async function acceptWrite(
  db: UserDatabase,
  entry: OutboxEntry,
  acceptedWrite: AcceptedWrite,
): Promise<boolean> {
  return (await acceptWrites(db, [{ entry, acceptedWrite }]))[0] ?? false
}

const acceptedTables = ['outbox', 'files', 'jobs', 'meta', ...listMetadataTables, ...receiptTables]

/** Several answers that came together, in their order, in one transaction. */
export async function acceptWrites(
  db: UserDatabase,
  results: readonly { entry: OutboxEntry; acceptedWrite: AcceptedWrite }[],
): Promise<boolean[]> {
  return await transactToSend(db, acceptedTables, async () => {
    const storedEntries = await db.outbox.bulkGet(results.map(({ entry }) => entry.intent))
    const areOurs = results.map(({ entry }, index) => storedEntries[index]?.key === entry.key)
    const ownResults = results.filter((_, index) => areOurs[index])
    await db.outbox.bulkDelete(ownResults.map(({ entry }) => entry.intent))
    const generation = await readSessionGeneration(db)
    const receipts: Receipt[] = []
    for (const { entry, acceptedWrite } of ownResults) {
      const { row, status, body, startedJob, outcomeId } = acceptedWrite
      if (startedJob) await db.jobs.put(createRunningJob(entry, startedJob, acceptedWrite.now))
      else {
        if (entry.action === 'create' && row)
          await db.rowIds.put({ intent: entry.intent, kind: entry.kind, id: row.id })
        receipts.push(
          await createReceipt(
            db,
            entry,
            { outcome: 'done', status, body, time: acceptedWrite.now, outcomeId: outcomeId ?? null },
            row,
          ),
        )
        // After a sign-out the write still counts, but nothing of the row stays here.
        if (generation === acceptedWrite.generation) await storeEffect(db, entry, acceptedWrite)
      }
      await cleanUpFiles(db, entry, acceptedWrite.assetId ?? null)
    }
    await db.receipts.bulkPut(receipts)
    return areOurs
  })
}

async function storeEffect(db: UserDatabase, entry: OutboxEntry, { row, version, asOf }: AcceptedWrite): Promise<void> {
  // An upload makes no row that any list shows.
  if (entry.table === '') return
  if (row) return await putRow(db, entry.table, row, asOf)
  const id = entry.target === null ? null : await findRowId(db, entry.target)
  const storedRow = id === null ? undefined : await getRowTable(db, entry.table).get(id)
  if (!storedRow || id === null) return
  // An answer without a body: the row is what the write makes of it, if the answer told its version.
  const resultRow = version === null ? null : overlayRow(storedRow.row, entry, 0)
  if (resultRow && version !== null) await putRow(db, entry.table, { ...resultRow, id, row_version: version }, asOf)
  else await removeRow(db, entry.table, id, asOf)
}

/** The server said no, or asks: kept with its problem for the user to decide. Final, so whatever the fence. */
export async function parkEntry(
  db: UserDatabase,
  entry: OutboxEntry,
  state: 'refused' | 'asks' | 'conflict',
  problem: Problem,
): Promise<boolean> {
  // Marked to be dropped meanwhile, it stays marked: the server is asked what became of it, and says the same.
  const isCurrentEntry = (storedEntry: OutboxEntry) => storedEntry.key === entry.key && storedEntry.state !== 'dropping'
  return await updateEntry(db, entry, isCurrentEntry, { state, problem, leaseUntil: 0 })
}

export type EntryDelay = Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'problem' | 'blockedTries'> & {
  /** `refused`: on its way, so often that its user is to decide. */
  state: 'waiting' | 'sign in' | 'refused'
}

/** Nothing final came back: under our own fence it goes back to wait, with the same bytes and key. */
export const returnToQueue = async (db: UserDatabase, entry: OutboxEntry, delay: EntryDelay): Promise<boolean> =>
  (await returnAllToQueue(db, [entry], () => delay)) > 0

/** Several that went together, in one transaction: whoever tries again waits for it. How many were ours to give back. */
export async function returnAllToQueue(
  db: UserDatabase,
  entries: readonly OutboxEntry[],
  getDelay: (entry: OutboxEntry) => EntryDelay,
): Promise<number> {
  return await transactToSend(db, ['outbox'], async () => {
    const storedEntries = await db.outbox.bulkGet(entries.map(({ intent }) => intent))
    const ownEntries = entries.flatMap((entry, index) => {
      const storedEntry = storedEntries[index]
      const isOurs =
        storedEntry?.key === entry.key && storedEntry.state === 'sending' && storedEntry.fence === entry.fence
      return isOurs ? [{ ...storedEntry, ...getDelay(entry), leaseUntil: 0 }] : []
    })
    await db.outbox.bulkPut(ownEntries)
    return ownEntries.length
  })
}

async function updateEntry(
  db: UserDatabase,
  entry: OutboxEntry,
  shouldUpdate: (now: OutboxEntry) => boolean,
  changes: Partial<OutboxEntry>,
): Promise<boolean> {
  return await transactToSend(db, ['outbox'], async () => {
    const storedEntry = await db.outbox.get(entry.intent)
    if (!storedEntry || !shouldUpdate(storedEntry)) return false
    await db.outbox.put({ ...storedEntry, ...changes })
    return true
  })
}

/** Writes to be taken back whose turn it is, in the order they were made. */
export async function findDroppingEntries(db: UserDatabase, now: number): Promise<OutboxEntry[]> {
  const droppingEntries = db.outbox.where('state').equals('dropping')
  return await droppingEntries.filter(({ notBefore }) => isDue(notBefore, now)).sortBy('seq')
}

/** The server could not be asked: again later, and a little later each time. */
export async function delayDropping(
  db: UserDatabase,
  entry: OutboxEntry,
  delay: Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'blockedTries'>,
): Promise<void> {
  const isDropping = (storedEntry: OutboxEntry) => storedEntry.state === 'dropping'
  await updateEntry(db, entry, isDropping, { ...delay, attempts: entry.attempts + 1 })
}

/** The refusal reached its form, which keeps the wish from here on (protocol 20). */
export async function removeRefusedEntry(
  db: UserDatabase,
  intent: Intent,
  now: number,
  newId: () => string,
): Promise<void> {
  await transactToSend(db, ['outbox', 'files', ...receiptTables], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'refused') return
    await db.outbox.delete(intent)
    await cleanUpFiles(db, entry, null)
    // What follows a creation goes on naming it: its form sends it again under the same intent.
    if (entry.action !== 'create') await rebaseFollowers(db, entry, newId)
    const { status = 0, code = null } = entry.problem ?? {}
    await db.receipts.put(await createReceipt(db, entry, { outcome: 'refused', status, code, time: now }))
  })
}

/** A sign of life from the server: what waited only because of the line need not wait on. */
export async function clearNetworkDelay(db: UserDatabase): Promise<void> {
  await transactToSend(db, ['outbox'], async () => {
    await db.outbox.where('delayedBy').equals('network').modify({ notBefore: 0, delayedBy: null })
  })
}
