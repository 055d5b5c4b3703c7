/** What is due, as a calendar: ends of contracts and days of payment (RFC 5545). */
import { randomBytes } from 'node:crypto'
import ical, { type ICalCalendar, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import type { Caller } from '#domain/access.ts'
import { stateOf } from '#domain/contracts.ts'
import { inDueOrder, toDue } from '#domain/dues.ts'
import { grouped } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import { type PlainDate, timestampIn } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/calendar.json' with { type: 'json' }
import zh from '#locales/zh/calendar.json' with { type: 'json' }
import { endFeed, feedBy, feedSince, putFeed } from '#server/db/orders/calendar-feeds.ts'
import { type OrderRecord, ordersAfter } from '#server/db/orders/orders.ts'
import { readerOf } from '#server/db/orders/print-data.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { dueText } from '#server/use-cases/payments/due-text.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { type Translate, translator } from '#server/text/i18n.ts'

const scopeOf = ({ companyId }: Caller) => ({ role: 'portal_app', companyId }) as const

export async function calendarSince(app: AppContext, caller: Caller): Promise<{ since: string | null }> {
  const since = await inTransaction(app, scopeOf(caller), (db) => feedSince(db, caller.userId), 'reading')
  return { since: since === null ? null : timestampIn(app.config.timeZone, since) }
}

export async function renewCalendar(app: AppContext, caller: Caller, requestId: string): Promise<{ url: string }> {
  const key = randomBytes(32).toString('base64url')
  const { userId, companyId } = caller
  const now = app.clock()
  await inTransaction(app, scopeOf(caller), async (db) => {
    await putFeed(db, { userId, companyId, key }, now)
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
      { code: 'order', operation: 'create', info: { Field: 'calendar' } },
    ])
  })
  return { url: `${app.config.publicUrl}/public/calendar/${key}/contracts.ics` }
}

export async function endCalendar(app: AppContext, caller: Caller, requestId: string): Promise<void> {
  const { userId, companyId } = caller
  await inTransaction(app, scopeOf(caller), async (db) => {
    await endFeed(db, userId)
    await addToTrail(db, { companyId, userId, now: app.clock(), status: 0, intent: null, requestId }, [
      { code: 'order', operation: 'delete', info: { Field: 'calendar' } },
    ])
  })
}

/** More than anybody has to look at. */
const most = 1000

/** Throws NOT_FOUND where the address has ended, or its user does not order any more. */
export async function readCalendar(app: AppContext, key: string): Promise<string> {
  const moment = momentOf({ app, now: app.clock() })
  return await inTransaction(
    app,
    { role: 'portal_system' },
    async (db) => {
      const feed = await feedBy(db, key)
      const reader = feed && (await readerOf(db, feed.user_id))
      if (!feed || !reader) throw notFound()
      const orders = await ordersAfter(db, { companyId: feed.company_id, moment, id: 0, most })
      return written(app, reader.language, orders, moment.now)
    },
    'reading',
  )
}

/** How often programs should ask again, seconds. */
const everySeconds = 6 * 3600

function written({ config }: AppContext, language: Language, orders: readonly OrderRecord[], now: string): string {
  const say = translator({ en, zh }, language)
  const calendar = ical({
    name: say('name'),
    prodId: { company: 'M18', product: 'Service portal', language: language.toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    ttl: everySeconds,
  })
  for (const order of orders) addOrder(calendar, order, { say, now, config, language })
  // The library leaves the last line open.
  return `${calendar.toString()}\r\n`
}

interface Telling {
  say: Translate
  now: string
  config: AppContext['config']
  language: Language
}

/** Ids stay what they are while an order lives, so that programs move an entry and do not double it. */
function addOrder(calendar: ICalCalendar, order: OrderRecord, { say, now, config, language }: Telling): void {
  const { publicUrl, timeZone } = config
  const { host } = new URL(publicUrl)
  const { code, name } = order
  const add = (what: 'end' | DueEvent, id: string, day: PlainDate, values: Record<string, string>) =>
    calendar.createEvent({
      id: `${id}@${host}`,
      // Noon: the same day wherever the server stands.
      start: new Date(`${day}T12:00:00Z`),
      allDay: true,
      stamp: new Date(order.update_time),
      summary: say(`duty.${what}.summary`, { code, name, ...values }),
      description: say(`duty.${what}.text`, { code, name, ...values }),
      url: `${publicUrl}/saas/app/contract/${order.id}`,
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  const state = stateOf(order, now)
  if (state === 'effective' || state === 'expired') add('end', `end-${order.id}`, lastDay(order.period_end), {})
  for (const due of inDueOrder(order.unpaid_matters.map((matter) => toDue(matter, timeZone))))
    add(dueEvents[due.type], `${payPrefixes[due.contractType]}-${due.id}`, due.due.slice(0, 10), {
      amount: `${due.currency} ${grouped(due.amount)}`,
      due: due.due,
      matter: dueText(due, language),
    })
}

type DueEvent = (typeof dueEvents)[keyof typeof dueEvents]

const dueEvents = {
  create: 'pay',
  extend: 'payChange',
  change: 'payChange',
  pdb2s3: 'payBackup',
  pdb2rds: 'payBackup',
  traffic: 'payTraffic',
} as const

const payPrefixes = { CONTRACT: 'pay', PDBORDER: 'pay-backup', TRAFFIC: 'pay-traffic' } as const
