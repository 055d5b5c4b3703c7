/** What of a company's orders needs somebody, out of the rows that the device has: soonest first. */
import { maxReminderDays } from '#domain/contracts.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type { OrderRow } from '#contract/orders.ts'
import { getDues, type ListedDue } from '#features/orders/payment/payable.ts'

interface OrderDutyBase {
  /** Of the row in the list. */
  id: RowRef
  name: string
  date: PlainDate
  /** From today on; negative: it is overdue. */
  days: number
}

export type OrderDuty = OrderDutyBase & ({ kind: 'pay'; due: ListedDue } | { kind: 'end' })

/** As far ahead as the first reminder by mail (contracts 4). */
export function buildOrderDuties(rows: readonly OrderRow[], today: PlainDate): OrderDuty[] {
  const duties = rows.flatMap((row): OrderDuty[] => {
    const duty = { id: row.id, name: row.name || row.code }
    const days = countDaysLeft(today, row.expired_date)
    const isEnding = row.state === 'effective' && days >= 0 && days <= maxReminderDays.beforeExpiry
    return [
      ...getDues(row).flatMap((due): OrderDuty[] => {
        const date = due.due.slice(0, 10)
        const daysLeftToPay = countDaysLeft(today, date)
        // What was stored long ago may be over by now. Traffic is to be paid for as long as it is not paid.
        const isOver = date === '' || (daysLeftToPay < 0 && due.contractType !== 'TRAFFIC')
        return isOver ? [] : [{ ...duty, kind: 'pay', date, days: daysLeftToPay, due }]
      }),
      ...(isEnding ? [{ ...duty, kind: 'end' as const, date: row.expired_date, days }] : []),
    ]
  })
  return duties.toSorted((a, b) => a.days - b.days)
}
