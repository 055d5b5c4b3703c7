import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // `company_id` is the company that owns the shown document. The user may belong to the provider's staff.
  await sql`
    create table ticket (
      hash text collate "C" primary key,
      kind text collate "C" not null,
      user_id integer not null references portal_user (id),
      company_id integer not null references company (id),
      subject jsonb not null,
      until bigint not null,
      used bigint
    )`.execute(db)
  await sql`create index ticket_until on ticket (until)`.execute(db)
  await sql`create index ticket_user on ticket (user_id)`.execute(db)
  await fence(db, 'ticket', { app: ['select', 'insert'], system: ['select', 'insert', 'update', 'delete'] })
  await sql`
    create table price_upload (
      user_id integer not null references portal_user (id),
      company_id integer not null references company (id),
      md5 text collate "C" not null,
      content jsonb not null,
      create_time bigint not null,
      primary key (user_id, md5)
    )`.execute(db)
  await fence(db, 'price_upload', {
    app: ['select', 'insert', 'update'],
    system: ['select', 'insert', 'update', 'delete'],
  })
}
