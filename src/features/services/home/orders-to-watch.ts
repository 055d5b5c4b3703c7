import type { ServiceRow } from '#contract/services.ts'
import { maxReminderDays } from '#domain/contracts.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'

export interface WatchedOrder {
  row: ServiceRow
  /** Days from today to the contract's last day. Null if it does not end soon. */
  days: number | null
  isUnpaid: boolean
}

/**
 * Returns orders near the end of the contract (contracts 4: the first reminder by mail), the earliest end first. With `hasUnpaid` also those
 * that are unpaid, without their amounts, for staff who may not list the orders.
 */
export function listOrdersToWatch(
  rows: readonly ServiceRow[],
  today: PlainDate,
  { hasUnpaid }: { hasUnpaid: boolean },
): WatchedOrder[] {
  const orders = rows.map((row): WatchedOrder => {
    const days = row.expired_date === null ? -1 : countDaysLeft(today, row.expired_date)
    const isUnpaid =
      hasUnpaid && (row.os_contract !== 0 || row.os_pdb2s3 !== 0 || row.os_pdb2rds !== 0 || row.os_traffic !== 0)
    return { row, days: days >= 0 && days <= maxReminderDays.beforeExpiry ? days : null, isUnpaid }
  })
  const lastPosition = maxReminderDays.beforeExpiry + 1
  return orders
    .filter(({ days, isUnpaid }) => days !== null || isUnpaid)
    .toSorted((a, b) => (a.days ?? lastPosition) - (b.days ?? lastPosition))
}
