/** Row-level security for tenant tables, in addition to the conditions of each query (N-10, N-11). */
import { type Kysely, sql } from 'kysely'

interface Fence {
  by?: string
  app: readonly Right[]
  system: readonly Right[]
}
type Right = 'select' | 'insert' | 'update' | 'delete'

/** Protects a table: `portal_app` sees only rows of the company in `app.company`. FORCE applies this to the table's owner too. */
export async function fence(
  db: Kysely<unknown>,
  table: string,
  { by = 'company_id', app, system }: Fence,
): Promise<void> {
  const name = sql.table(table)
  const own = sql`${sql.ref(by)} = nullif(current_setting('app.company', true), '')::integer`
  await sql`alter table ${name} enable row level security`.execute(db)
  await sql`alter table ${name} force row level security`.execute(db)
  await sql`create policy own_company on ${name} to portal_app using (${own}) with check (${own})`.execute(db)
  await sql`create policy all_companies on ${name} to portal_system using (true) with check (true)`.execute(db)
  await allow(db, table, app, system)
}

export async function allow(
  db: Kysely<unknown>,
  table: string,
  app: readonly Right[],
  system: readonly Right[],
): Promise<void> {
  const name = sql.table(table)
  if (app.length > 0) await sql`grant ${sql.raw(app.join(', '))} on ${name} to portal_app`.execute(db)
  if (system.length > 0) await sql`grant ${sql.raw(system.join(', '))} on ${name} to portal_system`.execute(db)
}

/** Protects a table whose rows belong to no company: all companies read them, and only the provider writes them. */
export async function share(db: Kysely<unknown>, table: string, provider: readonly Right[]): Promise<void> {
  const name = sql.table(table)
  const isProvider = sql`exists (select from company
    where code = 'm18' and id = nullif(current_setting('app.company', true), '')::integer)`
  await sql`alter table ${name} enable row level security`.execute(db)
  await sql`alter table ${name} force row level security`.execute(db)
  await sql`create policy everybody_reads on ${name} for select to portal_app using (true)`.execute(db)
  for (const right of provider) {
    const policy = sql.ref(`provider_${right}`)
    const rows = right === 'insert' ? sql`with check (${isProvider})` : sql`using (${isProvider})`
    await sql`create policy ${policy} on ${name} for ${sql.raw(right)} to portal_app ${rows}`.execute(db)
  }
  await sql`create policy all_companies on ${name} to portal_system using (true) with check (true)`.execute(db)
  await allow(db, table, ['select', ...provider], ['select', ...provider])
}
