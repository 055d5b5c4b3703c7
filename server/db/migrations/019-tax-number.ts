/**
 * Adds the tax number of a company, which is printed on invoices from now on. `provider_company()` returns the whole row, so it includes
 * the new column.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table company add column tax_number text`.execute(db)
}
