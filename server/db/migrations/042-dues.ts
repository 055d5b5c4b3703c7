/** Adds indexes for unpaid backups and traffic, which are found by the code of their service and shown on its row in the list of orders. */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index backup_order_due on backup_order (company_id, service_code) where status = 0`.execute(db)
  await sql`
    create index traffic_due on traffic (company_id, service_code) where pay_date is null and amount > 0`.execute(db)
  await numberRowsWithDues(db)
}

/** Gives rows with unpaid items a new change number, so that devices load the unpaid amounts. */
async function numberRowsWithDues(db: Kysely<unknown>): Promise<void> {
  const hasDues = sql`o.shown and (
    exists (select from service_order p where p.company_id = o.company_id and p.code = o.code
      and p.stored = 'unpaid' and not p.deleted)
    or exists (select from backup_order b where b.company_id = o.company_id and b.service_code = o.code and b.status = 0)
    or exists (select from traffic t where t.company_id = o.company_id and t.service_code = o.code
      and t.pay_date is null and t.amount > 0))`
  await sql`
    update change set value = value + 1
    where company_id in (select o.company_id from service_order o where ${hasDues})`.execute(db)
  await sql`
    update service_order o set change = (select value from change where company_id = o.company_id)
    where ${hasDues}`.execute(db)
}
