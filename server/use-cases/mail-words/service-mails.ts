/** Builds the values of mails about services. If the reason of a mail no longer applies when it is sent, the mail is dropped. */
import { getServiceEndDates } from '#domain/hosting.ts'
import { toTimestamp } from '#domain/time.ts'
import type { PdbType } from '#contract/backups.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findServiceWithOrder } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ServiceMailRequest } from '#server/use-cases/mail/mail-kinds.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export interface ServiceMailValues {
  service: string
  date: string
  path: string
  /** The service's company, if the recipient belongs to another one. */
  company?: string
  backup?: PdbType
}

/** Returns null if the reason of the mail no longer applies. Runs as the system role. */
export async function readServiceMailValues(
  db: DatabaseHandle,
  app: AppContext,
  request: ServiceMailRequest,
  language: Language,
): Promise<ServiceMailValues | null> {
  const row = await findServiceWithOrder(db, request.serviceId)
  if (!row) return null
  const path = row.order_id === null ? '/saas/app/contract' : `/saas/app/contract/${row.order_id}`
  const commonValues = { service: row.code, path: `${path}?lang=${language}` }
  if (request.mail === 'backup-failed') {
    const { type, since } = request
    if (!row.failing_backups.includes(type)) return null
    const { timeZone } = app.config
    return {
      ...commonValues,
      company: row.company_name,
      backup: type,
      date: `${toTimestamp(timeZone, since)} (${timeZone})`,
    }
  }
  // The date has changed or disappeared if the service was extended, removed or deleted in the meantime.
  const { today } = getBusinessMoment({ app, now: app.clock() })
  const { stopDate, eraseDate } = getServiceEndDates(row, today)
  if ((request.mail === 'service-stops' ? stopDate : eraseDate) !== request.day) return null
  return { ...commonValues, date: request.day }
}
