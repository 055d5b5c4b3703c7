import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { Row } from '#contract/endpoint.ts'
import { toWire } from '#contract/http-mapping.ts'
import { getOrder, type OrderRow, ordersFills } from '#contract/orders.ts'
import { readRow, readSingle } from '#local/lists/read-row.ts'
import { useLiveQuery } from '#state/live-query.ts'
import type { Paid } from '#features/orders/payment/payment-api.ts'

/** Whether the row on this device says that it is paid; undefined: it is not read yet. */
export const useStoredPayment = ({ id, contractType = 'CONTRACT' }: Paid): boolean | undefined =>
  useLiveQuery(() => readPaid({ id, contractType }), [id, contractType])

async function readPaid({ id, contractType }: Required<Paid>): Promise<boolean> {
  if (typeof id !== 'number') return false
  if (contractType === 'CONTRACT') {
    const { path } = toWire(getOrder, { params: { id } })
    return ((await readSingle<OrderRow>(path, ordersFills.table, id))?.row.contract_id ?? 0) > 0
  }
  if (contractType === 'PDBORDER') return (await readRow<BackupOrderRow & Row>('backup_orders', id))?.row.status === 1
  const month = await readRow<TrafficRow & Row>('traffic', id)
  return month !== null && month.row.pay_date !== null
}
