import { toPlainDate, type Timestamp } from '#domain/time.ts'
import { type UndoableOrder, getUndoDeadline, getUndoRefusal } from '#domain/undo-change.ts'
import type { OrderRecord } from '#server/db/orders/orders.ts'
import type { AppContext } from '#server/context/context.ts'

export const toUndoableOrder = (
  { timeZone }: Pick<AppContext['config'], 'timeZone'>,
  record: OrderRecord,
): UndoableOrder => ({ ...record, ordered_on: toPlainDate(timeZone, record.create_time) })

/** Returns the last second in which a change can be undone, or null if it cannot. `now` is in the business time zone. */
export function findUndoDeadline(
  config: Pick<AppContext['config'], 'timeZone'>,
  record: OrderRecord,
  now: Timestamp,
): Timestamp | null {
  const order = toUndoableOrder(config, record)
  return getUndoRefusal(order, now) === null ? getUndoDeadline(order.ordered_on) : null
}
