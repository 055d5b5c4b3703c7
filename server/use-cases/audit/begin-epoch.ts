/**
 * After a restore: every log says in its next entry how large it was, and its checkpoints carry the new epoch. Devices that know more of
 * it than there is now are told of a restore, and not that somebody cut the log.
 */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { readUnverified } from '#domain/audit-log/checkpoint.ts'
import { rootOfEdge } from '#domain/audit-log/tree.ts'
import { StartProblem } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { logsToCheck } from '#server/db/audit/audit-checks.ts'
import { epochOf, markEpoch } from '#server/db/audit/audit-epochs.ts'
import { holdLog } from '#server/db/audit/audit-log.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { sealMigration, sealWaiting } from '#server/use-cases/audit/seal-waiting.ts'
import { readStoredNotes, replaceStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

export interface EpochResult {
  epoch: number
  /** Companies whose logs are not what their own checkpoints sign: a copy of a log that somebody had changed. They stay as they are. */
  changed: number[]
}

/** Before the server serves. The store of checkpoints goes on from what was restored. Throws StartProblem where it cannot be read. */
export async function beginEpoch(app: AppContext): Promise<EpochResult> {
  const now = app.clock()
  const storedNotes = await readStoredNotes(app)
  if (!storedNotes)
    throw new StartProblem('AUDIT_CHECKPOINT_STORE cannot be read: make the file or bucket available, and try again.')
  // The copy is of the version before.
  if (app.database.migrated.includes(sealMigration)) await sealWaiting(app, { isDeclared: true })
  const stored = Math.max(0, ...[...storedNotes.values()].map((note) => readUnverified(note).epoch))
  const restored = new Map<number, string>()
  const changed: number[] = []
  const epoch = await inTransaction(app, { role: 'portal_system' }, async (db) => {
    const before = await epochOf(db)
    // The copy may know of fewer restores than there were.
    const next = Math.max(before, stored) + 1
    for (let at = before + 1; at <= next; at++) await markEpoch(db, at, now)
    for (const { companyId } of await logsToCheck(db, null)) {
      await holdLog(db, companyId)
      try {
        const { edge, newest } = await checkSignedEdge(app, db, companyId, {
          storedNote: undefined,
          maxEntries: 0,
          isBeginningEpoch: true,
        })
        const info = { Epoch: next, RestoredSize: edge.size, RestoredRoot: toBase64(rootOfEdge(edge)) }
        const head = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'restore' }
        await addToTrail(db, head, [{ code: 'system', operation: 'restore', info }])
        if (newest) restored.set(companyId, newest.row.note)
      } catch (error) {
        if (!(error instanceof ChangedLogError)) throw error
        app.log.error(
          { company: companyId, fault: error.code, detail: error.message },
          'the restored audit log was changed',
        )
        changed.push(companyId)
      }
    }
    return next
  })
  for (const companyId of changed) {
    const note = storedNotes.get(companyId)
    if (note !== undefined) restored.set(companyId, note)
  }
  await replaceStoredNotes(app, restored)
  return { epoch, changed }
}
