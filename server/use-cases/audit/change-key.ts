/**
 * The key of the logs is being changed (`AUDIT_KEY_NEXT`): every log says so in an entry, so that each gets a checkpoint that names the
 * next key and that both have signed, however seldom anything else happens in it.
 */
import { fingerprintOf } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'
import { logsToCheck } from '#server/db/audit/audit-checks.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { setFactOnce } from '#server/db/installation.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { logsName, nextKeyOf } from '#server/use-cases/audit/log-identity.ts'

/** Before the server serves; once for each key, whichever node is first. Answers how many logs were told. */
export async function changeKey(app: AppContext): Promise<number> {
  const named = nextKeyOf(app, 0)
  if (named === null) return 0
  app.log.info(
    { AUDIT_NAME: logsName(app) },
    'the key of the audit logs is being changed: see "The key" in operating.md',
  )
  const now = app.clock()
  return await inTransaction(app, { role: 'portal_system' }, async (db) => {
    if (!(await setFactOnce(db, `audit key ${fingerprintOf(named)}`, String(now)))) return 0
    const logs = await logsToCheck(db, null)
    for (const { companyId } of logs) {
      const head = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'key' }
      const info = { NextKey: fingerprintOf(nextKeyOf(app, companyId) ?? '') }
      await addToTrail(db, head, [{ code: 'system', operation: 'config', info }])
    }
    return logs.length
  })
}
