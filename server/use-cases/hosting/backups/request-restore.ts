/** Starts restores that users request. The target service must belong to the backup's company. */
import { isProvider } from '#domain/access.ts'
import { getRestoreRefusal } from '#domain/backups.ts'
import type { restoreBackup as endpoint } from '#contract/backups.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import { isTrafficDisabled } from '#server/db/hosting/backups.ts'
import { startRestore } from '#server/db/hosting/restores.ts'
import { lockService, findServiceRow } from '#server/db/hosting/services.ts'
import { findStoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { UseCase } from '#server/context/context.ts'
import { createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import { runBehindFence } from '#server/use-cases/hosting/run-for-service.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { type OperationInput, requireNotLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { toServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { startJob, createProgressKey } from '#server/use-cases/job-requests.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export interface RestoreInput extends OperationInput {
  backupId: number
  restoreId: number
}

/** Deadline of the job in ms, which is longer than a restore takes. Until then a poll reports that the job is running. */
export const restoreDeadlineMs = 6 * 3_600_000

/** Throws NOT_SUPPORT without a host, NOT_FOUND, STATE_CONFLICT with `why`, or RESOURCE_LOCKED with the user and the operation. */
export const requestRestore: UseCase<typeof endpoint> = async (context, { body: { backup_id, service_id } }) => {
  const { app, db, caller, now, requestId, intent } = context
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const user = await findUserById(db, caller.companyId, caller.userId)
  const userName = user?.name ?? ''
  const isForProvider = isProvider(caller)
  const progressKey = createProgressKey()
  const input = await runBehindFence(
    context,
    'service',
    service_id,
    async (companyId, id, trailDetails): Promise<RestoreInput> => {
      const lockedService = await lockService(db, id)
      const row = await findServiceRow(db, companyId, id)
      const backup = await findStoredBackup(db, companyId, backup_id)
      if (!lockedService || !row || !backup) throw createNotFoundProblem()
      requireNotLocked(lockedService, isForProvider)
      const source = { traffic_disabled: await isTrafficDisabled(db, companyId, backup.service_id) }
      const target = toServiceResponse(app, row, getBusinessMoment(context), isForProvider)
      const reason = getRestoreRefusal(backup, { source, target })
      if (reason) throw new ProblemError('STATE_CONFLICT', { why: reason })
      const isByProvider = companyId !== caller.companyId
      const requester = { user_id: caller.userId, user_name: userName, by_provider: isByProvider }
      const restoreId = await startRestore(db, {
        ...requester,
        company_id: companyId,
        backup_id: backup.id,
        kind: 'service',
        service_id: id,
        create_time: now,
      })
      if (restoreId === null) throw new Error('a restore of this service is already running')
      const kind = 'restore-backup'
      const runningOperation = {
        kind,
        userId: caller.userId,
        userName,
        byProvider: isByProvider,
        since: now,
        progressKey,
      } as const
      const fence = await startOperation(db, lockedService, runningOperation)
      const info = {
        ServiceCode: row.code,
        BackupId: backup.id,
        FromService: backup.service_code,
        IntoService: row.code,
        ...trailDetails.info,
      }
      await context.audit({ code: 'backup', operation: 'restore', info, ...trailDetails.log })
      context.afterCommit(() => announceServices(app, companyId))
      return {
        kind,
        backupId: backup.id,
        restoreId,
        serviceId: id,
        companyId,
        code: row.code,
        fence,
        userId: caller.userId,
        userCompanyId: caller.companyId,
        toProvider: isForProvider,
        config: null,
        trail: { code: 'backup', operation: 'restore', info, ...trailDetails.log },
        requestId,
        intent,
      }
    },
  )
  return startJob(context, { kind: 'restore-backup', input, progressKey, deadlineMs: restoreDeadlineMs })
}
