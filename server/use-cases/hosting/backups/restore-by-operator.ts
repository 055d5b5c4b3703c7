/** Requests a restore for the operator, on the portal's machine. The server executes it like any other restore. */
import { getRestoreRefusal } from '#domain/backups.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { isTrafficDisabled } from '#server/db/hosting/backups.ts'
import { startRestore } from '#server/db/hosting/restores.ts'
import { lockService, findServiceRowByCode } from '#server/db/hosting/services.ts'
import { findAnyStoredBackup } from '#server/db/hosting/stored-backups.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import { type RestoreInput, restoreDeadlineMs } from '#server/use-cases/hosting/backups/request-restore.ts'
import { requireNotLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { toServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { createJobId, createProgressKey, notifyJobs } from '#server/use-cases/job-requests.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

/** Throws NOT_SUPPORT, NOT_FOUND, STATE_CONFLICT with `why`, or RESOURCE_LOCKED, as for users. */
export async function restoreByOperator(app: AppContext, backupId: number, code: string): Promise<void> {
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const now = app.clock()
  await writeAsSystem(app, async (db) => {
    const backup = await findAnyStoredBackup(db, backupId)
    const row = backup && (await findServiceRowByCode(db, backup.company_id, code))
    const lockedService = row && (await lockService(db, row.id))
    if (!backup || !row || !lockedService) throw createNotFoundProblem()
    requireNotLocked(lockedService, true)
    const source = { traffic_disabled: await isTrafficDisabled(db, row.company_id, backup.service_id) }
    const reason = getRestoreRefusal(backup, {
      source,
      target: toServiceResponse(app, row, getBusinessMoment({ app, now }), true),
    })
    if (reason) throw new ProblemError('STATE_CONFLICT', { why: reason })
    const companyId = row.company_id
    const operatorRequester = { user_id: null, user_name: null, by_provider: true }
    const restoreFields = { company_id: companyId, backup_id: backup.id, service_id: row.id, create_time: now }
    const restoreId = await startRestore(db, { ...operatorRequester, ...restoreFields, kind: 'service' })
    if (restoreId === null) throw new ProblemError('STATE_CONFLICT')
    const [id, progressKey, kind] = [createJobId(), createProgressKey(), 'restore-backup'] as const
    const runningOperation = { kind, userId: 0, userName: '', byProvider: true, since: now, progressKey }
    const fence = await startOperation(db, lockedService, runningOperation)
    const info = { ServiceCode: code, BackupId: backup.id, FromService: backup.service_code, IntoService: code }
    const input: RestoreInput = {
      kind,
      backupId: backup.id,
      restoreId,
      serviceId: row.id,
      companyId,
      code,
      fence,
      userId: 0,
      userCompanyId: companyId,
      toProvider: true,
      config: null,
      trail: { code: 'backup', operation: 'restore', info },
      requestId: id,
      intent: null,
    }
    const owner = { companyId: 0, userId: 0, intent: id }
    await tryInsertJob(db, { ...owner, id, kind, input, progressKey, now, deadline: now + restoreDeadlineMs })
    const entryHeader = { companyId, userId: null, now, status: 0, intent: null, requestId: id } as const
    await addAuditEntries(db, entryHeader, [{ code: 'backup', operation: 'restore', info }])
  })
  notifyJobs(app)
}
