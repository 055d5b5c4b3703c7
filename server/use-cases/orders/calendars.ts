/** Creates and serves calendar feeds of due dates: ends of contracts and payment dates (RFC 5545). */
import { randomBytes } from 'node:crypto'
import ical, { type ICalCalendar, ICalCalendarMethod, ICalEventTransparency } from 'ical-generator'
import type { Caller } from '#domain/access.ts'
import { getContractState } from '#domain/contracts.ts'
import { sortDues, toDue } from '#domain/dues.ts'
import { groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { type PlainDate, toTimestamp } from '#domain/time.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/calendar.json' with { type: 'json' }
import zh from '#locales/zh/calendar.json' with { type: 'json' }
import {
  deleteCalendarFeed,
  findCalendarFeed,
  readCalendarFeedTime,
  storeCalendarFeed,
} from '#server/db/orders/calendar-feeds.ts'
import { type OrderRecord, orderReads } from '#server/db/orders/orders.ts'
import { findPrintReader } from '#server/db/orders/print-data.ts'
import { readAsSystem, runForCompany } from '#server/db/transaction.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { formatDueText } from '#server/use-cases/payments/due-text.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { type TranslateText, createTranslator } from '#server/text/translator.ts'

export async function readCalendarState(app: AppContext, caller: Caller): Promise<{ since: string | null }> {
  const since = await runForCompany(app, caller, (db) => readCalendarFeedTime(db, caller.userId), 'reading')
  return { since: since === null ? null : toTimestamp(app.config.timeZone, since) }
}

export async function renewCalendar(app: AppContext, caller: Caller, requestId: string): Promise<{ url: string }> {
  const key = randomBytes(32).toString('base64url')
  const { userId, companyId } = caller
  const now = app.clock()
  await runForCompany(app, caller, async (db) => {
    await storeCalendarFeed(db, { userId, companyId, key }, now)
    await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
      { code: 'order', operation: 'create', info: { Field: 'calendar' } },
    ])
  })
  return { url: `${app.config.publicUrl}/public/calendar/${key}/contracts.ics` }
}

export async function endCalendar(app: AppContext, caller: Caller, requestId: string): Promise<void> {
  const { userId, companyId } = caller
  await runForCompany(app, caller, async (db) => {
    await deleteCalendarFeed(db, userId)
    await addAuditEntries(db, { companyId, userId, now: app.clock(), status: 0, intent: null, requestId }, [
      { code: 'order', operation: 'delete', info: { Field: 'calendar' } },
    ])
  })
}

const maxOrders = 1000

/** Throws NOT_FOUND if the feed's address was replaced or ended, or its user no longer has the order right. */
export async function readCalendar(app: AppContext, key: string): Promise<string> {
  const moment = getBusinessMoment({ app, now: app.clock() })
  return await readAsSystem(app, async (db) => {
    const feed = await findCalendarFeed(db, key)
    const reader = feed && (await findPrintReader(db, feed.user_id))
    if (!feed || !reader) throw createNotFoundProblem()
    const orders = await orderReads.readRowsAfter(db, { companyId: feed.company_id, moment }, 0, maxOrders)
    return renderCalendar(app, reader.language, orders, moment.now)
  })
}

/** How often calendar programs should fetch the feed, in seconds. */
const refreshSeconds = 6 * 3600

function renderCalendar(
  { config }: AppContext,
  language: Language,
  orders: readonly OrderRecord[],
  now: string,
): string {
  const translate = createTranslator({ en, zh }, language)
  const calendar = ical({
    name: translate('name'),
    prodId: { company: 'M18', product: 'Service portal', language: language.toUpperCase() },
    method: ICalCalendarMethod.PUBLISH,
    ttl: refreshSeconds,
  })
  for (const order of orders) addOrder(calendar, order, { translate, now, config, language })
  // The library leaves out the final line end.
  return `${calendar.toString()}\r\n`
}

interface CalendarOptions {
  translate: TranslateText
  now: string
  config: AppContext['config']
  language: Language
}

/** Adds the dates of an order. Their ids stay the same, so that calendar programs move an entry and do not duplicate it. */
function addOrder(
  calendar: ICalCalendar,
  order: OrderRecord,
  { translate, now, config, language }: CalendarOptions,
): void {
  const { publicUrl, timeZone } = config
  const { host } = new URL(publicUrl)
  const { code, name } = order
  const addEvent = (event: 'end' | DueEvent, id: string, day: PlainDate, values: Record<string, string>) =>
    calendar.createEvent({
      id: `${id}@${host}`,
      // Noon gives the same date in every time zone of a server.
      start: new Date(`${day}T12:00:00Z`),
      allDay: true,
      stamp: new Date(order.update_time),
      summary: translate(`duty.${event}.summary`, { code, name, ...values }),
      description: translate(`duty.${event}.text`, { code, name, ...values }),
      url: `${publicUrl}/saas/app/contract/${order.id}`,
      transparency: ICalEventTransparency.TRANSPARENT,
    })
  const state = getContractState(order, now)
  if (state === 'effective' || state === 'expired') addEvent('end', `end-${order.id}`, getLastDay(order.period_end), {})
  for (const due of sortDues(order.unpaid_matters.map((matter) => toDue(matter, timeZone))))
    addEvent(dueEvents[due.type], `${payPrefixes[due.contractType]}-${due.id}`, due.due.slice(0, 10), {
      amount: `${due.currency} ${groupThousands(due.amount)}`,
      due: due.due,
      matter: formatDueText(due, language),
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
