/**
 * Begins a new epoch after a restore. Each log gets an entry with its size, and its checkpoints contain the epoch. If a device has more
 * entries than the log, it then reports a restore, and not a log that was cut. The numbers by which devices find changes are raised, so
 * that every device loads its lists again.
 */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { readUnverifiedCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { calculateEdgeRoot } from '#domain/audit-log/tree-edge.ts'
import { StartProblem } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { listLogsToCheck } from '#server/db/audit/audit-checks.ts'
import { readEpoch, markEpoch } from '#server/db/audit/audit-epochs.ts'
import { waitForLogLock } from '#server/db/audit/audit-log.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { raiseRestoredNumbers } from '#server/db/restored-numbers.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { sealMigration, sealWaitingEntries } from '#server/use-cases/audit/seal-waiting-entries.ts'
import { readStoredNotes, replaceStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

export interface EpochResult {
  epoch: number
  /** Companies whose logs differ from their own checkpoints. These logs get no entry. */
  changedCompanyIds: number[]
}

/** Runs before the server accepts requests. Throws StartProblem if the checkpoint store cannot be read. */
export async function beginEpoch(app: AppContext): Promise<EpochResult> {
  const now = app.clock()
  const storedNotes = await readStoredNotes(app)
  if (!storedNotes)
    throw new StartProblem('Could not read AUDIT_CHECKPOINT_STORE: make the file or bucket available, and try again.')
  // The restored copy is from a version without seals, so its waiting entries are sealed first.
  if (app.database.appliedMigrations.includes(sealMigration)) await sealWaitingEntries(app, { isDeclared: true })
  const storedEpoch = Math.max(0, ...[...storedNotes.values()].map((note) => readUnverifiedCheckpoint(note).epoch))
  const restoredNotes = new Map<number, string>()
  const changedIds: number[] = []
  const newEpoch = await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    const previousEpoch = await readEpoch(db)
    // The restored copy may be older than earlier restores. The checkpoint store still has their epochs.
    const nextEpoch = Math.max(previousEpoch, storedEpoch) + 1
    await raiseRestoredNumbers(db, now)
    for (let epoch = previousEpoch + 1; epoch <= nextEpoch; epoch++) await markEpoch(db, epoch, now)
    for (const { companyId } of await listLogsToCheck(db, null)) {
      await waitForLogLock(db, companyId)
      try {
        const { edge, latestCheckpoint } = await checkSignedEdge(app, db, companyId, {
          storedNote: undefined,
          maxEntries: 0,
          isBeginningEpoch: true,
        })
        const info = { Epoch: nextEpoch, RestoredSize: edge.size, RestoredRoot: toBase64(calculateEdgeRoot(edge)) }
        const entryHeader = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'restore' }
        await addAuditEntries(db, entryHeader, [{ code: 'system', operation: 'restore', info }])
        if (latestCheckpoint) restoredNotes.set(companyId, latestCheckpoint.row.note)
      } catch (error) {
        if (!(error instanceof ChangedLogError)) throw error
        app.log.error(
          { event: 'restored_audit_log_changed', company: companyId, fault: error.code, detail: error.message },
          'a restored audit log does not match its signed checkpoints',
        )
        changedIds.push(companyId)
      }
    }
    return nextEpoch
  })
  for (const companyId of changedIds) {
    const note = storedNotes.get(companyId)
    if (note !== undefined) restoredNotes.set(companyId, note)
  }
  await replaceStoredNotes(app, restoredNotes)
  return { epoch: newEpoch, changedCompanyIds: changedIds }
}
