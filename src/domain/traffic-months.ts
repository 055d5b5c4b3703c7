/** Which months of a service are billed, and in which one bytes count (D22). Months are `yyyy-MM` of the business time zone. */
import { addMonths } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'

export type Month = string

export const monthIn = (date: PlainDate): Month => date.slice(0, 7)

/** The first day after it, by which a month's record is known (D18). */
export const endOfMonth = (month: Month): PlainDate => addMonths(`${month}-01`, 1)

export const monthAfter = (month: Month): Month => monthIn(endOfMonth(month))

/** Nothing is added to a month that was billed: what moves then, after a clock was put back, counts in the next one. */
export const countedIn = (today: PlainDate, closed: Month | null): Month =>
  closed !== null && monthIn(today) <= closed ? monthAfter(closed) : monthIn(today)

/** A subscription to backups that cause traffic, paid. Those of a service follow one another. */
export interface Subscription {
  id: number
  start: PlainDate
  /** Exclusive. */
  end: PlainDate
}

/**
 * By whose terms a month is billed: of the last one that began before the month ended, also where it is over by then. Bytes that moved
 * before any began, after a clock was put back, are billed by the first. Null: there was none.
 */
export function termsOf<S extends Subscription>(subscriptions: readonly S[], month: Month): S | null {
  const inOrder = subscriptions.toSorted((a, b) => (a.start === b.start ? a.id - b.id : a.start < b.start ? -1 : 1))
  return inOrder.findLast(({ start }) => start < endOfMonth(month)) ?? inOrder[0] ?? null
}

/** What of a service's months is known. */
export interface Measured<S extends Subscription> {
  /** The last one that was billed; null: none yet. */
  closed: Month | null
  subscriptions: readonly S[]
  /** Bytes by month. */
  moved: ReadonlyMap<Month, number>
}

export interface BilledMonth<S extends Subscription> {
  month: Month
  bytes: number
  terms: S
}

/**
 * The months that are over and not billed, in order, and the one up to which all are then. A month without subscription and without
 * bytes makes no record. What nobody's terms cover stays open, and all that follows with it. Never more than `most` at a time.
 */
export function monthsToBill<S extends Subscription>(
  { closed, subscriptions, moved }: Measured<S>,
  today: PlainDate,
  most = 120,
): { records: BilledMonth<S>[]; closed: Month | null } {
  const present = monthIn(today)
  const records: BilledMonth<S>[] = []
  let upto = closed
  let month = closed === null ? firstMonth({ subscriptions, moved }) : monthAfter(closed)
  for (let looked = 0; month !== null && month < present && looked < most; looked++) {
    const bytes = moved.get(month) ?? 0
    const isBilled = bytes > 0 || subscriptions.some((one) => covers(one, month as Month))
    const terms = termsOf(subscriptions, month)
    if (isBilled && !terms) break
    if (isBilled && terms) records.push({ month, bytes, terms })
    upto = month
    month = monthAfter(month)
  }
  return { records, closed: upto }
}

const covers = ({ start, end }: Subscription, month: Month): boolean => start < endOfMonth(month) && end > `${month}-01`

function firstMonth({ subscriptions, moved }: Pick<Measured<Subscription>, 'subscriptions' | 'moved'>): Month | null {
  const months = [...subscriptions.map(({ start }) => monthIn(start)), ...moved.keys()]
  return months.toSorted()[0] ?? null
}
