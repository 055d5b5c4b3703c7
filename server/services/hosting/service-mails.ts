/** Mails about services whose contract is over: asked for with the day they name, and dropped where that is no longer so when they are sent. */
import { daysAhead } from '#domain/hosting.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Language } from '#domain/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { serviceNow } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context.ts'
import { momentOf } from '#server/services/orders/business-time.ts'

export type ServiceMail = 'service-stops' | 'service-erased'

export interface ServiceWords {
  service: string
  date: PlainDate
  path: string
}

/** Null: it was extended, removed or deleted meanwhile. As the system. */
export async function serviceWordsOf(
  db: Handle,
  app: AppContext,
  { mail, serviceId, day }: { mail: ServiceMail; serviceId: number; day: PlainDate },
  language: Language,
): Promise<ServiceWords | null> {
  const row = await serviceNow(db, serviceId)
  if (!row) return null
  const { today } = momentOf({ app, now: app.clock() })
  const { stops, goes } = daysAhead(row, today)
  if ((mail === 'service-stops' ? stops : goes) !== day) return null
  const path = row.order_id === null ? '/saas/app/contract' : `/saas/app/contract/${row.order_id}`
  return { service: row.code, date: day, path: `${path}?lang=${language}` }
}
