import { sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

export interface PriceListUse {
  id: number
  /** Contracts in every state. */
  contracts: number
  /** Unpaid orders. */
  orders: number
  backups: number
}

/** Counts the uses of each price list over all companies. Lists without uses are left out. Needs the system role. */
export async function countPriceListUses(db: DatabaseHandle, type: ClientType): Promise<PriceListUse[]> {
  const { rows } = await sql<PriceListUse>`
    select id, contracts::integer, orders::integer, backups::integer from (
      select price_list.id,
        (select count(*) from contract where price_id = price_list.id) as contracts,
        (select count(*) from service_order
          where price_id = price_list.id and stored = 'unpaid' and not deleted) as orders,
        (select count(*) from backup_order where price_id = price_list.id) as backups
      from price_list where type = ${type} and (not deleted or confirmed)
    ) uses where contracts + orders + backups > 0 order by id`.execute(db)
  return rows
}
