/** Adds the state of running services, and one change counter for the services of all companies. */
import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await services(db)
  await passwords(db)
  await rows(db)
  await functions(db)
}

async function services(db: Kysely<unknown>): Promise<void> {
  const operation = sql`check (jsonb_typeof(operation) = 'object')`
  await sql`
    alter table service
      add column task_runtime_memory integer not null default 0
        check (task_runtime_memory = 0 or task_runtime_memory between 1000 and 8000),
      add column task_desire_count smallint not null default -1 check (task_desire_count between -1 and 4),
      add column running_memory integer,
      add column running_tasks smallint not null default 0 check (running_tasks between 0 and 4),
      add column needs_reboot boolean not null default false,
      add column fault text collate "C",
      add column traffic_disabled boolean not null default false,
      add column operation jsonb ${operation},
      add column fence integer not null default 0,
      add column awaits_set_up boolean not null default true,
      add column is_expired boolean not null default false,
      add column erase_date text collate "C",
      add column told_stop text collate "C",
      add column told_erase text collate "C",
      add column change bigint not null default 0`.execute(db)
  // Existing systems were set up by hand, so they are not set up again.
  await sql`update service set awaits_set_up = false where system_status > 0`.execute(db)
  await sql`create index service_change on service (change)`.execute(db)
  await sql`grant update on service to portal_app`.execute(db)
}

async function passwords(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table service_password (
      service_id integer primary key references service (id) on delete cascade,
      company_id integer not null references company (id),
      user_id integer not null references portal_user (id),
      sealed text collate "C" not null,
      until bigint not null
    )`.execute(db)
  await fence(db, 'service_password', {
    app: ['select', 'delete'],
    system: ['select', 'insert', 'update', 'delete'],
  })
}

async function rows(db: Kysely<unknown>): Promise<void> {
  const outstanding = (kind: string) => sql`
    (select b.id from backup_order b where b.service_id = s.id and b.company_id = s.company_id
      and b.pdb_type = ${sql.lit(kind)} and b.status = 0)`
  const paidUntil = (kind: string) => sql`
    (select max(b.period_end) from backup_order b where b.service_id = s.id and b.company_id = s.company_id
      and b.pdb_type = ${sql.lit(kind)} and b.status = 1)`
  const folded = (text: string) => sql`lower(normalize(${sql.raw(text)}, nfkc)) collate "C"`
  await sql`
    create view service_row with (security_invoker = true) as
    select s.*, c.code as company_code, c.name as company_name, ${folded('c.name')} as company_name_key,
      coalesce(o.name, s.name) as shown_name, coalesce(o.name_key, ${folded('s.name')}) as name_key,
      k.id as contract_id, k.code as contract, k.period_start, k.period_end, k.modules, k.create_time as contract_time,
      o.alert_date, u.id as unpaid_id, u.due as unpaid_due,
      ${paidUntil('pdb2s3')} as pdb2s3_date, ${paidUntil('pdb2rds')} as pdb2rds_date,
      coalesce(${outstanding('pdb2s3')}, 0) as os_pdb2s3, coalesce(${outstanding('pdb2rds')}, 0) as os_pdb2rds
    from service s
    join company c on c.id = s.company_id
    left join contract k on k.company_id = s.company_id and k.service_code = s.code and not k.overwritten
    left join service_order o on o.company_id = s.company_id and o.code = s.code and o.shown
    left join service_order u on u.company_id = s.company_id and u.code = s.code and u.stored = 'unpaid' and not u.deleted
    where k.id is not null or s.system_status > 0 or s.erase_date is not null`.execute(db)
  await sql`grant select on service_row to portal_app, portal_system`.execute(db)
}

async function functions(db: Kysely<unknown>): Promise<void> {
  await sql`create table hosting (change bigint not null)`.execute(db)
  await sql`insert into hosting (change) values (0)`.execute(db)
  await sql`grant select, update on hosting to portal_system`.execute(db)
  // The row stays locked until the commit, so numbers follow the order of commits.
  await sql`
    create function next_service_change() returns bigint language sql
    security definer set search_path = pg_catalog, public, pg_temp as $$
      update public.hosting set change = change + 1 returning change
    $$`.execute(db)
  await sql`
    create function service_change_now() returns bigint language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select change from public.hosting
    $$`.execute(db)
  // Returns the services of all customers to the provider's staff, and no rows to others.
  await sql`
    create function all_service_rows() returns setof service_row language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select * from public.service_row where exists (select from public.company
        where code = 'm18' and id = nullif(current_setting('app.company', true), '')::integer)
    $$`.execute(db)
  // A code is also taken while its service's data is still stored.
  await sql`
    create or replace function is_code_taken(given text, moment text) returns boolean language sql stable
    security definer set search_path = pg_catalog, public, pg_temp as $$
      select exists (select from public.service_order where code = given and not deleted
          and (stored in ('paid', 'overwritten') or stored = 'unpaid' and due >= moment))
        or exists (select from public.service
          where code = given and (url is not null or system_status > 0 or erase_date is not null))
    $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  for (const one of ['next_service_change()', 'service_change_now()', 'all_service_rows()']) {
    const name = sql.raw(one)
    await sql`alter function ${name} owner to portal_system`.execute(db)
    await sql`revoke execute on function ${name} from public`.execute(db)
    await sql`grant execute on function ${name} to portal_app, portal_system`.execute(db)
  }
  await sql`revoke create on schema public from portal_system`.execute(db)
}
