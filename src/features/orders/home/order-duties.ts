/** Returns the orders of a company that need an action, from the rows on the device, soonest first. */
import { maxReminderDays } from '#domain/contracts.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OrderRow } from '#contract/orders.ts'
import type { DueItem } from '#features/orders/dues/due-items.ts'

interface EndDuty {
  kind: 'end'
  row: OrderRow
  name: string
  date: PlainDate
  /** Days from today. */
  days: number
}

export type OrderDuty = EndDuty | (DueItem & { kind: 'pay' })

/** `rows` are the contracts in effect. One is listed from the day of the first reminder mail before its end (contracts 4). */
export function buildOrderDuties(
  dueItems: readonly DueItem[],
  rows: readonly OrderRow[],
  today: PlainDate,
): OrderDuty[] {
  const endDuties = rows.flatMap((row): OrderDuty[] => {
    const days = countDaysLeft(today, row.expired_date)
    const isEnding = row.state === 'effective' && days >= 0 && days <= maxReminderDays.beforeExpiry
    return isEnding ? [{ kind: 'end', row, name: row.name || row.code, date: row.expired_date, days }] : []
  })
  const payDuties = dueItems.map((item): OrderDuty => ({ kind: 'pay', ...item }))
  return [...payDuties, ...endDuties].toSorted((a, b) => a.days - b.days)
}
