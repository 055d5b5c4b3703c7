/**
 * Changes waiting writes. Each change of an entry is one transaction: an entry is stored before it is sent, and is deleted only in the
 * transaction that stores the server's response, or by its user's decision.
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

/** Pauses all sending at the server's request (protocol 25). */
export async function pauseSending(db: UserDatabase, now: number, pauseMs: number): Promise<void> {
  await db.meta.put({ name: 'pause', since: now, until: now + Math.min(pauseMs, maxWaitMs) })
}

export interface AcceptedWrite {
  status: number
  body: string
  /** The row or the row version in the response; both are null if the response has neither. */
  row: { id: number; row_version: number } | null
  version: number | null
  now: number
  asOf: number
  generation: number
  /** Present if the response only started a long request (protocol 39). */
  startedJob?: StartedJob | null
  outcomeId?: string | null
  assetId?: string | null
}

/**
 * Ends an entry that the server has executed: row, id, receipt and deletion are one transaction (protocol 18). A late result is accepted
 * even with an old fence, because it is final (protocol 12). Returns false if the entry no longer exists or has another key.
 */
export async function acceptWrite(
  db: UserDatabase,
  entry: OutboxEntry,
  acceptedWrite: AcceptedWrite,
): Promise<boolean> {
  return (await acceptWrites(db, [{ entry, acceptedWrite }]))[0] ?? false
}

const acceptedTables = ['outbox', 'files', 'jobs', 'meta', ...listMetadataTables, ...receiptTables]

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
        // After a sign-out the write is still recorded, but its row is not stored.
        if (generation === acceptedWrite.generation) await storeEffect(db, entry, acceptedWrite)
      }
      await cleanUpFiles(db, entry, acceptedWrite.assetId ?? null)
    }
    await db.receipts.bulkPut(receipts)
    return areOurs
  })
}

async function storeEffect(db: UserDatabase, entry: OutboxEntry, { row, version, asOf }: AcceptedWrite): Promise<void> {
  if (entry.table === '') return
  if (row) return await putRow(db, entry.table, row, asOf)
  const id = entry.target === null ? null : await findRowId(db, entry.target)
  const storedRow = id === null ? undefined : await getRowTable(db, entry.table).get(id)
  if (!storedRow || id === null) return
  // The response has no body. The row is computed by the overlay if the response has the row version.
  const resultRow = version === null ? null : overlayRow(storedRow.row, entry, 0)
  if (resultRow && version !== null) await putRow(db, entry.table, { ...resultRow, id, row_version: version }, asOf)
  else await removeRow(db, entry.table, id, asOf)
}

/** Parks an entry until its user decides about a refusal, a question or a conflict. The result is final, so the fence is not checked. */
export async function parkEntry(
  db: UserDatabase,
  entry: OutboxEntry,
  state: 'refused' | 'asks' | 'conflict',
  problem: Problem,
): Promise<boolean> {
  // An entry whose user has dropped it meanwhile stays `dropping`. The request that voids it then returns the same result.
  const isCurrentEntry = (storedEntry: OutboxEntry) => storedEntry.key === entry.key && storedEntry.state !== 'dropping'
  return await updateEntry(db, entry, isCurrentEntry, { state, problem, leaseUntil: 0 })
}

export type EntryDelay = Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'problem' | 'blockedTries'> & {
  /** `refused`: after too many attempts, so that the user must decide. */
  state: 'waiting' | 'sign in' | 'refused'
}

/**
 * Returns an entry without a final result to the queue, with the same bytes and key. Returns false if the entry no longer belongs to this
 * sender.
 */
export const returnToQueue = async (db: UserDatabase, entry: OutboxEntry, delay: EntryDelay): Promise<boolean> =>
  (await returnAllToQueue(db, [entry], () => delay)) > 0

/** Returns several entries to the queue in one transaction. The result is the number of entries that still belonged to this sender. */
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

export async function findDroppingEntries(db: UserDatabase, now: number): Promise<OutboxEntry[]> {
  const droppingEntries = db.outbox.where('state').equals('dropping')
  return await droppingEntries.filter(({ notBefore }) => isDue(notBefore, now)).sortBy('seq')
}

export async function delayDropping(
  db: UserDatabase,
  entry: OutboxEntry,
  delay: Pick<OutboxEntry, 'notBefore' | 'delayedBy' | 'blockedTries'>,
): Promise<void> {
  const isDropping = (storedEntry: OutboxEntry) => storedEntry.state === 'dropping'
  await updateEntry(db, entry, isDropping, { ...delay, attempts: entry.attempts + 1 })
}

/** Deletes a refused entry after its form has received the refusal. The form keeps the input from then on (protocol 20). */
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
    // Writes that depend on a creation keep their reference, because the form sends the creation again under the same intent.
    if (entry.action !== 'create') await rebaseFollowers(db, entry, newId)
    const { status = 0, code = null } = entry.problem ?? {}
    await db.receipts.put(await createReceipt(db, entry, { outcome: 'refused', status, code, time: now }))
  })
}

/** Makes entries due that wait only because of the connection. Called when the server has responded. */
export async function clearNetworkDelay(db: UserDatabase): Promise<void> {
  await transactToSend(db, ['outbox'], async () => {
    await db.outbox.where('delayedBy').equals('network').modify({ notBefore: 0, delayedBy: null })
  })
}
