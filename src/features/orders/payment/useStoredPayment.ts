import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { VersionedRow } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getOrder, type OrderRow, orderListSpec } from '#contract/orders.ts'
import { readRow, readSingleRow } from '#local/lists/read-row.ts'
import { useLiveQuery } from '#state/live-query.ts'
import type { PaymentTarget } from '#features/orders/payment/payment-api.ts'

/** Returns whether the rows on this device are marked as paid. Returns undefined until they have been read. */
export function useStoredPayment({ id, contractType = 'CONTRACT', items }: PaymentTarget): boolean | undefined {
  const paidItems = items ?? [{ id, contractType }]
  return useLiveQuery(
    async () => (await Promise.all(paidItems.map(readPaid))).every(Boolean),
    [paidItems.map((item) => `${item.contractType} ${item.id}`).join()],
  )
}

async function readPaid({ id, contractType }: Required<Pick<PaymentTarget, 'id' | 'contractType'>>): Promise<boolean> {
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
