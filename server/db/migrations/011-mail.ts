/**
 * Creates a function that counts mails, for example per address. Every role may call it, also a company's role, which may not read the
 * counts (S-40).
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Returns null if the mail was counted. Otherwise returns the ms until the window ends, and counts nothing.
  await sql`
    create function count_mail(given text, most integer, span bigint, at bigint) returns bigint language plpgsql
    security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      begun bigint;
    begin
      insert into public.attempt as known (subject, failures, since, not_before) values (given, 1, at, 0)
      on conflict (subject) do update set
        failures = case when known.since <= at - span then 1 else known.failures + 1 end,
        since = case when known.since <= at - span then at else known.since end
      where known.since <= at - span or known.failures < most;
      if found then return null; end if;
      select since into begun from public.attempt where subject = given;
      return begun + span - at;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function count_mail(text, integer, bigint, bigint) owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
  await sql`revoke execute on function count_mail(text, integer, bigint, bigint) from public`.execute(db)
  await sql`grant execute on function count_mail(text, integer, bigint, bigint) to portal_app, portal_system`.execute(
    db,
  )
}
