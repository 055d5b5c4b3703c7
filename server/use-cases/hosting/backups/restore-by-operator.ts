/** A restore that the portal's operator asks for on its machine: the server that runs the services works it off as any other one. */
import { whyNotRestored } from '#domain/backups.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { isTrafficDisabled } from '#server/db/hosting/backups.ts'
import { beginRestore } from '#server/db/hosting/restores.ts'
import { serviceForUpdate, serviceRowOfCode } from '#server/db/hosting/services.ts'
import { storedNow } from '#server/db/hosting/stored-backups.ts'
import { putJob } from '#server/db/jobs.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'
import { type RestoreInput, restoreDeadlineMs } from '#server/use-cases/hosting/backups/ask-restore.ts'
import { refuseLocked, startOperation } from '#server/use-cases/hosting/running-operation.ts'
import { serviceRowOf } from '#server/use-cases/hosting/service-rows.ts'
import { newJobId, newProgressKey, notifyJobs } from '#server/use-cases/job-requests.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

const system = { role: 'portal_system' } as const

/** Throws NOT_FOUND, STATE_CONFLICT with `why`, and RESOURCE_LOCKED, as it does for people. */
export async function restoreByOperator(app: AppContext, backupId: number, code: string): Promise<void> {
  // Nobody would ever work it off.
  if (app.config.hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const now = app.clock()
  await inTransaction(app, system, async (db) => {
    const backup = await storedNow(db, backupId)
    const row = backup && (await serviceRowOfCode(db, backup.company_id, code))
    const held = row && (await serviceForUpdate(db, row.id))
    if (!backup || !row || !held) throw notFound()
    refuseLocked(held, true)
    const from = { traffic_disabled: await isTrafficDisabled(db, row.company_id, backup.service_id) }
    const why = whyNotRestored(backup, { from, into: serviceRowOf(app, row, momentOf({ app, now }), true) })
    if (why) throw new ProblemError('STATE_CONFLICT', { why })
    const companyId = row.company_id
    const nobody = { user_id: null, user_name: null, by_provider: true }
    const of = { company_id: companyId, backup_id: backup.id, service_id: row.id, create_time: now }
    const restoreId = await beginRestore(db, { ...nobody, ...of, kind: 'service' })
    if (restoreId === null) throw new ProblemError('STATE_CONFLICT')
    const [id, progressKey, kind] = [newJobId(), newProgressKey(), 'restore-backup'] as const
    const running = { kind, userId: 0, userName: '', byProvider: true, since: now, progressKey }
    const fence = await startOperation(db, held, running)
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
    await putJob(db, { ...owner, id, kind, input, progressKey, now, deadline: now + restoreDeadlineMs })
    const head = { companyId, userId: null, now, status: 0, intent: null, requestId: id } as const
    await addToTrail(db, head, [{ code: 'backup', operation: 'restore', info }])
  })
  notifyJobs(app)
}
