/** What stands behind a service's backups: when the next ones run, how long they are kept, what was proven and put back. */
import { isProvider } from '#domain/access.ts'
import { whyNotBackedUp } from '#domain/backups.ts'
import { timestampIn } from '#domain/time.ts'
import { type BackupType, type getBackupPlan as endpoint } from '#contract/backups.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { lastDrill, restoresInto } from '#server/db/hosting/restores.ts'
import { serviceRowById, type ServiceRow } from '#server/db/hosting/services.ts'
import { newestBackup } from '#server/db/hosting/stored-backups.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { forBackupsOf } from '#server/use-cases/hosting/backups/stored-rows.ts'
import { visibleNameOf } from '#server/use-cases/hosting/running-operation.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

type Plan = OutputOf<typeof endpoint>

/** Restores that are shown. */
const most = 5

export const getBackupPlan: UseCase<typeof endpoint> = (context, { params: { serviceId } }) =>
  forBackupsOf(context, serviceId, async (of) => {
    const { app, db, caller } = context
    const { backupKeepCount, backupKeepDays } = app.config
    // Null: neither contract nor system, and backups still.
    const service = await serviceRowById(db, of.companyId, of.serviceId)
    const drill = await lastDrill(db, of)
    const restores = await restoresInto(db, of, most)
    const stamp = (time: number) => timestampIn(app.config.timeZone, time)
    return {
      body: {
        pdb2s3: await plannedOf(context, of.serviceId, service, 'pdb2s3'),
        pdb2rds: await plannedOf(context, of.serviceId, service, 'pdb2rds'),
        keep_count: backupKeepCount,
        keep_days: backupKeepDays,
        traffic_disabled_by: service?.traffic_disabled ? (service.traffic_blocked ? 'staff' : 'overdue') : null,
        drill: drill && {
          time: stamp(drill.end_time ?? drill.create_time),
          backup_id: drill.backup_id,
          ok: drill.fault === null,
          fault: drill.fault,
        },
        restores: restores.map((restore) => ({
          time: stamp(restore.end_time ?? restore.create_time),
          backup_id: restore.backup_id,
          from_code: restore.from_code,
          user_name: visibleNameOf(
            { userId: restore.user_id ?? 0, userName: restore.user_name ?? '', byProvider: restore.by_provider },
            isProvider(caller),
          ),
          ok: restore.fault === null,
          fault: restore.fault,
        })),
      },
    }
  })

async function plannedOf(
  context: UseCaseContext,
  serviceId: number,
  service: ServiceRow | null,
  type: BackupType,
): Promise<Plan[BackupType]> {
  const { app, db, now } = context
  const stamp = (time: number) => timestampIn(app.config.timeZone, time)
  const isOn = service !== null && whyNotBackedUp(type, service, momentOf(context).today) === null
  const good = await newestBackup(db, serviceId, type, 'done')
  const last = await newestBackup(db, serviceId, type, 'ended')
  return {
    // Nobody has said when: as soon as the clock looks.
    next_run: isOn && app.config.hosting !== 'off' ? stamp(Math.max(service[`next_${type}`] ?? now, now)) : null,
    last_good: good && stamp(good.create_time),
    fault: last?.fault ?? null,
  }
}
