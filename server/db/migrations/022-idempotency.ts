/** Renames the ledger and its indexes to "idempotency", the usual term, and drops two unused functions. */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger rename to idempotency`.execute(db)
  await sql`alter table idempotency rename constraint ledger_pkey to idempotency_pkey`.execute(db)
  await sql`alter table idempotency rename constraint ledger_key to idempotency_key`.execute(db)
  await sql`alter table idempotency rename constraint ledger_state_check to idempotency_state_check`.execute(db)
  await sql`alter sequence ledger_id_seq rename to idempotency_id_seq`.execute(db)
  await sql`alter index ledger_intent rename to idempotency_intent`.execute(db)
  await sql`alter index ledger_tries rename to idempotency_tries`.execute(db)
  await sql`alter index ledger_age rename to idempotency_age`.execute(db)
  // The text of a function contains table names, so these two must be replaced.
  await sql`
    create or replace function keep_settled() returns trigger language plpgsql as $$
    begin
      if old.state in ('open', 'started') then return new; end if;
      if new.body is null and to_jsonb(new) - 'body' - 'headers' = to_jsonb(old) - 'body' - 'headers' then
        return new;
      end if;
      raise exception 'a settled row of the idempotency store is not changed' using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create or replace function claim_intent(company integer, writer integer, given_key text, given_intent text)
    returns void language plpgsql set enable_seqscan to off as $$
    begin
      perform pg_advisory_xact_lock(intent_lock(company, writer, given_intent));
      if exists (select from idempotency where company_id = company and user_id = writer and key = given_key)
        or exists (select from idempotency where company_id = company and user_id = writer and intent = given_intent
          and state in ('done', 'void'))
      then
        raise exception 'this write was answered before'
          using errcode = 'unique_violation', constraint = 'idempotency_intent';
      end if;
    end $$`.execute(db)
  await sql`drop function check_holder(text, integer, integer, text, boolean, boolean, smallint, bigint)`.execute(db)
  await sql`drop function one_row(bigint)`.execute(db)
}
