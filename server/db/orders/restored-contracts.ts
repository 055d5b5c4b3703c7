import type { DatabaseHandle } from '#server/db/database.ts'
import type { ContractRecord } from '#server/db/orders/contracts.ts'

/** For each contract that an undo created, returns the number of the contract whose terms it restored. */
export async function readRestoredContracts(
  db: DatabaseHandle,
  companyId: number,
  contracts: readonly Pick<ContractRecord, 'id' | 'order_id'>[],
): Promise<Map<number, string>> {
  if (contracts.length === 0) return new Map()
  const rows = await db
    .selectFrom('service_order')
    .innerJoin('contract', 'contract.id', 'service_order.restores_id')
    .select(['service_order.contract_id', 'contract.code'])
    .where('service_order.company_id', '=', companyId)
    .where(
      'service_order.id',
      'in',
      contracts.map(({ order_id: id }) => id),
    )
    .execute()
  return new Map(rows.flatMap(({ contract_id: id, code }) => (id === null ? [] : [[id, code] as const])))
}
