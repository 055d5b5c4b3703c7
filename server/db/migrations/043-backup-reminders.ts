import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backup_reminder (
      backup_order_id integer not null references backup_order (id),
      about text collate "C" not null check (about in ('expiry', 'expired', 'due')),
      days smallint not null,
      company_id integer not null references company (id),
      time bigint not null,
      primary key (backup_order_id, about, days)
    )`.execute(db)
  await fence(db, 'backup_reminder', { app: [], system: ['select', 'insert'] })
  await sql`create index backup_order_ends on backup_order (period_end) where status = 1`.execute(db)
}
