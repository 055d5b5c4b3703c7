/**
 * Adds the register of issued documents, from which the list of invoices is read (decision 121). An invoice's content never changes; what
 * changes about it, such as how much was refunded, is in the register. A trigger registers each invoice, so that a server of the previous
 * build does it too.
 *
 * Adds the payer's purchase order number to attempts of payment. It is printed on the invoice.
 */
import { type Kysely, sql } from 'kysely'
import { allow, fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createRegister(db)
  await registerInvoices(db)
  await findOwners(db)
  await sql`alter table payment_attempt add column po_number text`.execute(db)
}

async function createRegister(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table document (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      kind text collate "C" not null check (kind in ('invoice', 'creditNote')),
      code text collate "C" not null constraint document_code unique,
      invoice_id integer not null references invoice (id),
      issued text collate "C" not null,
      type text collate "C" not null check (type in ('create', 'extend', 'change', 'pdb2s3', 'pdb2rds', 'traffic')),
      service_code text collate "C" not null,
      service_name text not null,
      service_name_key text collate "C" not null,
      contract_id integer references contract (id),
      po_number text,
      po_number_key text collate "C" not null default '',
      currency text collate "C" not null,
      amount numeric(16, 2) not null check (amount > 0),
      method text collate "C" not null,
      reference text collate "C" not null,
      reference_key text collate "C" not null,
      refunded numeric(16, 2) not null default 0,
      refunding numeric(16, 2) not null default 0,
      disputed boolean not null default false,
      change bigint not null,
      row_version integer not null default 1,
      create_time bigint not null,
      constraint document_refunded check (refunded >= 0 and refunding >= 0 and refunded + refunding <= amount)
    )`.execute(db)
  await sql`create unique index document_of_invoice on document (invoice_id) where kind = 'invoice'`.execute(db)
  await sql`create index document_change on document (company_id, change)`.execute(db)
  await sql`create index document_issued on document (issued, id)`.execute(db)
  await fence(db, 'document', { app: ['select'], system: ['select', 'insert'] })
  // A restore raises the ids above all that were given before.
  await sql`grant usage, update on sequence document_id_seq to portal_system`.execute(db)
  // What was issued stays as it is, whoever writes.
  await sql`grant update (refunded, refunding, disputed, change, row_version) on document to portal_system`.execute(db)
}

/** The payment that writes an invoice has taken a change number before, so the invoice has the latest number. */
async function registerInvoices(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function register_invoice() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
    as $$
    begin
      insert into public.document (company_id, kind, code, invoice_id, issued, type, service_code, service_name,
        service_name_key, contract_id, po_number, po_number_key, currency, amount, method, reference, reference_key, change,
        create_time)
      select new.company_id, 'invoice', new.code, new.id, new.content ->> 'issued', coalesce(o.type, b.pdb_type, 'traffic'),
        new.content -> 'service' ->> 'code', new.content -> 'service' ->> 'name',
        lower(normalize(new.content -> 'service' ->> 'name', nfkc)), o.contract_id, new.content ->> 'po_number',
        coalesce(lower(normalize(new.content ->> 'po_number', nfkc)), ''), new.content ->> 'currency',
        (new.content ->> 'pay_amount')::numeric, new.content -> 'payment' ->> 'gateway',
        new.content -> 'payment' ->> 'reference', lower(new.content -> 'payment' ->> 'reference'),
        (select value from public.change where company_id = new.company_id), new.create_time
      from (select new.order_id, new.backup_order_id) item
      left join public.service_order o on o.id = item.order_id
      left join public.backup_order b on b.id = item.backup_order_id;
      return null;
    end $$`.execute(db)
  await allow(db, 'change', [], ['select'])
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function register_invoice() owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
  await sql`
    create trigger register_invoice after insert on invoice for each row
    execute function register_invoice()`.execute(db)
  // Row-level security applies to the tables' owner too, who would see no rows.
  await sql`set local role portal_system`.execute(db)
  await sql`
    insert into document (company_id, kind, code, invoice_id, issued, type, service_code, service_name, service_name_key,
      contract_id, currency, amount, method, reference, reference_key, change, create_time)
    select i.company_id, 'invoice', i.code, i.id, i.content ->> 'issued', coalesce(o.type, b.pdb_type, 'traffic'),
      i.content -> 'service' ->> 'code', i.content -> 'service' ->> 'name',
      lower(normalize(i.content -> 'service' ->> 'name', nfkc)), o.contract_id, i.content ->> 'currency',
      (i.content ->> 'pay_amount')::numeric, i.content -> 'payment' ->> 'gateway', i.content -> 'payment' ->> 'reference',
      lower(i.content -> 'payment' ->> 'reference'), c.value, i.create_time
    from invoice i
    join change c on c.company_id = i.company_id
    left join service_order o on o.id = i.order_id
    left join backup_order b on b.id = i.backup_order_id
    order by i.id`.execute(db)
  await sql`reset role`.execute(db)
}

/** Creates a function that returns the company of a document, to the provider's staff only. */
async function findOwners(db: Kysely<unknown>): Promise<void> {
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`
    create function company_of_document(given integer) returns integer language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select company_id from public.document where id = given and exists (select from public.company
        where code = 'm18' and id = nullif(current_setting('app.company', true), '')::integer)
    $$`.execute(db)
  await sql`alter function company_of_document(integer) owner to portal_system`.execute(db)
  await sql`revoke execute on function company_of_document(integer) from public`.execute(db)
  await sql`grant execute on function company_of_document(integer) to portal_app, portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
}
