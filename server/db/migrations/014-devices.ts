/** Creates the table of devices. The hash of a device differs for each user, so the table does not show which users share a browser. */
import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table device (
      hash text collate "C" primary key,
      user_id integer not null references portal_user (id),
      company_id integer not null references company (id),
      create_time bigint not null,
      last_time bigint not null
    )`.execute(db)
  await sql`create index device_user on device (user_id)`.execute(db)
  await sql`create index device_last on device (last_time)`.execute(db)
  await fence(db, 'device', { app: [], system: ['select', 'insert', 'update', 'delete'] })
}
