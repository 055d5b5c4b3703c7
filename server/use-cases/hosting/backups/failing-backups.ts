/** That the backups of a service fail, as its row says it, and who is told by mail: when it begins, and once a day while it lasts. */
import { PROVIDER } from '#domain/access.ts'
import type { BackupFault, BackupType } from '#contract/backups.ts'
import type { Handle } from '#server/db/handle.ts'
import { serviceForUpdate, updateService } from '#server/db/hosting/services.ts'
import { alertedAdmins, alertedUsers } from '#server/db/orders/reminders.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'

const dayMs = 86_400_000

interface Ended {
  serviceId: number
  type: BackupType
  /** Null: it went well. */
  fault: BackupFault | null
}

/**
 * In the transaction in which a backup, or a drill of one, ends. Takes the service's row and its counter: what takes a company's
 * counter comes before. As the system.
 */
export async function noteFailing(db: Handle, { serviceId, type, fault }: Ended, now: number): Promise<void> {
  const service = await serviceForUpdate(db, serviceId)
  if (!service) return
  const others = service.failing_backups.filter((one) => one !== type)
  const wasFailing = others.length < service.failing_backups.length
  if (fault === null) {
    if (wasFailing) await updateService(db, serviceId, { failing_backups: JSON.stringify(others) }, now)
    return
  }
  if (wasFailing && (service.told_failing ?? 0) > now - dayMs) return
  const failing_backups = JSON.stringify([...others, type].toSorted())
  await updateService(db, serviceId, { failing_backups, told_failing: now }, now)
  await tell(db, { companyId: service.company_id, serviceId, type, now })
}

interface Told {
  companyId: number
  serviceId: number
  type: BackupType
  now: number
}

/** Whoever of the company wants such mails, and of the provider's admins. */
async function tell(db: Handle, { companyId, serviceId, type, now }: Told): Promise<void> {
  const people = [...(await alertedUsers(db, companyId)), ...(await alertedAdmins(db, PROVIDER))]
  for (const userId of new Set(people))
    await askMail(db, { companyId, now }, { mail: 'backup-failed', userId, serviceId, type, since: now })
}
