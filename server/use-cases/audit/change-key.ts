/**
 * The key of the logs is being changed (`AUDIT_KEY_NEXT`): every log says so in an entry, so that each gets a checkpoint that names the
 * next key and that both have signed, however seldom anything else happens in it.
 */
import { getFingerprint } from '#domain/audit-log/note.ts'
import type { AppContext } from '#server/context/context.ts'
import { listLogsToCheck } from '#server/db/audit/audit-checks.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { setFactOnce } from '#server/db/installation-facts.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { getLogsName, getNextVerifierKey } from '#server/use-cases/audit/log-identity.ts'

/** Before the server serves; once for each key, whichever node is first. Answers how many logs were told. */
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
