/** Adds the reason why the latest deployment of a service was rolled back (decision 101). */
import { type Kysely, sql } from 'kysely'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table service add column deployment_fault text collate "C"`.execute(db)
  // A view keeps the columns that it had at its creation, and a new column can only be its last one.
  const { rows } = await sql<{ definition: string }>`
    select rtrim(pg_get_viewdef('service_row'::regclass), '; ') as definition`.execute(db)
  const [view] = rows
  if (!view) throw new Error('the view service_row does not exist')
  await sql`
    create or replace view service_row with (security_invoker = true) as
    select previous.*, service.deployment_fault
    from (${sql.raw(view.definition)}) previous
    join service on service.id = previous.id`.execute(db)
}
