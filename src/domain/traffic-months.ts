/** Decides which months are billed, and in which month traffic is recorded (D22). Uses the business time zone; months are `yyyy-MM`. */
import { addMonths } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

export type CalendarMonth = string

export const toMonth = (date: PlainDate): CalendarMonth => date.slice(0, 7)

/** Returns the day after the month, which identifies the month's record (D18). */
export const getEndOfMonth = (month: CalendarMonth): PlainDate => addMonths(`${month}-01`, 1)

export const getNextMonth = (month: CalendarMonth): CalendarMonth => toMonth(getEndOfMonth(month))

/** A billed month never changes. If the clock was set back, traffic is recorded in the month after the last billed one. */
export const getCountingMonth = (today: PlainDate, closedMonth: CalendarMonth | null): CalendarMonth =>
  closedMonth !== null && toMonth(today) <= closedMonth ? getNextMonth(closedMonth) : toMonth(today)

/** A paid subscription of the type that causes traffic. Subscriptions of a service do not overlap. */
export interface TrafficSubscription {
  id: number
  start: PlainDate
  /** Exclusive end date. */
  end: PlainDate
}

/**
 * Returns the subscription that a month is billed by: the last one that started before the end of the month, even if it has ended. Traffic
 * before the first subscription, after the clock was set back, is billed by the first one. Null if there was none.
 */
export function findBillingSubscription<S extends TrafficSubscription>(
  subscriptions: readonly S[],
  month: CalendarMonth,
): S | null {
  const sorted = subscriptions.toSorted((a, b) => (a.start === b.start ? a.id - b.id : a.start < b.start ? -1 : 1))
  return sorted.findLast(({ start }) => start < getEndOfMonth(month)) ?? sorted[0] ?? null
}

export interface MeasuredTraffic<S extends TrafficSubscription> {
  /** The last billed month, or null. */
  closedMonth: CalendarMonth | null
  subscriptions: readonly S[]
  bytesByMonth: ReadonlyMap<CalendarMonth, number>
}

export interface BilledMonth<S extends TrafficSubscription> {
  month: CalendarMonth
  bytes: number
  subscription: S
}

/**
 * Returns the finished months to bill, in order, and the last month that is closed by this. A month without subscription and traffic
 * creates no record. A month with traffic but without any subscription stays open, and so do all later months. Checks at most `maxMonths`
 * months.
 */
export function findMonthsToBill<S extends TrafficSubscription>(
  { closedMonth, subscriptions, bytesByMonth }: MeasuredTraffic<S>,
  today: PlainDate,
  maxMonths = 120,
): { records: BilledMonth<S>[]; closedMonth: CalendarMonth | null } {
  const currentMonth = toMonth(today)
  const records: BilledMonth<S>[] = []
  let lastClosedMonth = closedMonth
  let month = closedMonth === null ? findFirstMonth(subscriptions, bytesByMonth.keys()) : getNextMonth(closedMonth)
  for (let checkedCount = 0; month !== null && month < currentMonth && checkedCount < maxMonths; checkedCount++) {
    const bytes = bytesByMonth.get(month) ?? 0
    const isBilled = bytes > 0 || subscriptions.some((subscription) => isCovered(subscription, month as CalendarMonth))
    const subscription = findBillingSubscription(subscriptions, month)
    if (isBilled && !subscription) break
    if (isBilled && subscription) records.push({ month, bytes, subscription })
    lastClosedMonth = month
    month = getNextMonth(month)
  }
  return { records, closedMonth: lastClosedMonth }
}

const isCovered = ({ start, end }: TrafficSubscription, month: CalendarMonth): boolean =>
  start < getEndOfMonth(month) && end > `${month}-01`

function findFirstMonth(
  subscriptions: readonly TrafficSubscription[],
  measuredMonths: Iterable<CalendarMonth>,
): CalendarMonth | null {
  const months = [...subscriptions.map(({ start }) => toMonth(start)), ...measuredMonths]
  return months.toSorted()[0] ?? null
}
