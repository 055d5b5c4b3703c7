/** Returns the orders of a company that need an action, from the rows on the device, soonest first. */
import { maxReminderDays } from '#domain/contracts.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import { getDues, type ListedDue } from '#features/orders/payment/payable.ts'

interface OrderDutyBase {
  id: RowRef
  name: string
  date: PlainDate
  /** Days from today. Negative if overdue. */
  days: number
}

export type OrderDuty = OrderDutyBase & ({ kind: 'pay'; due: ListedDue } | { kind: 'end' })

/** Includes contracts from the day of the first reminder mail before their end (contracts 4). */
export function buildOrderDuties(rows: readonly OrderRow[], today: PlainDate): OrderDuty[] {
  const duties = rows.flatMap((row): OrderDuty[] => {
    const duty = { id: row.id, name: row.name || row.code }
    const days = countDaysLeft(today, row.expired_date)
    const isEnding = row.state === 'effective' && days >= 0 && days <= maxReminderDays.beforeExpiry
    return [
      ...getDues(row).flatMap((due): OrderDuty[] => {
        const date = due.due.slice(0, 10)
        const daysLeftToPay = countDaysLeft(today, date)
        // The row may be old, so its due date may have passed. Traffic stays due until it is paid.
        const isOver = date === '' || (daysLeftToPay < 0 && due.contractType !== 'TRAFFIC')
        return isOver ? [] : [{ ...duty, kind: 'pay', date, days: daysLeftToPay, due }]
      }),
      ...(isEnding ? [{ ...duty, kind: 'end' as const, date: row.expired_date, days }] : []),
    ]
  })
  return duties.toSorted((a, b) => a.days - b.days)
}
