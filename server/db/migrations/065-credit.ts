/**
 * Adds the credit balances of companies, received bank transfers and pro-forma invoices (decision 124). A balance changes only together with an
 * entry of its ledger, and is never negative. An attempt of payment holds the part that credit pays until its result is known.
 */
import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createProformas(db)
  await createTransfers(db)
  await createCredit(db)
  // A payment of credit has an attempt too, so that a repeated call gets the same answer.
  await sql`alter table payment_attempt drop constraint payment_attempt_gateway_check`.execute(db)
  await sql`alter table payment_attempt add column credit numeric(16, 2) not null default 0`.execute(db)
  await sql`alter table refund drop constraint refund_route_check`.execute(db)
  await sql`create index document_of_payment on document (method, reference)`.execute(db)
}

async function createProformas(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table proforma (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      order_id integer references service_order (id),
      backup_order_id integer references backup_order (id),
      traffic_id integer references traffic (id),
      group_id integer references payment_group (id),
      code text collate "C" not null constraint proforma_code unique,
      currency text collate "C" not null,
      amount numeric(16, 2) not null check (amount > 0),
      credit numeric(16, 2) not null,
      content jsonb not null,
      user_id integer references portal_user (id),
      create_time bigint not null,
      constraint proforma_of_one check (num_nonnulls(order_id, backup_order_id, traffic_id) = 1),
      constraint proforma_credit check (credit >= 0 and credit < amount)
    )`.execute(db)
  await sql`create index proforma_company on proforma (company_id, id)`.execute(db)
  await fence(db, 'proforma', { app: ['select'], system: ['select', 'insert'] })
  await sql`create index proforma_group on proforma (group_id)`.execute(db)
  await sql`create index proforma_order on proforma (order_id)`.execute(db)
  await sql`create index proforma_backup on proforma (backup_order_id)`.execute(db)
  await sql`create index proforma_traffic on proforma (traffic_id)`.execute(db)
  await findOwners(db)
}

/** Creates a function that returns the company of a pro-forma, to the provider's staff only. */
async function findOwners(db: Kysely<unknown>): Promise<void> {
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`
    create function company_of_proforma(given integer) returns integer language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select company_id from public.proforma where id = given and exists (select from public.company
        where code = 'm18' and id = nullif(current_setting('app.company', true), '')::integer)
    $$`.execute(db)
  await sql`alter function company_of_proforma(integer) owner to portal_system`.execute(db)
  await sql`revoke execute on function company_of_proforma(integer) from public`.execute(db)
  await sql`grant execute on function company_of_proforma(integer) to portal_app, portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}

/**
 * `identity` finds a transfer again when a statement is imported twice. Only a transfer that was credited has a company. Rights of the app
 * role are missing on purpose: transfers are for the provider's staff.
 */
async function createTransfers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bank_transfer (
      id integer generated always as identity primary key,
      identity text collate "C" not null,
      source text collate "C" not null check (source in ('staff', 'statement')),
      account text collate "C" not null,
      day text collate "C" not null,
      currency text collate "C" not null check (currency in ('HKD', 'USD', 'RMB')),
      amount numeric(16, 2) not null check (amount > 0),
      sender text not null,
      reference text not null,
      bank_reference text not null,
      state text collate "C" not null check (state in ('open', 'credited', 'returned', 'dismissed', 'corrected')),
      company_id integer references company (id),
      note text,
      return_reference text,
      return_date text collate "C",
      user_id integer references portal_user (id),
      row_version integer not null default 1,
      create_time bigint not null,
      update_time bigint not null,
      constraint bank_transfer_company check ((state in ('credited', 'corrected')) = (company_id is not null)),
      constraint bank_transfer_note check (state not in ('returned', 'dismissed', 'corrected') or note is not null),
      constraint bank_transfer_returned check ((state = 'returned') = (return_reference is not null)
        and (state = 'returned') = (return_date is not null))
    )`.execute(db)
  await sql`create unique index bank_transfer_identity on bank_transfer (identity) where state <> 'corrected'`.execute(
    db,
  )
  await sql`create index bank_transfer_open on bank_transfer (id) where state = 'open'`.execute(db)
  await sql`create index bank_transfer_day on bank_transfer (day, id)`.execute(db)
  await fence(db, 'bank_transfer', { app: [], system: ['select', 'insert'] })
  // A restore raises the ids above all that were given before.
  await sql`grant usage, update on sequence bank_transfer_id_seq to portal_system`.execute(db)
  await sql`
    grant update (state, company_id, note, return_reference, return_date, user_id, row_version, update_time)
      on bank_transfer to portal_system`.execute(db)
}

/** `balance` of an entry is the balance after it. Each source of credit has at most one entry of its cause. */
async function createCredit(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table credit_balance (
      company_id integer not null references company (id),
      currency text collate "C" not null check (currency in ('HKD', 'USD', 'RMB')),
      balance numeric(16, 2) not null constraint credit_balance_positive check (balance >= 0),
      primary key (company_id, currency)
    )`.execute(db)
  await fence(db, 'credit_balance', { app: ['select'], system: ['select', 'insert'] })
  await sql`grant update (balance) on credit_balance to portal_system`.execute(db)
  await sql`
    create table credit_entry (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      currency text collate "C" not null,
      cause text collate "C" not null
        check (cause in ('transfer', 'correction', 'creditNote', 'contract', 'payment', 'withdrawal')),
      amount numeric(16, 2) not null check (amount <> 0),
      balance numeric(16, 2) not null check (balance >= 0),
      transfer_id integer references bank_transfer (id),
      refund_id integer references refund (id),
      contract_id integer references contract (id),
      payment_id integer references payment (id),
      reference text,
      transfer_date text collate "C",
      reason text,
      user_id integer references portal_user (id),
      create_time bigint not null,
      constraint credit_entry_source check (num_nonnulls(transfer_id, refund_id, contract_id, payment_id)
        = case cause when 'withdrawal' then 0 else 1 end),
      constraint credit_entry_cause check (case cause
        when 'transfer' then transfer_id is not null and amount > 0
        when 'correction' then transfer_id is not null and amount < 0
        when 'creditNote' then refund_id is not null and amount > 0
        when 'contract' then contract_id is not null
        when 'payment' then payment_id is not null and amount < 0
        else amount < 0 and num_nulls(reference, transfer_date, reason) = 0 end)
    )`.execute(db)
  for (const source of ['refund', 'contract', 'payment'])
    await sql`
      create unique index ${sql.ref(`credit_entry_of_${source}`)} on credit_entry (${sql.ref(`${source}_id`)})
        where ${sql.ref(`${source}_id`)} is not null`.execute(db)
  await sql`
    create unique index credit_entry_of_transfer on credit_entry (transfer_id, cause) where transfer_id is not null`.execute(
    db,
  )
  await sql`create index credit_entry_company on credit_entry (company_id, currency, id)`.execute(db)
  await fence(db, 'credit_entry', { app: ['select'], system: ['select', 'insert'] })
}
