/**
 * Adds whether a consent allows changes (decision 116), and the function that reads it with the caller of a request. A server of the
 * previous build does not call it, so consents are read-only for it.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table acting_consent add column allows_changes boolean not null default false`.execute(db)
  // STRICT: sessions that act for nobody have no consent, and the function is not called for them.
  await sql`
    create function allows_acting_changes(consent integer) returns boolean
    language sql stable strict security definer
    set search_path = pg_catalog, public, pg_temp
    as $$ select allows_changes from public.acting_consent where id = consent $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function allows_acting_changes(integer) owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
