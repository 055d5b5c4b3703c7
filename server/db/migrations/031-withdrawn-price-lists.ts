/**
 * Gives withdrawn price lists a new change number, because devices now keep withdrawn lists and must load them again. Adds indexes to count
 * sales per list.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update catalogue set change = change + 1`.execute(db)
  await sql`update price_list set change = (select change from catalogue) where deleted and confirmed`.execute(db)
  for (const table of ['contract', 'service_order', 'backup_order'])
    await sql`create index ${sql.id(`${table}_price_list`)} on ${sql.table(table)} (price_id)`.execute(db)
}
