/** Mails about services whose contract is over or whose backups fail: dropped where that is no longer so when they are sent. */
import { daysAhead } from '#domain/hosting.ts'
import { timestampIn } from '#domain/time.ts'
import type { BackupType } from '#contract/backups.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { serviceNow } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ServiceMatter } from '#server/use-cases/mail/mail-kinds.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

export interface ServiceWords {
  service: string
  date: string
  path: string
  /** Where the addressee is of another one. */
  company?: string
  backup?: BackupType
}

/** Null: what it says is not so any more. As the system. */
export async function serviceWordsOf(
  db: Handle,
  app: AppContext,
  matter: ServiceMatter,
  language: Language,
): Promise<ServiceWords | null> {
  const row = await serviceNow(db, matter.serviceId)
  if (!row) return null
  const path = row.order_id === null ? '/saas/app/contract' : `/saas/app/contract/${row.order_id}`
  const words = { service: row.code, path: `${path}?lang=${language}` }
  if (matter.mail === 'backup-failed') {
    const { type, since } = matter
    if (!row.failing_backups.includes(type)) return null
    const { timeZone } = app.config
    return { ...words, company: row.company_name, backup: type, date: `${timestampIn(timeZone, since)} (${timeZone})` }
  }
  // It was extended, removed or deleted meanwhile.
  const { today } = momentOf({ app, now: app.clock() })
  const { stops, goes } = daysAhead(row, today)
  if ((matter.mail === 'service-stops' ? stops : goes) !== matter.day) return null
  return { ...words, date: matter.day }
}
