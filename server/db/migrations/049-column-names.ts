/** Renames columns, a payment state and fields in stored job progress. The meaning of the data does not change. */
import { type Kysely, sql } from 'kysely'

const columns = [
  ['audit_checkpoint', 'kept', 'is_permanent'],
  ['traffic', 'told_overdue', 'notified_overdue'],
  ['backup', 'place', 'location'],
  ['service', 'told_failing', 'notified_failing'],
  ['service', 'told_stop', 'notified_stop'],
  ['service', 'told_erase', 'notified_erase'],
  ['service_order', 'shown', 'is_listed'],
  ['service_order', 'told_expired', 'notified_expired'],
  ['service_order', 'invalid_why', 'invalid_reason'],
  ['app_version', 'place', 'version_parts'],
  ['session', 'ended_why', 'ended_reason'],
  ['payment_attempt', 'begun_at', 'started_at'],
] as const

/** Columns to rename in the view, because a view keeps its column names when columns of its tables are renamed. */
const viewColumns = [
  ['told_failing', 'notified_failing'],
  ['told_stop', 'notified_stop'],
  ['told_erase', 'notified_erase'],
  ['shown_name', 'display_name'],
] as const

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, from, to] of columns)
    await sql`alter table ${sql.table(table)} rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(db)
  for (const [from, to] of viewColumns)
    await sql`alter view service_row rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(db)
  await renamePaymentState(db)
  await renameBackupResult(db)
  await replaceSettleCode(db)
}

async function renamePaymentState(db: Kysely<unknown>): Promise<void> {
  await sql`alter table payment_attempt drop constraint payment_attempt_state_check`.execute(db)
  await sql`update payment_attempt set state = 'starting' where state = 'begun'`.execute(db)
  await sql`alter table payment_attempt add constraint payment_attempt_state_check
    check (state in ('starting', 'open', 'processing', 'paid', 'declined', 'closed'))`.execute(db)
}

/** Renames the result in the progress of running backup jobs, so that they can continue. */
async function renameBackupResult(db: Kysely<unknown>): Promise<void> {
  await sql`
    update job set point = point - 'made' || jsonb_build_object('result', case jsonb_typeof(point -> 'made')
      when 'object' then (point -> 'made') - 'place' || jsonb_build_object('location', point -> 'made' -> 'place')
      else point -> 'made' end)
    where point ? 'made'`.execute(db)
}

/** The body of a function is text, so the function is created again with the new column names. */
async function replaceSettleCode(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function settle_code(given text, moment text) returns void language plpgsql
    security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      overdue record;
      number bigint;
    begin
      for overdue in select id, company_id from public.service_order
          where code = given and stored = 'unpaid' and not deleted and due < moment order by id for update loop
        update public.change set value = value + 1 where company_id = overdue.company_id returning value into number;
        update public.service_order
          set stored = 'invalid', invalid_reason = 'overdue', change = number where id = overdue.id;
        update public.service_order set change = number
          where company_id = overdue.company_id and code = given and is_listed and id <> overdue.id;
      end loop;
    end $$`.execute(db)
}
