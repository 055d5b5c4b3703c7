import { isProvider } from '#domain/access.ts'
import { getBackupRefusal } from '#domain/backups.ts'
import { toTimestamp } from '#domain/time.ts'
import { type PdbType, type getBackupPlan as endpoint } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { findLastDrill, listRestoresInto } from '#server/db/hosting/restores.ts'
import { findServiceRow, type ServiceListRow } from '#server/db/hosting/services.ts'
import { findLatestBackup } from '#server/db/hosting/stored-backups.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { runForBackups } from '#server/use-cases/hosting/backups/stored-backup-list.ts'
import { getVisibleName } from '#server/use-cases/hosting/running-operation.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

type Plan = OutputOf<typeof endpoint>

const maxRestores = 5

export const getBackupPlan: UseCase<typeof endpoint> = (context, { params: { serviceId } }) =>
  runForBackups(context, serviceId, async (serviceRef) => {
    const { app, db, caller } = context
    const { backupKeepCount, backupKeepDays } = app.config
    // Null if the service has neither contract nor instance. Its backups can still exist.
    const service = await findServiceRow(db, serviceRef.companyId, serviceRef.serviceId)
    const drill = await findLastDrill(db, serviceRef)
    const restores = await listRestoresInto(db, serviceRef, maxRestores)
    const formatTime = (time: number) => toTimestamp(app.config.timeZone, time)
    return {
      body: {
        pdb2s3: await readPlannedBackup(context, serviceRef.serviceId, service, 'pdb2s3'),
        pdb2rds: await readPlannedBackup(context, serviceRef.serviceId, service, 'pdb2rds'),
        keep_count: backupKeepCount,
        keep_days: backupKeepDays,
        traffic_disabled_by: service?.traffic_disabled ? (service.traffic_blocked ? 'staff' : 'overdue') : null,
        drill: drill && {
          time: formatTime(drill.end_time ?? drill.create_time),
          backup_id: drill.backup_id,
          ok: drill.fault === null,
          fault: drill.fault,
        },
        restores: restores.map((restore) => ({
          time: formatTime(restore.end_time ?? restore.create_time),
          backup_id: restore.backup_id,
          from_code: restore.from_code,
          user_name: getVisibleName(
            { userId: restore.user_id ?? 0, userName: restore.user_name ?? '', byProvider: restore.by_provider },
            isProvider(caller),
          ),
          ok: restore.fault === null,
          fault: restore.fault,
        })),
      },
    }
  })

async function readPlannedBackup(
  context: UseCaseContext,
  serviceId: number,
  service: ServiceListRow | null,
  type: PdbType,
): Promise<Plan[PdbType]> {
  const { app, db, now } = context
  const formatTime = (time: number) => toTimestamp(app.config.timeZone, time)
  const isActive = service !== null && getBackupRefusal(type, service, getBusinessMoment(context).today) === null
  const lastGood = await findLatestBackup(db, serviceId, type, 'done')
  const lastEnded = await findLatestBackup(db, serviceId, type, 'ended')
  return {
    // If no time is set, the backup starts with the next run of the schedule.
    next_run:
      isActive && app.config.hosting !== 'off' ? formatTime(Math.max(service[`next_${type}`] ?? now, now)) : null,
    last_good: lastGood && formatTime(lastGood.create_time),
    fault: lastEnded?.fault ?? null,
  }
}
