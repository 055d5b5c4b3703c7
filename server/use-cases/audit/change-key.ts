/** Records a change of the logs' key (`AUDIT_KEY_NEXT`), so that each log gets a checkpoint signed by both keys. */
import { getFingerprint } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'
import { listLogsToCheck } from '#server/db/audit/audit-checks.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { setFactOnce } from '#server/db/installation-facts.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { getLogsName, getNextVerifierKey } from '#server/use-cases/audit/log-identity.ts'

/**
 * Runs before the server accepts requests, and once per key over all nodes. Returns the number of logs, or 0 if no change of the key is to
 * be recorded.
 */
export async function recordKeyChange(app: AppContext): Promise<number> {
  const nextKey = getNextVerifierKey(app, 0)
  if (nextKey === null) return 0
  app.log.info(
    { event: 'audit_key_change_started', AUDIT_NAME: getLogsName(app) },
    'the key of the audit logs is being changed',
  )
  const now = app.clock()
  return await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    if (!(await setFactOnce(db, `audit key ${getFingerprint(nextKey)}`, String(now)))) return 0
    const logs = await listLogsToCheck(db, null)
    for (const { companyId } of logs) {
      const entryHeader = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'key' }
      const info = { NextKey: getFingerprint(getNextVerifierKey(app, companyId) ?? '') }
      await addAuditEntries(db, entryHeader, [{ code: 'system', operation: 'config', info }])
    }
    return logs.length
  })
}
