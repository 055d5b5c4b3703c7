/**
 * Replaces the row that marked a running write by a lock: the row is inserted only at the end of the write. A row that is written once
 * costs half of a row that is also updated.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The most selective column comes first in the index. While a table is empty, the planner sees no difference between indexes, and a
  // connection keeps its plan. With an index that begins with the company, such a plan would scan all writes of the company's users.
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

  // Waits for a running duplicate, at most for the transaction's lock_timeout (55P03). A separate statement reads the ledger after the
  // wait, so that it sees what the duplicate committed. A repeated write raises the same error as the ledger's indexes, and all statements
  // that were sent after it fail too.
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

  // Used for statements whose result nobody waits for: a wrong number of rows makes the transaction fail.
  await sql`
    create function one_row(written bigint) returns void language plpgsql as $$
    begin
      if written <> 1 then raise exception '% rows were written instead of one', written; end if;
    end $$`.execute(db)
}
