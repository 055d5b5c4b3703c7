import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'
import type { BackupPayable } from '#features/backups/order-parts.ts'

/** Returns null if the order is paid or can no longer be paid. */
export const toOrderPayable = ({ id, status, currency, pay_amount, due }: BackupOrderRow): BackupPayable | null =>
  status === 0 ? { contractType: 'PDBORDER', id, currency, pay_amount, due } : null

/** A month without a charge never needs a payment. */
export const isUnpaid = ({ pay_date: payDate, amount }: TrafficRow): boolean => payDate === null && amount !== '0.00'

export const toTrafficPayable = (row: TrafficRow): BackupPayable | null =>
  isUnpaid(row)
    ? { contractType: 'TRAFFIC', id: row.id, currency: row.currency, pay_amount: row.amount, due: row.due }
    : null

/** Returns the row of a payable. The row of a new order may not be on the device yet. */
export const findPayableRow = (
  { orders, months }: BackupCharges,
  { contractType, id }: Pick<BackupPayable, 'contractType' | 'id'>,
): { order?: BackupOrderRow | undefined; month?: TrafficRow | undefined } =>
  contractType === 'PDBORDER'
    ? { order: orders.rows?.find((row) => row.id === id) }
    : { month: months.rows?.find((row) => row.id === id) }
