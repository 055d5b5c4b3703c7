/** Starts backups that users request (contracts 9, Z-26). */
import { isProvider } from '#domain/access.ts'
import { getBackupRefusal } from '#domain/backups.ts'
import type { backUp as endpoint } from '#contract/backups.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { lockService } from '#server/db/hosting/services.ts'
import { startStoredBackup, findRunningBackup, type StoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { runForService } from '#server/use-cases/hosting/run-for-service.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import {
  backupDeadlineMs,
  type BackupInput,
  buildNewBackup,
  buildTrailInfo,
} from '#server/use-cases/hosting/backups/begin-backup.ts'
import { requireNotLocked, getVisibleName } from '#server/use-cases/hosting/running-operation.ts'
import { startJob } from '#server/use-cases/job-requests.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

/** Throws NOT_SUPPORT without a host, NOT_FOUND, STATE_CONFLICT with `why`, or RESOURCE_LOCKED with the user and the operation. */
export const requestBackup: UseCase<typeof endpoint> = async (context, { body: { service_id, pdb_type } }) => {
  const { app, db, caller, now, requestId, intent } = context
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const user = await findUserById(db, caller.companyId, caller.userId)
  const isForProvider = isProvider(caller)
  const startedBackup = await runForService(context, service_id, async (row, trailDetails) => {
    // The company's counter is locked before the service's row, in the order that all transactions use.
    await takeChangeNumber(db, row.company_id)
    const lockedService = await lockService(db, row.id)
    if (lockedService) requireNotLocked(lockedService, isForProvider)
    const reason = getBackupRefusal(pdb_type, row, getBusinessMoment(context).today)
    if (reason) throw new ProblemError('STATE_CONFLICT', { why: reason })
    const backupInProgress = await findRunningBackup(db, row.id, pdb_type)
    if (backupInProgress) rejectRunningBackup(backupInProgress, isForProvider)
    const requester = {
      user_id: caller.userId,
      user_name: user?.name ?? '',
      by_provider: row.company_id !== caller.companyId,
    }
    const backup = await startStoredBackup(db, buildNewBackup(row, pdb_type, { cause: 'person', ...requester }), now)
    if (!backup) throw new ProblemError('RESOURCE_LOCKED', { user: null, action: lockedAction }, 10)
    const info = { ...buildTrailInfo(backup), ...trailDetails.info }
    await context.audit({ code: 'backup', operation: 'backup', info, ...trailDetails.log })
    context.afterCommit(() => announceServices(app, row.company_id))
    return { backup, trail: { info, ...trailDetails.log } }
  })
  const { backup, trail } = startedBackup
  const input: BackupInput = {
    backupId: backup.id,
    companyId: backup.company_id,
    userId: caller.userId,
    userCompanyId: caller.companyId,
    toProvider: isForProvider,
    trail,
    requestId,
    intent,
  }
  return startJob(context, {
    kind: 'run-backup',
    input,
    progressKey: backup.progress_key,
    deadlineMs: backupDeadlineMs,
  })
}

const lockedAction = 'run-backup'

function rejectRunningBackup({ user_id, user_name, by_provider }: StoredBackup, isForProvider: boolean): never {
  const requester = { userId: user_id ?? 0, userName: user_name ?? '', byProvider: by_provider }
  throw new ProblemError(
    'RESOURCE_LOCKED',
    { user: getVisibleName(requester, isForProvider), action: lockedAction },
    10,
  )
}
