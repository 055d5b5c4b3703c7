import { sql } from 'kysely'
import type { FeeStep } from '#domain/fees/explain.ts'
import type { PlainDate } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { ContractRecord } from '#server/db/orders/contracts.ts'

export interface ContractSale {
  steps: FeeStep[]
  /** Day from which the price list was in force. */
  price_date: PlainDate
  /** Null if there was nothing to pay. */
  invoice_no: string | null
}

export async function readContractSales(
  db: DatabaseHandle,
  companyId: number,
  contracts: readonly Pick<ContractRecord, 'order_id'>[],
): Promise<Map<number, ContractSale>> {
  const rows = await db
    .selectFrom('service_order')
    .innerJoin('price_list', 'price_list.id', 'service_order.price_id')
    .select([
      'service_order.id',
      'service_order.steps',
      'price_list.effective_date as price_date',
      sql<string | null>`(select i.code from invoice i where i.order_id = service_order.id)`.as('invoice_no'),
    ])
    .where('service_order.company_id', '=', companyId)
    .where(
      'service_order.id',
      'in',
      contracts.map(({ order_id: id }) => id),
    )
    .execute()
  return new Map(rows.map(({ id, ...sale }) => [id, sale]))
}
