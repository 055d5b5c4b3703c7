/** Creates the counts of requests per minute, which all nodes share (decision 96). */
import { type Kysely, sql } from 'kysely'
import { allow } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Unlogged, because counts are worth nothing after a crash, and so no request waits for the disk. The free space of each page lets an
  // update stay on its page.
  await sql`
    create unlogged table request_count (
      key text collate "C" primary key, window_start bigint not null, count integer not null
    ) with (fillfactor = 50)`.execute(db)
  await allow(db, 'request_count', [], ['select', 'insert', 'update', 'delete'])
  // An amount is negative if a counted request was refused by another limit. Rows are locked in the order of their keys, so that two nodes
  // never wait for each other. A count that starts in the future belongs to a clock that was set back.
  await sql`
    create function count_requests(keys text[], amounts integer[], span bigint, at bigint)
    returns table (counted_key text, window_start bigint, total integer) language plpgsql
    security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '5s' as $$
    #variable_conflict use_column
    begin
      return query
        insert into public.request_count as known (key, window_start, count)
        select given.key, at, given.amount from unnest(keys, amounts) as given (key, amount) order by given.key
        on conflict (key) do update set
          count = case when abs(at - known.window_start) < span then greatest(known.count + excluded.count, 0)
            else greatest(excluded.count, 0) end,
          window_start = case when abs(at - known.window_start) < span then known.window_start else at end
        returning known.key, known.window_start, known.count;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function count_requests(text[], integer[], bigint, bigint) owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
