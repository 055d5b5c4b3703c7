import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table service_order add column restores_id integer references contract (id),
      add constraint order_restores check (restores_id is null or type = 'change' and amount = 0)`.execute(db)
}
