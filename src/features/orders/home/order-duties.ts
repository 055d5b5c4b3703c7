/** What of a company's orders needs somebody, out of the rows that the device has: soonest first. */
import { reminderReach } from '#domain/contracts.ts'
import { type Currency, currencies, readAmount, writeAmount } from '#domain/money.ts'
import { daysBetween } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Id } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'

export interface OrderDuty {
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
export function dutiesOf(rows: readonly OrderRow[], today: PlainDate): OrderDuty[] {
  const duties = rows.flatMap(({ id, name, code, state, due, pending, expired_date: end, ...row }): OrderDuty[] => {
    const duty = { id, name: name || code, currency: row.currency }
    const paying = (type: OrderRow['type'], amount: string | null, until: string): OrderDuty => {
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

/** What is to be paid in each currency that there is something in. */
export const sumsOf = (duties: readonly OrderDuty[]): { currency: Currency; amount: string }[] =>
  currencies.flatMap((currency) => {
    const own = duties.filter((duty) => duty.currency === currency && duty.amount !== null)
    const sum = own.reduce((all, { amount }) => all + readAmount(amount ?? '0'), 0n)
    return own.length === 0 ? [] : [{ currency, amount: writeAmount(sum) }]
  })
