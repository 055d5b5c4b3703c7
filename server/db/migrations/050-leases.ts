/**
 * Adds leases, with which one of several nodes gets a task, and the latest run of each scheduled job. Compatible: a build without them
 * ignores the tables.
 */
import { type Kysely, sql } from 'kysely'
import { allow } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

const numberedTables = [
  'company',
  'portal_user',
  'module',
  'price_list',
  'service_order',
  'backup_order',
  'traffic',
  'service',
  'backup',
  'app_version',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  // Times are epoch ms of the database's clock.
  await sql`
    create table lease (
      name text primary key,
      holder text not null,
      node text not null,
      since bigint not null,
      until bigint not null,
      fence bigint not null)`.execute(db)
  await sql`
    create table scheduled_run (
      name text primary key,
      started_at bigint not null,
      ended_at bigint)`.execute(db)
  for (const table of ['lease', 'scheduled_run']) await allow(db, table, [], ['select', 'insert', 'update'])
  await allowRaisingIds(db)
}

/** Lets the system role raise the ids of new rows after a restore (server/db/restored-numbers.ts). */
async function allowRaisingIds(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select pg_get_serial_sequence(name, 'id') as name from unnest(array[${sql.join(numberedTables)}]) as numbered (name)`.execute(
    db,
  )
  for (const { name } of rows) await sql`grant usage, update on sequence ${sql.raw(name)} to portal_system`.execute(db)
}
