/** Adds the time of the first use of an access token. It shows whether a refresh token is repeated or stolen (decision 69). */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table token add column access_used bigint`.execute(db)
  await sql`drop function holder_of_access(text)`.execute(db)
  await sql`
    create function holder_of_access(presented text)
    returns table (
      token_id integer, access_until bigint, refresh_until bigint, used bigint, session_id text, ended bigint,
      end_time bigint, user_id integer, user_name text, status smallint, admin boolean, orders boolean,
      access_level smallint, company_id integer, company_code text, parent_id integer, access_used bigint)
    language plpgsql stable security definer
    set search_path = pg_catalog, public, pg_temp
    set lock_timeout = '2s'
    as $$
    begin
      return query
        select t.id, t.access_until, t.refresh_until, t.used, s.id::text, s.ended, s.end_time, u.id, u.name, u.status,
          u.admin, u.orders, u.access_level, c.id, c.code::text, t.parent_id, t.access_used
        from public.token t
        join public.session s on s.id = t.session_id
        join public.portal_user u on u.id = t.user_id
        join public.company c on c.id = u.company_id
        where t.access_hash = presented;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function holder_of_access(text) owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
