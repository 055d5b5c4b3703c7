/** Creates the table of calendar addresses, which calendar programs read repeatedly. Only a hash is stored. */
import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table calendar_feed (
      user_id integer primary key references portal_user (id),
      company_id integer not null references company (id),
      hash text collate "C" not null unique,
      create_time bigint not null
    )`.execute(db)
  const all = ['select', 'insert', 'update', 'delete'] as const
  await fence(db, 'calendar_feed', { app: all, system: all })
}
