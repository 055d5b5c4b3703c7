/**
 * Adds refunds of invoiced payments, their credit notes, disputes that payers opened at a gateway, and the results of the daily check of the
 * money (decision 123). A credit note never changes. A trigger adds it to the register of documents, as it does with an invoice.
 */
import { type Kysely, sql } from 'kysely'
import { allow, fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createDisputes(db)
  await createRefunds(db)
  await createCreditNotes(db)
  await registerCreditNotes(db)
  await sql`
    create table money_check (
      id integer generated always as identity primary key,
      faults jsonb not null,
      create_time bigint not null
    )`.execute(db)
  await allow(db, 'money_check', [], ['select', 'insert', 'delete'])
}

async function createDisputes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table dispute (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      payment_id integer not null references payment (id),
      gateway text collate "C" not null,
      reference text collate "C" not null,
      amount numeric(16, 2) not null check (amount > 0),
      currency text collate "C" not null,
      reason text not null,
      state text collate "C" not null check (state in ('open', 'won', 'lost', 'closed')),
      respond_by bigint,
      next_look bigint,
      create_time bigint not null,
      update_time bigint not null,
      end_time bigint,
      constraint dispute_reference unique (gateway, reference),
      constraint dispute_ended check ((state = 'open') = (end_time is null)),
      constraint dispute_running check ((state = 'open') = (next_look is not null))
    )`.execute(db)
  await sql`create index dispute_payment on dispute (payment_id)`.execute(db)
  await sql`create index dispute_look on dispute (next_look) where state = 'open'`.execute(db)
  await fence(db, 'dispute', { app: [], system: ['select', 'insert', 'update'] })
}

/**
 * `refund_key` is the key at the gateway, so only refunds that the portal sends have one. Only refunds of the staff have a reason: those that
 * were found at the gateway, or follow from a lost dispute, are described by their cause.
 */
async function createRefunds(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table refund (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      payment_id integer not null references payment (id),
      invoice_id integer references invoice (id),
      amount numeric(16, 2) not null check (amount > 0),
      currency text collate "C" not null,
      route text collate "C" not null check (route in ('gateway', 'transfer')),
      cause text collate "C" not null check (cause in ('staff', 'gateway', 'dispute')),
      reason text check (length(reason) between 1 and 500),
      transfer_date text collate "C",
      state text collate "C" not null check (state in ('requested', 'pending', 'done', 'failed')),
      refund_key text collate "C" constraint refund_key unique,
      reference text collate "C",
      problem text,
      user_id integer references portal_user (id),
      looks smallint not null default 0,
      next_look bigint,
      create_time bigint not null,
      update_time bigint not null,
      end_time bigint,
      seen_time bigint,
      constraint refund_reason check ((cause = 'staff') = (reason is not null)),
      constraint refund_transfer check ((route = 'transfer') = (transfer_date is not null)),
      constraint refund_running check (state in ('done', 'failed') or num_nulls(refund_key, next_look) = 0),
      constraint refund_ended check ((state in ('done', 'failed')) = (end_time is not null)),
      constraint refund_done check (state <> 'done' or reference is not null)
    )`.execute(db)
  await sql`create index refund_payment on refund (payment_id)`.execute(db)
  await sql`create index refund_invoice on refund (invoice_id)`.execute(db)
  // One refund at the gateway may be split over the invoices of its payment.
  await sql`
    create unique index refund_at_gateway on refund (payment_id, reference, coalesce(invoice_id, 0))
    where cause <> 'staff'`.execute(db)
  await sql`create index refund_look on refund (next_look) where next_look is not null`.execute(db)
  await sql`
    create index refund_unseen on refund (id)
    where end_time is null or seen_time is null and (cause <> 'staff' or state = 'failed')`.execute(db)
  await fence(db, 'refund', { app: ['select'], system: ['select', 'insert'] })
  await sql`
    grant update (invoice_id, amount, state, reference, problem, user_id, looks, next_look, update_time, end_time, seen_time)
      on refund to portal_system`.execute(db)
}

async function createCreditNotes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table credit_note (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      invoice_id integer not null references invoice (id),
      refund_id integer not null constraint credit_note_refund unique references refund (id),
      code text collate "C" not null constraint credit_note_code unique,
      content jsonb not null,
      create_time bigint not null
    )`.execute(db)
  await sql`create index credit_note_invoice on credit_note (invoice_id)`.execute(db)
  await fence(db, 'credit_note', { app: ['select'], system: ['select', 'insert'] })
}

async function registerCreditNotes(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function register_credit_note() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
    as $$
    begin
      insert into public.document (company_id, kind, code, invoice_id, issued, type, service_code, service_name,
        service_name_key, contract_id, po_number, po_number_key, currency, amount, method, reference, reference_key, change,
        create_time)
      select new.company_id, 'creditNote', new.code, new.invoice_id, new.content ->> 'issued', d.type, d.service_code,
        d.service_name, d.service_name_key, d.contract_id, d.po_number, d.po_number_key, new.content ->> 'currency',
        (new.content ->> 'amount')::numeric, new.content -> 'refund' ->> 'method', new.content -> 'refund' ->> 'reference',
        lower(new.content -> 'refund' ->> 'reference'),
        (select value from public.change where company_id = new.company_id), new.create_time
      from public.document d where d.invoice_id = new.invoice_id and d.kind = 'invoice';
      if not found then
        raise exception 'the invoice of a credit note is not registered';
      end if;
      return null;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function register_credit_note() owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
  await sql`
    create trigger register_credit_note after insert on credit_note for each row
    execute function register_credit_note()`.execute(db)
}
