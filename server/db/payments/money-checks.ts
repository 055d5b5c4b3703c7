/**
 * Checks all money with one independent statement for each rule over the tables, without code of the writers (decision 123). Needs the system
 * role.
 */
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'

/** Each statement returns a row with `company_id` and `text` for each fault. */
const rules: Record<string, RawBuilder<{ company_id: number | null; text: string }>> = {
  // Money that was received is on invoices, or is a task of the staff, open or refunded.
  received: sql`
    select company_id, format('%s: %s was received, %s is on invoices and %s in tasks', currency, sum(received), sum(invoiced),
      sum(tasks)) as text
    from (
      select company_id, currency, amount as received, 0 as invoiced, 0 as tasks from payment
      union all select company_id, content ->> 'currency', 0, (content ->> 'pay_amount')::numeric, 0 from invoice
      union all select p.company_id, p.currency, 0, 0, p.amount
        from payment_task t join payment p on p.id = t.payment_id where t.state <> 'applied') one
    group by company_id, currency having sum(received) <> sum(invoiced) + sum(tasks)`,
  payment: sql`
    select p.company_id, format('payment %s of %s %s: %s was invoiced', p.id, p.currency, p.amount, i.sum) as text
    from payment p
      left join payment_task t on t.payment_id = p.id
      cross join lateral (
        select coalesce(sum((content ->> 'pay_amount')::numeric), 0) as sum from invoice
        where content -> 'payment' ->> 'gateway' = p.gateway and content -> 'payment' ->> 'reference' = p.reference
          and content ->> 'currency' = p.currency) i
    where i.sum <> case when p.outcome = 'applied' or t.state = 'applied' then p.amount else 0 end`,
  refunds: sql`
    select p.company_id, format('payment %s of %s %s: %s is refunded or in progress', p.id, p.currency, p.amount, sum(r.amount)) as text
    from refund r join payment p on p.id = r.payment_id where r.state <> 'failed'
    group by p.id having sum(r.amount) > p.amount or bool_or(r.currency <> p.currency or r.company_id <> p.company_id)`,
  register: sql`
    select d.company_id, format('invoice %s: the register has %s and %s in progress, the refunds are %s and %s, the credit notes %s', d.code,
      d.refunded, d.refunding, r.sum, r.running, n.sum) as text
    from document d
      cross join lateral (select coalesce(sum(amount) filter (where state = 'done'), 0) as sum,
        coalesce(sum(amount) filter (where state in ('requested', 'pending')), 0) as running
        from refund where invoice_id = d.invoice_id) r
      cross join lateral (select coalesce(sum((content ->> 'amount')::numeric), 0) as sum from credit_note
        where invoice_id = d.invoice_id) n
    where d.kind = 'invoice' and (d.refunded <> r.sum or d.refunded <> n.sum or d.refunding <> r.running)`,
  // A refund without an invoice is for a task, or waits for the staff to choose one of several invoices.
  creditNotes: sql`
    select r.company_id, format('refund %s of %s %s (%s) has %s credit notes', r.id, r.currency, r.amount, r.state, n.count) as text
    from refund r
      cross join lateral (select count(*) as count from credit_note c where c.refund_id = r.id
        and c.invoice_id = r.invoice_id and c.company_id = r.company_id and c.content ->> 'currency' = r.currency
        and (c.content ->> 'amount')::numeric = r.amount) n
      cross join lateral (select count(*) as count from invoice i join payment p on p.id = r.payment_id
        where i.content -> 'payment' ->> 'gateway' = p.gateway and i.content -> 'payment' ->> 'reference' = p.reference) i
    where n.count <> case when r.state = 'done' and (r.invoice_id is not null or i.count = 1) then 1 else 0 end`,
  documents: sql`
    select one.company_id, format('%s is not in the register with %s %s', one.code, one.currency, one.amount) as text
    from (
      select company_id, 'invoice' as kind, code, id as invoice_id, content ->> 'currency' as currency,
        (content ->> 'pay_amount')::numeric as amount from invoice
      union all select company_id, 'creditNote', code, invoice_id, content ->> 'currency', (content ->> 'amount')::numeric
      from credit_note) one
    where not exists (select from document d where (d.company_id, d.kind, d.code, d.invoice_id, d.currency, d.amount)
      = (one.company_id, one.kind, one.code, one.invoice_id, one.currency, one.amount))`,
  // The numbers of a year start at 1 and have no gaps.
  numbers: sql`
    select null::integer as company_id, format('%s of %s: %s documents up to number %s, the series is at %s', one.name, one.year, count(*),
      max(number), max(value)) as text
    from (
      select 'invoice' as name, substr(code, 2, 4) as year, substr(code, 8)::integer as number from invoice
      union all select 'creditNote', substr(code, 3, 4), substr(code, 9)::integer from credit_note) one
    left join series on series.name = one.name and series.span = one.year
    group by one.name, one.year
    having count(*) <> max(number) or count(distinct number) <> count(*) or max(number) is distinct from max(value)`,
  disputes: sql`
    select d.company_id, format('invoice %s is marked as %s', d.code, case when d.disputed then 'disputed' else 'not disputed' end)
      as text
    from document d where d.kind = 'invoice' and d.disputed <> exists (
      select from dispute s join payment p on p.id = s.payment_id
      where p.gateway = d.method and p.reference = d.reference and s.state = 'open')`,
}

/** Maximum of faults of one rule that are stored. */
const maxFaultsOfRule = 20

export async function findMoneyCheckFaults(db: DatabaseHandle): Promise<MoneyCheckFault[]> {
  const faults: MoneyCheckFault[] = []
  for (const [rule, statement] of Object.entries(rules)) {
    const { rows } = await statement.execute(db)
    faults.push(...rows.slice(0, maxFaultsOfRule).map(({ company_id, text }) => ({ rule, company_id, text })))
  }
  return faults
}

/** Stores the result of a check and returns its id. Deletes results from before `storedFrom`, epoch ms. */
export async function insertMoneyCheck(
  db: DatabaseHandle,
  { faults, now, storedFrom }: { faults: readonly MoneyCheckFault[]; now: number; storedFrom: number },
): Promise<number> {
  await db.deleteFrom('money_check').where('create_time', '<', storedFrom).execute()
  const { id } = await db
    .insertInto('money_check')
    .values({ faults: JSON.stringify(faults), create_time: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const findMoneyCheck = (db: DatabaseHandle, id: number) =>
  findRow(db.selectFrom('money_check').selectAll().where('id', '=', id))

/** Returns null if the money was not checked yet. */
export const readLatestCheck = (db: DatabaseHandle) =>
  findRow(db.selectFrom('money_check').selectAll().orderBy('id', 'desc').limit(1))
