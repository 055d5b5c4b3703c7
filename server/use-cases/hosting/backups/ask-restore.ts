/** Restores that people ask for: an operation of the service that takes the data in, of the company whose backup it is. */
import { isProvider } from '#domain/access.ts'
import { whyNotRestored } from '#domain/backups.ts'
import type { restoreBackup as endpoint } from '#contract/backups.ts'
import { userById } from '#server/db/accounts/users.ts'
import { isTrafficDisabled } from '#server/db/hosting/backups.ts'
import { beginRestore } from '#server/db/hosting/restores.ts'
import { serviceForUpdate, serviceRowById } from '#server/db/hosting/services.ts'
import { storedById } from '#server/db/hosting/stored-backups.ts'
import type { UseCase } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { behindFence } from '#server/use-cases/hosting/acting-on-service.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { type OperationInput, refuseLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { serviceRowOf } from '#server/use-cases/hosting/service-rows.ts'
import { beginJob, newProgressKey } from '#server/use-cases/job-requests.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

/** What its long request goes by. */
export interface RestoreInput extends OperationInput {
  backupId: number
  restoreId: number
}

/** Longer than it takes: until then it is said that it runs still. */
export const restoreDeadlineMs = 6 * 3_600_000

/** Throws NOT_FOUND, STATE_CONFLICT with `why`, and RESOURCE_LOCKED with who is doing what. */
export const restoreBackup: UseCase<typeof endpoint> = async (context, { body: { backup_id, service_id } }) => {
  const { app, db, caller, now, requestId, intent } = context
  // Nobody would ever work it off.
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const user = await userById(db, caller.companyId, caller.userId)
  const userName = user?.name ?? ''
  const toProvider = isProvider(caller)
  const progressKey = newProgressKey()
  const input = await behindFence(context, 'service', service_id, async (companyId, id, on): Promise<RestoreInput> => {
    const held = await serviceForUpdate(db, id)
    const row = await serviceRowById(db, companyId, id)
    const backup = await storedById(db, companyId, backup_id)
    if (!held || !row || !backup) throw notFound()
    refuseLocked(held, toProvider)
    const from = { traffic_disabled: await isTrafficDisabled(db, companyId, backup.service_id) }
    const into = serviceRowOf(app, row, momentOf(context), toProvider)
    const why = whyNotRestored(backup, { from, into })
    if (why) throw new ProblemError('STATE_CONFLICT', { why })
    const byProvider = companyId !== caller.companyId
    const by = { user_id: caller.userId, user_name: userName, by_provider: byProvider }
    const restoreId = await beginRestore(db, {
      ...by,
      company_id: companyId,
      backup_id: backup.id,
      kind: 'service',
      service_id: id,
      create_time: now,
    })
    if (restoreId === null) throw new Error('a restore was begun twice')
    const kind = 'restore-backup'
    const running = { kind, userId: caller.userId, userName, byProvider, since: now, progressKey } as const
    const fence = await startOperation(db, held, running)
    const info = {
      ServiceCode: row.code,
      BackupId: backup.id,
      FromService: backup.service_code,
      IntoService: row.code,
      ...on.info,
    }
    await context.audit({ code: 'backup', operation: 'restore', info, ...on.log })
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
      toProvider,
      config: null,
      trail: { code: 'backup', operation: 'restore', info, ...on.log },
      requestId,
      intent,
    }
  })
  return beginJob(context, { kind: 'restore-backup', input, progressKey, deadlineMs: restoreDeadlineMs })
}
