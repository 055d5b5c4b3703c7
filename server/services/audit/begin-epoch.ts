/**
 * After a restore: every log says in its next entry how large it was, and its checkpoints carry the new epoch. Devices that know more of
 * it than there is now are told of a restore, and not that somebody cut the log.
 */
import { toBase64 } from '#domain/audit-log/base64.ts'
import { rootOfEdge } from '#domain/audit-log/tree.ts'
import type { AppContext } from '#server/context.ts'
import { logsToCheck } from '#server/db/audit/audit-checks.ts'
import { epochOf, markEpoch } from '#server/db/audit/audit-epochs.ts'
import { edgeOf, holdLog, sizeOf } from '#server/db/audit/audit-log.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'

/** Before the server serves. Answers the epoch that begins. */
export function beginEpoch(app: AppContext): Promise<number> {
  const now = app.clock()
  return inTransaction(app, { role: 'portal_system' }, async (db) => {
    const epoch = (await epochOf(db)) + 1
    if (!(await markEpoch(db, epoch, now))) return epoch
    for (const { companyId } of await logsToCheck(db, null)) {
      const head = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'restore' }
      const info = { Epoch: epoch, ...(await restoredTo(db, companyId)) }
      await addToTrail(db, head, [{ code: 'system', operation: 'restore', info }])
    }
    return epoch
  })
}

async function restoredTo(db: Handle, companyId: number): Promise<{ RestoredSize: number; RestoredRoot: string }> {
  await holdLog(db, companyId)
  const size = await sizeOf(db, companyId)
  return { RestoredSize: size, RestoredRoot: toBase64(rootOfEdge(await edgeOf(db, companyId, size))) }
}
