/**
 * Checks that the roles and the account of a token's user are unchanged. Runs as portal_system, for the same reasons as `holder_of_access`.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function check_holder(
      presented text, is_user integer, of_company integer, with_code text, is_admin boolean, may_order boolean,
      has_level smallint, at bigint)
    returns void
    language plpgsql stable security definer
    set search_path = pg_catalog, public, pg_temp
    as $$
    begin
      if not exists (
        select from public.token t
        join public.session s on s.id = t.session_id
        join public.portal_user u on u.id = t.user_id
        join public.company c on c.id = u.company_id
        where t.access_hash = presented and t.access_until > at and s.ended is null and s.end_time > at
          and u.id = is_user and u.status = 1 and u.admin = is_admin and u.orders = may_order
          and u.access_level = has_level and c.id = of_company and c.code = with_code)
      then
        raise exception 'the session is not what it was' using errcode = '28000', constraint = 'holder';
      end if;
    end $$`.execute(db)
  // To become the owner of a function, a role needs the right to create objects in the schema at that moment.
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function check_holder(text, integer, integer, text, boolean, boolean, smallint, bigint)
    owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
