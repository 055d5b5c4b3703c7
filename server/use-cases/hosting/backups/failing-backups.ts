/** Records that a service's backups fail, and requests mails about it: at the beginning, and then once a day. */
import { PROVIDER } from '#domain/access.ts'
import type { BackupFault, PdbType } from '#contract/backups.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { lockService, updateService } from '#server/db/hosting/services.ts'
import { listAlertedAdmins, listAlertedUsers } from '#server/db/orders/reminders.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

const dayMs = 86_400_000

interface EndedBackup {
  serviceId: number
  type: PdbType
  /** Null if the backup or the drill succeeded. */
  fault: BackupFault | null
}

/**
 * Runs as the system role, in the transaction that ends a backup or a drill. It locks the service's row and its counter, so the company's
 * counter must be locked before.
 */
export async function recordBackupOutcome(
  db: DatabaseHandle,
  { serviceId, type, fault }: EndedBackup,
  now: number,
): Promise<void> {
  const service = await lockService(db, serviceId)
  if (!service) return
  const otherTypes = service.failing_backups.filter((failingType) => failingType !== type)
  const wasFailing = otherTypes.length < service.failing_backups.length
  if (fault === null) {
    if (wasFailing) await updateService(db, serviceId, { failing_backups: JSON.stringify(otherTypes) }, now)
    return
  }
  if (wasFailing && (service.notified_failing ?? 0) > now - dayMs) return
  const failing_backups = JSON.stringify([...otherTypes, type].toSorted())
  await updateService(db, serviceId, { failing_backups, notified_failing: now }, now)
  await mailFailure(db, { companyId: service.company_id, serviceId, type, now })
}

interface FailureNotice {
  companyId: number
  serviceId: number
  type: PdbType
  now: number
}

async function mailFailure(db: DatabaseHandle, { companyId, serviceId, type, now }: FailureNotice): Promise<void> {
  const userIds = [...(await listAlertedUsers(db, companyId)), ...(await listAlertedAdmins(db, PROVIDER))]
  for (const userId of new Set(userIds))
    await requestMail(db, { companyId, now }, { mail: 'backup-failed', userId, serviceId, type, since: now })
}
