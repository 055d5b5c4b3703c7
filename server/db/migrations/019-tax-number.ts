/** Stands on invoices from now on; `provider_company()` answers the whole row and has it by itself. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table company add column tax_number text`.execute(db)
}
