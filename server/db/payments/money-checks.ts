/**
 * Checks all money with one independent statement for each rule over the tables, without code of the writers (decision 123). Needs the system
 * role.
 */
import { type RawBuilder, sql } from 'kysely'
import type { MoneyRule } from '#domain/money-faults.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'

/**
 * Sums of the invoices by gateway, reference and currency, from the register. The rule `documents` compares the register with the contents of
 * all documents, which take much longer to read.
 */
const invoiced = sql`
  select method as gateway, reference, currency, sum(amount) as sum, count(*) as count
  from document where kind = 'invoice' group by method, reference, currency`

/** Each statement returns a row with `company_id` and `values` for each fault. */
const rules: Record<MoneyRule, RawBuilder<unknown>> = {
  // Money that was received, and credit that was used, is on invoices, or is a task of the staff, open or refunded.
  received: sql`
    select company_id, jsonb_build_object('currency', currency, 'received', round(sum(received), 2)::text, 'invoiced', round(sum(invoiced), 2)::text,
      'tasks', round(sum(tasks), 2)::text) as values
    from (
      select company_id, currency, amount as received, 0 as invoiced, 0 as tasks from payment
      union all select company_id, currency, -amount, 0, 0 from credit_entry where cause = 'payment'
      union all select company_id, currency, 0, amount, 0 from document where kind = 'invoice'
      union all select p.company_id, p.currency, 0, 0, p.amount
        from payment_task t join payment p on p.id = t.payment_id where t.state <> 'applied') one
    group by company_id, currency having sum(received) <> sum(invoiced) + sum(tasks)`,
  payment: sql`
    select p.company_id, jsonb_build_object('payment', p.id::text, 'currency', p.currency, 'amount', p.amount::text,
      'credit', round(coalesce(-e.amount, 0), 2)::text, 'invoiced', round(coalesce(i.sum, 0), 2)::text) as values
    from payment p
      left join payment_task t on t.payment_id = p.id
      left join credit_entry e on e.payment_id = p.id
      left join (${invoiced}) i on i.gateway = p.gateway and i.reference = p.reference and i.currency = p.currency
    where coalesce(i.sum, 0) <> case when p.outcome = 'applied' or t.state = 'applied' then p.amount else 0 end
      - coalesce(e.amount, 0) or e.currency <> p.currency or e.company_id <> p.company_id`,
  // Money that was sent back beyond a payment is a fault until the staff have settled it.
  refunds: sql`
    select p.company_id, jsonb_build_object('payment', p.id::text, 'currency', p.currency, 'amount', p.amount::text,
      'credit', round(coalesce(-e.amount, 0), 2)::text, 'refunded', round(sum(r.amount), 2)::text,
      'byGateway', round(coalesce(sum(r.amount) filter (where r.route = 'gateway'), 0), 2)::text) as values
    from refund r join payment p on p.id = r.payment_id left join credit_entry e on e.payment_id = p.id
    where r.state <> 'failed' or r.cause <> 'staff' and r.problem is null and r.seen_time is null
    group by p.id, e.amount
    having bool_or(r.state = 'failed') or sum(r.amount) > p.amount - coalesce(e.amount, 0)
      or sum(r.amount) filter (where r.route = 'gateway') > p.amount or bool_or(r.currency <> p.currency or r.company_id <> p.company_id)`,
  register: sql`
    select d.company_id, jsonb_build_object('invoice', d.code, 'currency', d.currency, 'register', d.refunded::text,
      'refunded', round(coalesce(r.sum, 0), 2)::text, 'noted', round(coalesce(n.sum, 0), 2)::text,
      'registerRunning', d.refunding::text, 'running', round(coalesce(r.running, 0), 2)::text) as values
    from document d
      left join (select invoice_id, sum(amount) filter (where state = 'done') as sum,
        sum(amount) filter (where state in ('requested', 'pending')) as running from refund group by invoice_id) r
        on r.invoice_id = d.invoice_id
      left join (select invoice_id, sum((content ->> 'amount')::numeric) as sum from credit_note group by invoice_id) n
        on n.invoice_id = d.invoice_id
    where d.kind = 'invoice' and (d.refunded <> coalesce(r.sum, 0) or d.refunded <> coalesce(n.sum, 0)
      or d.refunding <> coalesce(r.running, 0))`,
  // A refund without an invoice is for a task, or waits for the staff to choose one of several invoices.
  creditNotes: sql`
    select r.company_id, jsonb_build_object('refund', r.id::text, 'currency', r.currency, 'amount', r.amount::text,
      'notes', count(c.id)::text) as values
    from refund r
      join payment p on p.id = r.payment_id
      left join credit_note c on c.refund_id = r.id and c.invoice_id = r.invoice_id and c.company_id = r.company_id
        and c.content ->> 'currency' = r.currency and (c.content ->> 'amount')::numeric = r.amount
      left join (select gateway, reference, sum(count) as count from (${invoiced}) one group by 1, 2) i
        on i.gateway = p.gateway and i.reference = p.reference
    group by r.id, i.count
    having count(c.id) <> case when r.state = 'done' and (r.invoice_id is not null or i.count = 1) then 1 else 0 end`,
  documents: sql`
    select one.company_id, jsonb_build_object('document', one.code, 'currency', one.currency, 'amount', round(one.amount, 2)::text) as values
    from (
      select i.company_id, 'invoice' as kind, i.code, i.id as invoice_id, c.currency, c.pay_amount as amount,
        c.payment ->> 'gateway' as method, c.payment ->> 'reference' as reference
      from invoice i cross join jsonb_to_record(i.content) as c(currency text, pay_amount numeric, payment jsonb)
      union all select n.company_id, 'creditNote', n.code, n.invoice_id, c.currency, c.amount, c.refund ->> 'method',
        c.refund ->> 'reference'
      from credit_note n cross join jsonb_to_record(n.content) as c(currency text, amount numeric, refund jsonb)) one
    where not exists (select from document d
      where (d.company_id, d.kind, d.code, d.invoice_id, d.currency, d.amount, d.method, d.reference)
        = (one.company_id, one.kind, one.code, one.invoice_id, one.currency, one.amount, one.method, one.reference))`,
  // The numbers of a year start at 1 and have no gaps.
  numbers: sql`
    select null::integer as company_id, jsonb_build_object('prefix', one.prefix, 'year', one.year, 'documents', count(*)::text,
      'last', max(number)::text, 'series', coalesce(max(value), 0)::text) as values
    from (
      select 'invoice' as name, 'I' as prefix, substr(code, 2, 4) as year, substr(code, 8)::integer as number from invoice
      union all select 'creditNote', 'CN', substr(code, 3, 4), substr(code, 9)::integer from credit_note) one
    left join series on series.name = one.name and series.span = one.year
    group by one.name, one.prefix, one.year
    having count(*) <> max(number) or count(distinct number) <> count(*) or max(number) is distinct from max(value)`,
  disputes: sql`
    select company_id, jsonb_build_object('invoice', code) as values
    from document where kind = 'invoice' and disputed <> ((method, reference) in (
      select p.gateway, p.reference from dispute s join payment p on p.id = s.payment_id
      where s.state = 'open' and not s.is_inquiry))`,
  creditBalance: sql`
    select company_id, jsonb_build_object('currency', currency, 'balance', round(sum(balance), 2)::text,
      'entries', round(sum(entries), 2)::text) as values
    from (
      select company_id, currency, balance, 0 as entries from credit_balance
      union all select company_id, currency, 0, amount from credit_entry) one
    group by company_id, currency having sum(balance) <> sum(entries)`,
  creditEntries: sql`
    select company_id, jsonb_build_object('entry', id::text, 'currency', currency, 'balance', balance::text,
      'sum', round(sum, 2)::text) as values
    from (select id, company_id, currency, balance, sum(amount) over (partition by company_id, currency order by id) as sum
      from credit_entry) one
    where balance <> sum`,
  // Credit that open payments need for their part cannot be used otherwise.
  creditInUse: sql`
    select a.company_id, jsonb_build_object('currency', a.currency, 'inUse', round(sum(a.credit), 2)::text,
      'balance', coalesce(b.balance, 0)::text) as values
    from payment_attempt a left join credit_balance b on b.company_id = a.company_id and b.currency = a.currency
    where a.state in ('starting', 'open', 'processing') and a.credit > 0
    group by a.company_id, a.currency, b.balance having sum(a.credit) > coalesce(b.balance, 0)`,
  // A transfer that was credited has an entry, and another one that takes it back if it was corrected.
  creditTransfers: sql`
    select t.company_id, jsonb_build_object('transfer', t.id::text, 'currency', t.currency, 'amount', t.amount::text,
      'state', t.state, 'credited', round(coalesce(sum(e.amount) filter (where e.cause = 'transfer'), 0), 2)::text,
      'corrected', round(coalesce(sum(e.amount) filter (where e.cause = 'correction'), 0), 2)::text) as values
    from bank_transfer t
      left join credit_entry e on e.transfer_id = t.id and e.currency = t.currency and e.company_id = t.company_id
    group by t.id
    having coalesce(sum(e.amount) filter (where e.cause = 'transfer'), 0)
        <> case when t.state in ('credited', 'corrected') then t.amount else 0 end
      or coalesce(sum(e.amount) filter (where e.cause = 'correction'), 0)
        <> case when t.state = 'corrected' then -t.amount else 0 end`,
  creditRefunds: sql`
    select r.company_id, jsonb_build_object('refund', r.id::text, 'currency', r.currency, 'amount', r.amount::text,
      'credited', coalesce(e.amount, 0)::text) as values
    from refund r
      left join credit_entry e on e.refund_id = r.id and e.currency = r.currency and e.company_id = r.company_id
    where coalesce(e.amount, 0) <> case when r.route = 'credit' and r.state = 'done' then r.amount else 0 end`,
  // The difference of a smaller contract is credited at most once, and exactly what was credited is taken back when the change is undone.
  creditContracts: sql`
    select e.company_id, jsonb_build_object('contract', c.code, 'currency', e.currency, 'amount', e.amount::text,
      'difference', (c.residual_amount - c.contract_amount)::text, 'undone', coalesce(b.amount, 0)::text) as values
    from credit_entry e
      join contract c on c.id = e.contract_id
      join service_order o on o.id = c.order_id
      left join credit_entry b on o.restores_id is not null and b.contract_id = o.base_id
    where e.company_id <> c.company_id or e.currency <> c.currency or e.amount <> case
      when o.restores_id is not null then -coalesce(b.amount, 0)
      when o.type = 'change' and c.residual_amount > c.contract_amount then c.residual_amount - c.contract_amount else 0 end
    union all select u.company_id, jsonb_build_object('contract', c.code, 'currency', e.currency, 'amount', e.amount::text,
      'difference', (c.residual_amount - c.contract_amount)::text, 'undone', '0.00')
    from service_order u
      join credit_entry e on e.contract_id = u.base_id
      join contract c on c.id = e.contract_id
    where u.restores_id is not null and u.stored in ('paid', 'overwritten')
      and not exists (select from credit_entry b where b.contract_id = u.contract_id)`,
}

/** Maximum of faults of one rule that are stored. */
const maxFaultsOfRule = 20

/** Reads in one statement. A database error means that the rule could not be checked. */
export async function findFaultsOfRule(db: DatabaseHandle, rule: MoneyRule): Promise<MoneyCheckFault[]> {
  const { rows } = await sql<Omit<MoneyCheckFault, 'rule'>>`
    select fault.company_id, c.name as company_name, fault.values
    from (${rules[rule]}) fault left join company c on c.id = fault.company_id limit ${maxFaultsOfRule}`.execute(db)
  return rows.map((fault) => ({ rule, ...fault }))
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
