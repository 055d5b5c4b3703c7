/**
 * Lets a write send its statements to the database in one exchange, with fewer lookups. If a row has changed since it was read, the
 * transaction runs again.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Raises a serialization failure, after which the transaction runs again: the row has changed since it was read.
  await sql`
    create or replace function one_row(written bigint) returns void language plpgsql as $$
    begin
      if written <> 1 then
        raise exception '% rows were written instead of one', written using errcode = 'serialization_failure';
      end if;
    end $$`.execute(db)

  // Only takes the lock, and waits for a running duplicate as claim_intent does. If the intent was settled before, the ledger's indexes
  // make a successful write fail at its end. A write that will be refused calls claim_intent first.
  await sql`
    create function take_intent(company integer, writer integer, intent text) returns void language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(intent_lock(company, writer, intent));
    end $$`.execute(db)

  // Inserts a company's counter together with the company, so that taking a number is a single update.
  await sql`
    create function begin_change() returns trigger language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp as $$
    begin
      insert into public.change (company_id, value) values (new.id, 0) on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function begin_change() owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
  await sql`create trigger begin_change after insert on company for each row execute function begin_change()`.execute(
    db,
  )
  await sql`insert into change (company_id, value) select id, 0 from company on conflict do nothing`.execute(db)

  // The index only has the other rows, because settled rows are found by the index ledger_intent.
  await sql`drop index ledger_tries`.execute(db)
  await sql`create index ledger_tries on ledger using hash (intent) where state not in ('done', 'void')`.execute(db)
}
