/** What is to be paid for backups, out of the rows that the device has. */
import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { BackupPayable } from '#features/backups/order-parts.ts'

/** Null: it is paid, or can no longer be. */
export const toOrderPayable = ({ id, status, currency, pay_amount, due }: BackupOrderRow): BackupPayable | null =>
  status === 0 ? { contractType: 'PDBORDER', id, currency, pay_amount, due } : null

/** A month in which nothing is charged is never paid. */
export const isUnpaid = ({ pay_date: payDate, amount }: TrafficRow): boolean => payDate === null && amount !== '0.00'

export const toTrafficPayable = (row: TrafficRow): BackupPayable | null =>
  isUnpaid(row)
    ? { contractType: 'TRAFFIC', id: row.id, currency: row.currency, pay_amount: row.amount, due: row.due }
    : null
