/**
 * Finds the holder of an access token. Every request calls this first. As a function it is one statement instead of a transaction of four
 * (begin, role, select, commit).
 *
 * It is the only code that is called without a role, so it runs as portal_system (SECURITY DEFINER). It is owned by that role and not by
 * the schema's owner, who may be a superuser, so row-level security applies in it as in every query (N-11). A caller learns nothing without
 * the hash of a valid token, and no role can read the hashes of another company. The function is PL/pgSQL, because PL/pgSQL keeps the query
 * plan for the whole connection, while a plain SQL function of this kind is planned at each call.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function holder_of_access(presented text)
    returns table (
      token_id integer, access_until bigint, refresh_until bigint, used bigint, session_id text, ended bigint,
      end_time bigint, user_id integer, user_name text, status smallint, admin boolean, orders boolean,
      access_level smallint, company_id integer, company_code text)
    language plpgsql stable security definer
    set search_path = pg_catalog, public, pg_temp
    set lock_timeout = '2s'
    as $$
    begin
      return query
        select t.id, t.access_until, t.refresh_until, t.used, s.id::text, s.ended, s.end_time, u.id, u.name, u.status,
          u.admin, u.orders, u.access_level, c.id, c.code::text
        from public.token t
        join public.session s on s.id = t.session_id
        join public.portal_user u on u.id = t.user_id
        join public.company c on c.id = u.company_id
        where t.access_hash = presented;
    end $$`.execute(db)
  // To become the owner of a function, a role needs the right to create objects in the schema at that moment.
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function holder_of_access(text) owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
