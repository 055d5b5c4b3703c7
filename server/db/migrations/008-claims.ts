/**
 * A write is claimed by a lock and put into the ledger at its end, as one row that never changes again: what it did and
 * that it did it become visible together either way, and a row that is written once costs half of one that is changed.
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // What is looked for comes first, or alone. While a table is empty any index looks as good as another to the planner, and
  // a connection keeps its plan: by an index that knows the company it would walk through all that its users ever wrote.
  await sql`alter table ledger drop constraint ledger_key`.execute(db)
  await sql`alter table ledger add constraint ledger_key unique (key, company_id, user_id)`.execute(db)
  await sql`drop index ledger_intent`.execute(db)
  await sql`
    create unique index ledger_intent on ledger (intent, company_id, user_id) where state in ('done', 'void')`.execute(
    db,
  )
  await sql`drop index ledger_tries`.execute(db)
  await sql`create index ledger_tries on ledger using hash (intent)`.execute(db)

  await sql`
    create function intent_lock(company integer, writer integer, intent text) returns bigint language sql stable as $$
      select hashtextextended(company::text || ' ' || writer::text || ' ' || intent, 0)
    $$`.execute(db)

  // Waits for a duplicate that is at work, as long as the transaction's lock_timeout says (55P03). The look at the ledger
  // is a statement of its own behind the wait, so that it sees what the duplicate has committed. It fails as the indexes of
  // the ledger do, and with it everything that travels behind.
  await sql`
    create function claim_intent(company integer, writer integer, given_key text, given_intent text) returns void
    language plpgsql set enable_seqscan = off as $$
    begin
      perform pg_advisory_xact_lock(intent_lock(company, writer, given_intent));
      if exists (select from ledger where company_id = company and user_id = writer and key = given_key)
        or exists (select from ledger where company_id = company and user_id = writer and intent = given_intent
          and state in ('done', 'void'))
      then
        raise exception 'this write was told of before' using errcode = 'unique_violation', constraint = 'ledger_intent';
      end if;
    end $$`.execute(db)

  // For statements whose answer is not waited for: the transaction fails with them.
  await sql`
    create function one_row(written bigint) returns void language plpgsql as $$
    begin
      if written <> 1 then raise exception '% rows were written instead of one', written; end if;
    end $$`.execute(db)
}
