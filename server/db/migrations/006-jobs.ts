import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table job (
      id text collate "C" primary key,
      company_id integer not null,
      user_id integer not null,
      intent text collate "C" not null,
      kind text collate "C" not null,
      state text collate "C" not null check (state in ('queued', 'running', 'done', 'failed')),
      percent smallint not null check (percent between 0 and 100),
      progress_key text collate "C" not null,
      input jsonb not null,
      point jsonb,
      status smallint,
      body text,
      tries smallint not null,
      fence integer not null,
      lease_until bigint not null,
      deadline bigint not null,
      create_time bigint not null,
      end_time bigint,
      constraint job_intent unique (company_id, user_id, intent, kind)
    )`.execute(db)
  await sql`create index job_waiting on job (lease_until, create_time) where state in ('queued', 'running')`.execute(db)
  await sql`create index job_ended on job (end_time)`.execute(db)
  await fence(db, 'job', { app: ['select', 'insert'], system: ['select', 'insert', 'update', 'delete'] })
}
