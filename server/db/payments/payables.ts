/** What can be paid, by the column that names it in payments and attempts: an order, a backup subscription or a month's traffic. */
import type { Selectable } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { BackupOrderTable, TrafficTable } from '#server/db/tables/backup-tables.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'

export interface PayableRef {
  kind: 'order' | 'backup' | 'traffic'
  id: number
}

/** In a payment and in an attempt; one of them names something. */
interface Named {
  order_id: number | null
  backup_order_id: number | null
  traffic_id: number | null
}

export const columnOf = { order: 'order_id', backup: 'backup_order_id', traffic: 'traffic_id' } as const

/** The columns as a new row has them. */
export const columnsFor = ({ kind, id }: PayableRef): Partial<Named> => ({ [columnOf[kind]]: id })

export function refOf({ order_id, backup_order_id, traffic_id }: Named): PayableRef {
  if (order_id !== null) return { kind: 'order', id: order_id }
  if (backup_order_id !== null) return { kind: 'backup', id: backup_order_id }
  if (traffic_id !== null) return { kind: 'traffic', id: traffic_id }
  throw new Error('a payment is of nothing')
}

export type PayableOrder = Selectable<OrderTable>
export type PayableBackup = Selectable<BackupOrderTable>
export type PayableTraffic = Selectable<TrafficTable>

/** Deleted ones too: money may come for them. Locked until the commit, so that two notices of one payment take turns. */
export async function payableOrder(db: Handle, id: number): Promise<PayableOrder | null> {
  const row = await db.selectFrom('service_order').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

export async function payableBackup(db: Handle, id: number): Promise<PayableBackup | null> {
  const row = await db.selectFrom('backup_order').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

export async function payableTraffic(db: Handle, id: number): Promise<PayableTraffic | null> {
  const row = await db.selectFrom('traffic').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}
