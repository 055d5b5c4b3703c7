/** "Back up now": what people ask for, checked, written down, and begun as a long request (contracts 9, Z-26). */
import { isProvider } from '#domain/access.ts'
import { whyNotBackedUp } from '#domain/backups.ts'
import type { backUp as endpoint } from '#contract/backups.ts'
import { userById } from '#server/db/accounts/users.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { serviceForUpdate } from '#server/db/hosting/services.ts'
import { beginStored, runningBackup, type StoredBackup } from '#server/db/hosting/stored-backups.ts'
import type { UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { forService } from '#server/use-cases/hosting/acting-on-service.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import {
  backupDeadlineMs,
  type BackupInput,
  newBackupOf,
  trailInfoOf,
} from '#server/use-cases/hosting/backups/begin-backup.ts'
import { refuseLocked, visibleNameOf } from '#server/use-cases/hosting/running-operation.ts'
import { beginJob } from '#server/use-cases/job-requests.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

/** Throws NOT_FOUND, STATE_CONFLICT with `why`, and RESOURCE_LOCKED with who is doing what. */
export const backUp: UseCase<typeof endpoint> = async (context, { body: { service_id, pdb_type } }) => {
  const { app, db, caller, now, requestId, intent } = context
  // Nobody would ever work it off.
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const user = await userById(db, caller.companyId, caller.userId)
  const toProvider = isProvider(caller)
  const begun = await forService(context, service_id, async (row, on) => {
    // Before the service's row, in the order in which all take them.
    await takeChange(db, row.company_id)
    const held = await serviceForUpdate(db, row.id)
    if (held) refuseLocked(held, toProvider)
    const why = whyNotBackedUp(pdb_type, row, momentOf(context).today)
    if (why) throw new ProblemError('STATE_CONFLICT', { why })
    const running = await runningBackup(db, row.id, pdb_type)
    if (running) refuseRunning(running, toProvider)
    const by = { user_id: caller.userId, user_name: user?.name ?? '', by_provider: row.company_id !== caller.companyId }
    const backup = await beginStored(db, newBackupOf(row, pdb_type, { cause: 'person', ...by }), now)
    if (!backup) throw new ProblemError('RESOURCE_LOCKED', { user: null, action }, 10)
    const info = { ...trailInfoOf(backup), ...on.info }
    await context.audit({ code: 'backup', operation: 'backup', info, ...on.log })
    context.afterCommit(() => announceServices(app, row.company_id))
    return { backup, trail: { info, ...on.log } }
  })
  const { backup, trail } = begun
  const input: BackupInput = {
    backupId: backup.id,
    companyId: backup.company_id,
    userId: caller.userId,
    userCompanyId: caller.companyId,
    toProvider,
    trail,
    requestId,
    intent,
  }
  return beginJob(context, {
    kind: 'run-backup',
    input,
    progressKey: backup.progress_key,
    deadlineMs: backupDeadlineMs,
  })
}

const action = 'run-backup'

function refuseRunning({ user_id, user_name, by_provider }: StoredBackup, toProvider: boolean): never {
  const by = { userId: user_id ?? 0, userName: user_name ?? '', byProvider: by_provider }
  throw new ProblemError('RESOURCE_LOCKED', { user: visibleNameOf(by, toProvider), action }, 10)
}
