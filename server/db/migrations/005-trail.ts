import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence trail_id as integer`.execute(db)
  await sql`
    create table trail (
      id integer primary key,
      company_id integer not null,
      code text not null,
      operation text not null,
      exec_user_id integer,
      exec_user_name text not null,
      end_time bigint not null,
      status smallint not null check (status in (0, -1)),
      info jsonb not null,
      intent text collate "C",
      request_id text not null,
      previous text collate "C" not null,
      hash text collate "C" not null
    )`.execute(db)
  await sql`alter sequence trail_id owned by trail.id`.execute(db)
  await sql`create index trail_company on trail (company_id, id desc)`.execute(db)
  await sql`create index trail_time on trail (company_id, end_time desc, id desc)`.execute(db)
  // Append-only (S-91): no role of the application may change or remove a row.
  await fence(db, 'trail', { app: ['select', 'insert'], system: ['select', 'insert'] })
  await sql`grant usage on sequence trail_id to portal_app, portal_system`.execute(db)

  await sql`
    create function trail_hash(entry trail) returns text language sql stable as $$
      select encode(sha256(convert_to(jsonb_build_array(
        entry.previous, entry.id, entry.company_id, entry.code, entry.operation, entry.exec_user_id, entry.exec_user_name,
        entry.end_time, entry.status, entry.info, entry.intent, entry.request_id)::text, 'UTF8')), 'hex')
    $$`.execute(db)

  // Lets one writer per company write at a time. The id is taken after the lock, so ids follow the order of the chain.
  await sql`
    create function chain_trail() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(7801, new.company_id);
      new.id := nextval('trail_id');
      new.previous := coalesce(
        (select hash from trail where company_id = new.company_id order by id desc limit 1), '');
      new.hash := trail_hash(new);
      return new;
    end $$`.execute(db)
  await sql`create trigger chain_trail before insert on trail for each row execute function chain_trail()`.execute(db)

  await sql`
    create function keep_trail() returns trigger language plpgsql as $$
    begin raise exception 'the trail is append-only' using errcode = 'insufficient_privilege'; end $$`.execute(db)
  await sql`
    create trigger keep_trail before update or delete or truncate on trail
    for each statement execute function keep_trail()`.execute(db)
}
