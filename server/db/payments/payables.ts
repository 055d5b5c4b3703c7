/**
 * References to what is paid: an item (an order, a backup subscription or a month of traffic), or a group of items that are paid together.
 * Each kind of item has its own column.
 */
import type { Selectable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { BackupOrderTable } from '#server/db/tables/backup-tables.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'

export interface PayableItemRef {
  kind: 'order' | 'backup' | 'traffic'
  id: number
}

export type PayableRef = PayableItemRef | { kind: 'group'; id: number }

/** Exactly one column is set. */
interface ItemColumns {
  order_id: number | null
  backup_order_id: number | null
  traffic_id: number | null
}

/** Columns of attempts and payments. With `group_id`, the other columns name the group's first item (migration 059). */
export interface PayableColumns extends ItemColumns {
  group_id: number | null
}

export const columnByKind = { order: 'order_id', backup: 'backup_order_id', traffic: 'traffic_id' } as const

export const toItemColumns = ({ kind, id }: PayableItemRef): Partial<ItemColumns> => ({ [columnByKind[kind]]: id })

export function toItemRef({ order_id, backup_order_id, traffic_id }: ItemColumns): PayableItemRef {
  if (order_id !== null) return { kind: 'order', id: order_id }
  if (backup_order_id !== null) return { kind: 'backup', id: backup_order_id }
  if (traffic_id !== null) return { kind: 'traffic', id: traffic_id }
  throw new Error('the payment does not name an order, a backup or traffic')
}

export const toPayableRef = ({ group_id, ...itemColumns }: PayableColumns): PayableRef =>
  group_id === null ? toItemRef(itemColumns) : { kind: 'group', id: group_id }

/** Orders come before backups and backups before traffic, because an order takes the number of a contract first. */
const kindOrder = { order: 0, backup: 1, traffic: 2 } as const

/** Sorts items into the order in which all transactions lock them and put them into effect. */
export const sortItems = (items: readonly PayableItemRef[]): PayableItemRef[] =>
  items.toSorted((a, b) => kindOrder[a.kind] - kindOrder[b.kind] || a.id - b.id)

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
