/** What of a company's orders needs somebody, out of the rows that the device has: soonest first. */
import { reminderReach } from '#domain/contracts.ts'
import { daysBetween } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Id } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'

export interface Duty {
  kind: 'pay' | 'end'
  /** Of the row in the list. */
  id: Id
  name: string
  date: PlainDate
  /** From today on. */
  days: number
  type: OrderRow['type']
  currency: OrderRow['currency']
  amount: string | null
}

/** As far ahead as the first reminder by mail (contracts 4). */
export function dutiesOf(rows: readonly OrderRow[], today: PlainDate): Duty[] {
  const duties = rows.flatMap(({ id, name, code, state, due, pending, expired_date: end, ...row }): Duty[] => {
    const duty = { id, name: name || code, currency: row.currency }
    const paying = (type: OrderRow['type'], amount: string | null, until: string): Duty => {
      const date = until.slice(0, 10)
      return { ...duty, kind: 'pay', date, days: daysBetween(today, date), type, amount }
    }
    const days = daysBetween(today, end)
    const ends = state === 'effective' && days <= reminderReach.beforeExpiry
    return [
      ...(state === 'unpaid' && due ? [paying(row.type, row.pay_amount, due)] : []),
      ...(pending ? [paying(pending.type, pending.amount, pending.due)] : []),
      ...(ends ? [{ ...duty, kind: 'end' as const, date: end, days, type: row.type, amount: null }] : []),
    ]
  })
  // What the device heard long ago may be over by now.
  return duties.filter(({ days }) => days >= 0).toSorted((a, b) => a.days - b.days)
}

/** The orders that changed last. */
export const latestOf = (rows: readonly OrderRow[], most: number): OrderRow[] =>
  rows
    .filter(({ update_time: time }) => time !== '')
    .toSorted((a, b) => (a.update_time < b.update_time ? 1 : -1))
    .slice(0, most)
