/** Which months of a service are billed, and in which one bytes count (D22). Months are `yyyy-MM` of the business time zone. */
import { addMonths } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

export type CalendarMonth = string

export const toMonth = (date: PlainDate): CalendarMonth => date.slice(0, 7)

/** The first day after it, by which a month's record is known (D18). */
export const getEndOfMonth = (month: CalendarMonth): PlainDate => addMonths(`${month}-01`, 1)

export const getNextMonth = (month: CalendarMonth): CalendarMonth => toMonth(getEndOfMonth(month))

/** Nothing is added to a month that was billed: what moves then, after a clock was put back, counts in the next one. */
export const getCountingMonth = (today: PlainDate, closedMonth: CalendarMonth | null): CalendarMonth =>
  closedMonth !== null && toMonth(today) <= closedMonth ? getNextMonth(closedMonth) : toMonth(today)

/** A subscription to backups that cause traffic, paid. Those of a service follow one another. */
export interface TrafficSubscription {
  id: number
  start: PlainDate
  /** Exclusive. */
  end: PlainDate
}

/**
 * By whose terms a month is billed: of the last one that began before the month ended, also where it is over by then. Bytes that moved
 * before any began, after a clock was put back, are billed by the first. Null: there was none.
 */
export function findBillingSubscription<S extends TrafficSubscription>(
  subscriptions: readonly S[],
  month: CalendarMonth,
): S | null {
  const sorted = subscriptions.toSorted((a, b) => (a.start === b.start ? a.id - b.id : a.start < b.start ? -1 : 1))
  return sorted.findLast(({ start }) => start < getEndOfMonth(month)) ?? sorted[0] ?? null
}

/** What of a service's months is known. */
export interface MeasuredTraffic<S extends TrafficSubscription> {
  /** The last one that was billed; null: none yet. */
  closedMonth: CalendarMonth | null
  subscriptions: readonly S[]
  /** Bytes by month. */
  bytesByMonth: ReadonlyMap<CalendarMonth, number>
}

export interface BilledMonth<S extends TrafficSubscription> {
  month: CalendarMonth
  bytes: number
  subscription: S
}

/**
 * The months that are over and not billed, in order, and the one up to which all are then. A month without subscription and without
 * bytes makes no record. What nobody's terms cover stays open, and all that follows with it. Never more than `maxMonths` at a time.
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
