import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getOrder, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { readRow, readSingleRow } from '#local/lists/read-row.ts'
import { useLiveQuery } from '#state/live-query.ts'
import type { PaymentTarget } from '#features/orders/payment/payment-api.ts'

/** Returns whether the row on this device is marked as paid. Returns undefined until the row has been read. */
export const useStoredPayment = ({ id, contractType = 'CONTRACT' }: PaymentTarget): boolean | undefined =>
  useLiveQuery(() => readPaid({ id, contractType }), [id, contractType])

async function readPaid({ id, contractType }: Required<PaymentTarget>): Promise<boolean> {
  if (typeof id !== 'number') return false
  if (contractType === 'CONTRACT') {
    const { path } = toHttpRequest(getOrder, { params: { id } })
    return ((await readSingleRow<OrderRow>(path, orderListSpec.table, id))?.row.contract_id ?? 0) > 0
  }
  if (contractType === 'PDBORDER')
    return (await readRow<BackupOrderRow & VersionedRow>('backup_orders', id))?.row.status === 1
  const month = await readRow<TrafficRow & VersionedRow>('traffic', id)
  return month !== null && month.row.pay_date !== null
}
