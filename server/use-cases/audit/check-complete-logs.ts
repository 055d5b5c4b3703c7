/** Checks all entries and checkpoints in pieces: after the start, once a day, and after an alarm about a manipulated log. */
import { setTimeout as wait } from 'node:timers/promises'
import type { AppContext } from '#server/context/context.ts'
import { listLogsToCheck } from '#server/db/audit/audit-checks.ts'
import { readLatestCheckpoint, listPendingEntries } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { checkEntries, checkTree, findLostLogCompanies } from '#server/use-cases/audit/check-log.ts'
import { requireSealedEntries } from '#server/use-cases/audit/check-waiting-entries.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { clearLogAlarm, mailLogAlarms, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes, writeStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

const entriesPerPiece = 250
const systemScope = { role: 'portal_system' } as const

/**
 * Raises an alarm for each log that differs from what was signed. Writes the checkpoints of the other logs to the store if they are newer.
 */
export async function checkCompleteLogs(app: AppContext, isStopping: () => boolean = () => false): Promise<void> {
  const storedNotes = await readStoredNotes(app)
  const logs = await runInTransaction(app, systemScope, (db) => listLogsToCheck(db, null), 'reading')
  for (const companyId of findLostLogCompanies(logs, storedNotes ?? new Map(), null))
    raiseLogAlarm(app, companyId, new ChangedLogError('LOG_SHRANK', 'the log no longer exists', { from: 0, to: 1 }))
  const checkedNotes = new Map<number, string>()
  for (const { companyId } of logs) {
    if (isStopping()) break
    const note = await checkCompleteLog(app, companyId, storedNotes?.get(companyId), { restFactor: 2 })
    if (note !== null) checkedNotes.set(companyId, note)
  }
  if (storedNotes) await writeStoredNotes(app, checkedNotes)
  await mailLogAlarms(app)
}

/**
 * Returns the newest note of a log without faults. Returns null if there is no note or if an alarm was raised. After each piece it pauses
 * `restFactor` times as long as the piece took.
 */
export async function checkCompleteLog(
  app: AppContext,
  companyId: number,
  storedNote: string | undefined,
  { restFactor = 0 } = {},
): Promise<string | null> {
  for (let from = 0, rowCount = entriesPerPiece; rowCount === entriesPerPiece; from += entriesPerPiece) {
    const startedAt = performance.now()
    const piece = await runInTransaction(
      app,
      systemScope,
      (db) => checkEntries(db, companyId, { from, limit: entriesPerPiece }),
      'reading',
    )
    rowCount = piece.rows
    const [brokenIndex] = piece.brokenIndexes
    if (brokenIndex === undefined) {
      if (rowCount === entriesPerPiece) await wait(restFactor * (performance.now() - startedAt))
      continue
    }
    raiseLogAlarm(
      app,
      companyId,
      new ChangedLogError('ENTRY_DIFFERS', `entry ${brokenIndex} was changed or is missing`, {
        from: brokenIndex,
        to: brokenIndex + 1,
      }),
    )
    return null
  }
  const { brokenIds, latestCheckpoint, fault } = await runInTransaction(app, systemScope, async (db) => ({
    brokenIds: await checkTree(app, db, companyId, { maxBroken: 10, storedNote }),
    latestCheckpoint: await readLatestCheckpoint(db, companyId),
    fault: await findEdgeFault(app, db, companyId, storedNote),
  }))
  const [firstBrokenId] = brokenIds
  if (firstBrokenId === undefined) {
    clearLogAlarm(app, companyId)
    return latestCheckpoint?.note ?? null
  }
  const detail = `the hash tree, a checkpoint or an unrecorded entry is wrong: ${brokenIds.join(', ')}`
  const entryRange = { from: 0, to: Math.min(firstBrokenId, latestCheckpoint?.size ?? firstBrokenId) + 1 }
  raiseLogAlarm(app, companyId, fault ?? new ChangedLogError('ROOT_DIFFERS', detail, entryRange))
  return null
}

/** Returns the fault that prevents signing, or null. This fault says more about the change than a list of broken entries. */
async function findEdgeFault(
  app: AppContext,
  db: DatabaseHandle,
  companyId: number,
  storedNote: string | undefined,
): Promise<ChangedLogError | null> {
  try {
    const { edge } = await checkSignedEdge(app, db, companyId, { storedNote, maxEntries: 0 })
    requireSealedEntries(app, companyId, { size: edge.size, entries: await listPendingEntries(db, companyId, 1_000) })
    return null
  } catch (error) {
    if (error instanceof ChangedLogError) return error
    throw error
  }
}
