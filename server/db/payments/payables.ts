/** References to payable items. An item is an order, a backup subscription or a month of traffic. Each kind has its own column. */
import type { Selectable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { BackupOrderTable } from '#server/db/tables/backup-tables.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'

export interface PayableRef {
  kind: 'order' | 'backup' | 'traffic'
  id: number
}

/** Exactly one column is set. */
interface PayableColumns {
  order_id: number | null
  backup_order_id: number | null
  traffic_id: number | null
}

export const columnByKind = { order: 'order_id', backup: 'backup_order_id', traffic: 'traffic_id' } as const

export const toPayableColumns = ({ kind, id }: PayableRef): Partial<PayableColumns> => ({ [columnByKind[kind]]: id })

export function toPayableRef({ order_id, backup_order_id, traffic_id }: PayableColumns): PayableRef {
  if (order_id !== null) return { kind: 'order', id: order_id }
  if (backup_order_id !== null) return { kind: 'backup', id: backup_order_id }
  if (traffic_id !== null) return { kind: 'traffic', id: traffic_id }
  throw new Error('the payment does not name an order, a backup or traffic')
}

export type PayableOrderRecord = Selectable<OrderTable>
export type PayableBackupRecord = Selectable<BackupOrderTable>

/**
 * Locks the order, so that two notices of one payment are handled one after the other. Also finds a deleted order, because a payment may
 * still arrive.
 */
export const lockPayableOrder = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('service_order').selectAll().where('id', '=', id).forUpdate())

export const lockPayableBackup = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('backup_order').selectAll().where('id', '=', id).forUpdate())

export const lockPayableTraffic = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('traffic').selectAll().where('id', '=', id).forUpdate())
