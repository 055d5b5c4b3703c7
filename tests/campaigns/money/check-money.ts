/**
 * Checks every amount in the database with independent SQL: money that a gateway took is applied to its orders, backups and months of traffic,
 * each with one invoice, or it was refunded, or staff have a task for it. Runs while no server uses the database.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import { findMoneyFaults } from '#tests/support/orders/money-faults.ts'
import { creditRules } from '#tests/campaigns/money/credit-rules.ts'
import { refundRules, unsettledRefunds } from '#tests/campaigns/money/refund-rules.ts'
import type { TakenPayment } from '#tests/campaigns/gateway-book.ts'

/** A response that the buyer received, which must stay true. */
export interface MoneyClaim {
  kind: 'order' | 'backup' | 'traffic'
  id: number
  state: 'ordered' | 'paid' | 'deleted'
}

export interface MoneyFault {
  companyId: number
  text: string
}

export interface MoneyReport {
  faults: MoneyFault[]
  /** Payments that were taken but not recorded, because a kill came between gateway and commit. After enough time they are faults. */
  pendingFaults: MoneyFault[]
  outcomes: Record<string, number>
}

export interface CheckInput {
  /**
   * Reads the payments at the gateways. Called after the snapshot has begun, so the gateways may be ahead of the database, but never behind
   * it.
   */
  readBook: () => Promise<TakenPayment[]>
  claims: readonly MoneyClaim[]
}

/** Reads everything in one snapshot, because the database may still execute statements that the killed server had sent. */
export const checkMoney = ({ kysely }: Database, { readBook, claims }: CheckInput): Promise<MoneyReport> =>
  kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      // The first query takes the snapshot.
      await sql`select 1 from payment limit 1`.execute(db)
      return await compareMoney(db, await readBook(), claims)
    })

export async function compareMoney(
  db: DatabaseHandle,
  book: readonly TakenPayment[],
  claims: readonly MoneyClaim[],
): Promise<MoneyReport> {
  await sql`set local role portal_system`.execute(db)
  const commonViews = buildViews(book, claims)
  const faults: MoneyFault[] = []
  for (const rule of [...rules, ...refundRules, ...creditRules])
    faults.push(...(await findFaults(db, sql`${commonViews} ${rule}`)))
  return {
    faults: [...faults, ...findTakenTwice(book), ...(await findFaultsOfServer(db))],
    pendingFaults: [
      ...(await findFaults(db, sql`${commonViews} ${unwrittenPayments}`)),
      ...(await findFaults(db, sql`${commonViews} ${unsettledRefunds}`)),
    ],
    outcomes: await countOutcomes(db, commonViews),
  }
}

/**
 * The server's own check must agree at any time, also in the middle of everything. What a gateway sends back beyond a payment is a fault that it
 * must find, until the staff have settled it.
 */
async function findFaultsOfServer(db: DatabaseHandle): Promise<MoneyFault[]> {
  const faults = await findMoneyFaults(db)
  const { rows } = await sql<{ payment: string }>`select distinct payment_id::text as payment from refund
    where cause <> 'staff' and state = 'failed' and problem is null and seen_time is null`.execute(db)
  const beyondPayments = new Set(rows.map(({ payment }) => payment))
  const isBeyond = ({ rule, values }: (typeof faults)[number]) =>
    rule === 'refunds' && beyondPayments.has(values?.['payment'] ?? '')
  return faults
    .filter((fault) => !isBeyond(fault))
    .map(({ rule, company_id, values }) => ({
      companyId: company_id ?? 0,
      text: `rule ${rule}: ${JSON.stringify(values)}`,
    }))
}

const toDisputes = ({ references: [of], disputes }: TakenPayment) => disputes.map((dispute) => ({ ...dispute, of }))

async function findFaults(db: DatabaseHandle, query: RawBuilder<unknown>): Promise<MoneyFault[]> {
  const { rows } = await (query as RawBuilder<{ company_id: number | null; text: string }>).execute(db)
  return rows.map(({ company_id, text }) => ({ companyId: company_id ?? 0, text }))
}

async function countOutcomes(db: DatabaseHandle, commonViews: RawBuilder<unknown>): Promise<Record<string, number>> {
  const { rows } = await sql<{ outcome: string; count: number }>`
    ${commonViews} select concat_ws(', task ', m.outcome, m.task) as outcome, count(*)::integer as count
    from money m join buyer on buyer.id = m.company_id group by 1`.execute(db)
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}

function findTakenTwice(book: readonly TakenPayment[]): MoneyFault[] {
  const byKey = Map.groupBy(book, ({ key }) => key)
  return [...byKey]
    .filter(([, payments]) => payments.length > 1)
    .map(([key, payments]) => ({ companyId: 0, text: `a gateway took money ${payments.length} times for ${key}` }))
}

/**
 * Defines views with amounts in units of the currency. `book`: what gateways took and refunded. `owed`: what can be paid. `money`: recorded
 * payments with their tasks, where `paid` includes credit. `part`: the orders, backups and traffic of a payment, several with a group (decision 110). `bill`: invoices with
 * the same. `credited_change`: what changes credit of what they do not use, according to the steps that their buyers saw.
 */
const buildViews = (book: readonly TakenPayment[], claims: readonly MoneyClaim[]) => sql`
  with book as (
    select key, gateway, "references", currency, (amount / 100)::numeric(16, 2) as taken,
      (refunded / 100)::numeric(16, 2) as refunded
    from jsonb_to_recordset(${JSON.stringify(book)}::jsonb)
      as b(key text, gateway text, "references" jsonb, currency text, amount numeric, refunded numeric)),
  gateway_dispute as (
    select d.* from jsonb_to_recordset(${JSON.stringify(book.flatMap(toDisputes))}::jsonb) as d(id text, of text, status text)),
  claim as (select * from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as c(kind text, id integer, state text)),
  buyer as (select id from company where code ~ '^h[0-9]'),
  owed as (
    select 'order' as kind, id, company_id, code, currency, pay_amount, stored in ('paid', 'overwritten') as is_paid,
      stored || case when deleted then ', deleted' else '' end as state
    from service_order
    union all select 'backup', id, company_id, service_code, currency, pay_amount, status = 1, status::text from backup_order
    union all select 'traffic', id, company_id, service_code, currency, amount, pay_date is not null,
      coalesce(pay_date, 'unpaid') from traffic),
  money as (
    select p.*, gateway not in ('simulate', 'credit', 'transfer') as is_real,
      amount - coalesce((select e.amount from credit_entry e where e.payment_id = p.id), 0) as paid, t.id as task_id, t.state as task,
      outcome = 'applied' or coalesce(t.state, '') = 'applied' as is_applied,
      coalesce(group_id, order_id, backup_order_id, traffic_id) as subject_id,
      case when group_id is not null then 'group' when order_id is not null then 'order'
        when backup_order_id is not null then 'backup' else 'traffic' end as kind
    from payment p left join payment_task t on t.payment_id = p.id),
  group_part as (
    select group_id, company_id, coalesce(order_id, backup_order_id, traffic_id) as subject_id,
      case when order_id is not null then 'order' when backup_order_id is not null then 'backup' else 'traffic' end as kind
    from payment_group_item),
  part as (
    select id as payment_id, company_id, currency, is_applied, task, reference, kind, subject_id from money where group_id is null
    union all select m.id, m.company_id, m.currency, m.is_applied, m.task, m.reference, g.kind, g.subject_id
      from money m join group_part g on g.group_id = m.group_id),
  credited_change as (
    select o.id, o.company_id, o.currency, o.residual_amount - o.contract_amount as unused,
      coalesce((s -> 'values' ->> 'credited')::numeric, 0) as credited,
      exists (select from service_order u where u.base_id = o.contract_id and u.restores_id is not null) as is_undone
    from service_order o cross join jsonb_array_elements(o.steps) s where s ->> 'code' = 'due' and o.contract_id is not null),
  bill as (
    select i.*, coalesce(order_id, backup_order_id, traffic_id) as subject_id,
      case when order_id is not null then 'order' when backup_order_id is not null then 'backup' else 'traffic' end as kind,
      (content ->> 'pay_amount')::numeric as charged, content ->> 'currency' as currency
    from invoice i)`

/**
 * Payments that a gateway took and that are not recorded, and refunds that are in progress. Abandoned attempts are included until staff
 * check them.
 */
const unwrittenPayments = sql`
  select a.company_id, format('%s %s was taken by %s for %s, but the attempt is %s', b.currency, b.taken, b.gateway, b.key, a.state)
    as text
  from book b join payment_attempt a on a.key = b.key where a.state <> 'paid'
  union all select m.company_id, format('task %s of %s %s is still being refunded', m.task_id, m.currency, m.amount)
  from money m where m.task = 'refunding'`

const rules: RawBuilder<unknown>[] = [
  // Each payment at a gateway has an attempt with the same amount.
  sql`select 0 as company_id, format('%s took %s %s for %s, but no attempt was recorded before', b.gateway, b.currency,
      b.taken, b.key) as text
    from book b where not exists (select from payment_attempt a where a.key = b.key)`,
  sql`select a.company_id, format('%s took %s %s for %s, but %s %s was requested from %s', b.gateway, b.currency, b.taken, b.key,
      a.currency, a.amount, a.gateway) as text
    from book b join payment_attempt a on a.key = b.key
    where (a.currency, a.amount, a.gateway) is distinct from (b.currency, b.taken, b.gateway)`,
  // A paid attempt has one payment, and a payment through a gateway has one attempt and the gateway's money.
  sql`select a.company_id, format('attempt %s was paid by %s, but %s payments refer to it', a.id, a.gateway_id, count(m.id)) as text
    from payment_attempt a left join money m on m.gateway = a.gateway and m.reference = a.gateway_id
    where a.state = 'paid' group by a.id having count(m.id) <> 1`,
  sql`select m.company_id, format('payment %s of %s %s by %s %s differs from the data of the gateway: %s %s', m.id, m.currency, m.amount,
      m.gateway, m.reference, b.currency, b.taken) as text
    from money m left join book b on b.gateway = m.gateway and b."references" ? m.reference
    where m.is_real and (b.key is null or (m.currency, m.amount) is distinct from (b.currency, b.taken))`,
  sql`select m.company_id, format('payment %s is for %s %s of company %s, but its attempt is for %s', m.id, m.kind, m.subject_id,
      m.company_id, to_jsonb(a)) as text
    from money m join book b on b.gateway = m.gateway and b."references" ? m.reference join payment_attempt a on a.key = b.key
    where (m.company_id, m.group_id, m.order_id, m.backup_order_id, m.traffic_id)
      is distinct from (a.company_id, a.group_id, a.order_id, a.backup_order_id, a.traffic_id)`,
  // A group is a set of at least two items of one company. Its payments and attempts also name its first item (migration 059).
  sql`select g.company_id, format('group %s (%s) has %s items, of which %s are of its company', g.id, g.items, count(i.kind),
      count(i.kind) filter (where i.company_id = g.company_id)) as text
    from payment_group g left join group_part i on i.group_id = g.id
    group by g.id having count(i.kind) < 2 or count(i.kind) <> array_length(string_to_array(g.items, ','), 1)
      or count(i.kind) <> count(*) filter (where i.company_id = g.company_id)`,
  sql`select p.company_id, format('%s %s of group %s names an item that is not in the group', p.source, p.id, p.group_id) as text
    from (select 'payment' as source, id, company_id, group_id, order_id, backup_order_id, traffic_id from payment
      union all select 'attempt', id, company_id, group_id, order_id, backup_order_id, traffic_id from payment_attempt) as p
    where p.group_id is not null and not exists (select from payment_group_item i where i.group_id = p.group_id
      and (i.company_id, i.order_id, i.backup_order_id, i.traffic_id)
        is not distinct from (p.company_id, p.order_id, p.backup_order_id, p.traffic_id))`,
  // Applied money belongs to its items: each is paid, and together they cost the amount. All other money needs a refund or a task.
  sql`select m.company_id, format('payment %s was applied to %s %s, which is %s, of company %s and in %s', m.payment_id, m.kind,
      m.subject_id, o.state, o.company_id, o.currency) as text
    from part m left join owed o on o.kind = m.kind and o.id = m.subject_id
    where m.is_applied and (o.is_paid is not true or (o.company_id, o.currency) is distinct from (m.company_id, m.currency))`,
  sql`select m.company_id, format('%s %s was applied to %s %s, which costs %s', m.currency, m.paid, m.kind, m.subject_id,
      cost.sum) as text
    from money m cross join lateral (select sum(o.pay_amount) from part p join owed o on o.kind = p.kind and o.id = p.subject_id
      where p.payment_id = m.id) as cost
    where m.is_applied and cost.sum is distinct from m.paid`,
  sql`select m.company_id, format('%s %s by %s %s has no owner: %s for %s %s', m.currency, m.amount, m.gateway, m.reference,
      m.outcome, m.kind, m.subject_id) as text
    from money m join book b on b.gateway = m.gateway and b."references" ? m.reference
    where not m.is_applied and m.task_id is null`,
  // A staff task exists only for money that was not applied, and its state agrees with the gateway.
  sql`select m.company_id, format('payment %s was applied at once, but task %s exists for it', m.id, m.task_id) as text
    from money m where m.outcome = 'applied' and m.task_id is not null`,
  sql`select m.company_id, format('task %s is %s, but the gateway refunded %s of %s', m.task_id, m.task, b.refunded, b.taken)
      as text
    from money m join book b on b.gateway = m.gateway and b."references" ? m.reference
    where m.task_id is not null and case m.task when 'refunded' then b.refunded <> b.taken
      when 'refunding' then b.refunded not in (0, b.taken) when 'applied' then false else b.refunded <> 0 end`,
  // A paid item has all effects of its payment exactly once, an unpaid item has none. An item that costs nothing has neither payment nor
  // invoice.
  sql`select o.company_id, format('%s %s (%s, %s %s) has %s payments and %s invoices', o.kind, o.id, o.state, o.currency,
      o.pay_amount, p.count, i.count) as text
    from owed o join buyer on buyer.id = o.company_id
      cross join lateral (select count(*) from part m where m.kind = o.kind and m.subject_id = o.id
        and m.is_applied) as p
      cross join lateral (select count(*) from bill where bill.kind = o.kind and bill.subject_id = o.id) as i
    where (p.count, i.count) is distinct from case when o.is_paid and o.pay_amount > 0 then (1::bigint, 1::bigint)
      else (0::bigint, 0::bigint) end`,
  sql`select o.company_id, format('invoice %s has %s %s for %s %s, which cost %s %s and was paid with %s', bill.code,
      bill.currency, bill.charged, o.kind, o.id, o.currency, o.pay_amount, m.reference) as text
    from bill join owed o on o.kind = bill.kind and o.id = bill.subject_id join buyer on buyer.id = o.company_id
      left join part m on m.kind = o.kind and m.subject_id = o.id and m.is_applied
    where (bill.company_id, bill.currency, bill.charged, bill.content -> 'payment' ->> 'reference')
      is distinct from (o.company_id, o.currency, o.pay_amount, m.reference)`,
  sql`select o.company_id, format('order %s is %s with %s contracts', o.id, o.state, count(c.id)) as text
    from owed o join buyer on buyer.id = o.company_id left join contract c on c.order_id = o.id
    where o.kind = 'order' group by o.id, o.company_id, o.state, o.is_paid
    having count(c.id) <> case when o.is_paid then 1 else 0 end`,
  // A service has at most one contract in force and one unpaid order. A contract is the base of at most one paid order.
  sql`select company_id, format('%s contracts of %s are in force', count(*), service_code) as text
    from contract where not overwritten group by company_id, service_code having count(*) > 1`,
  sql`select company_id, format('%s orders of %s are unpaid at the same time', count(*), code) as text
    from service_order where stored = 'unpaid' and not deleted group by company_id, code having count(*) > 1`,
  sql`select company_id, format('contract %s is the base of %s paid orders', base_id, count(*)) as text
    from service_order where base_id is not null and stored in ('paid', 'overwritten')
    group by company_id, base_id having count(*) > 1`,
  sql`select o.company_id, format('order %s is %s, but its contract %s is %s', o.id, o.stored, c.id,
      case when c.overwritten then 'overwritten' else 'in force' end) as text
    from service_order o join contract c on c.order_id = o.id where (o.stored = 'overwritten') <> c.overwritten`,
  // The paid segments of a contract are what its orders bought (D12).
  sql`select c.company_id, format('contract %s of order %s (%s) has the segments %s, but was sold with %s', c.id, o.id, o.type,
      c.segments, sold.segments) as text
    from contract c join buyer on buyer.id = c.company_id join service_order o on o.id = c.order_id
      left join contract base on base.id = o.base_id
      left join contract restored on restored.id = o.restores_id
      cross join lateral (select jsonb_build_object('start', o.period_start, 'end', o.period_end, 'annual', o.annual::text)
        as segment, to_char(to_timestamp(o.create_time / 1000) at time zone 'UTC' + interval '8 hours', 'YYYY-MM-DD') as day)
        as own
      cross join lateral (select case
        when restored.id is not null then restored.segments
        -- What was waived was not paid for: what was paid before still counts (decision 63).
        when o.waived is not null then base.segments
        when o.type = 'change' then (
          select jsonb_agg(case when s ->> 'end' > o.period_start collate "C" then jsonb_build_object(
            'start', greatest(s ->> 'start', o.period_start), 'end', s ->> 'end', 'annual', o.annual::text) else s end order by n)
          from jsonb_array_elements(base.segments) with ordinality as t(s, n))
        when base.id is not null and own.day < base.period_end then base.segments || own.segment
        else jsonb_build_array(own.segment) end as segments) as sold
    where c.segments <> sold.segments`,
  // A change omits segments that are already over, so they may start later than the contract.
  sql`select c.company_id, format('contract %s runs from %s to %s, but its segments are %s', c.id, c.period_start, c.period_end,
      c.segments) as text
    from contract c join buyer on buyer.id = c.company_id
    where c.segments -> 0 ->> 'start' < c.period_start or c.segments -> -1 ->> 'end' <> c.period_end
      or exists (select from jsonb_array_elements(c.segments) with ordinality as t(s, n)
        where s ->> 'start' >= s ->> 'end' or n > 1 and s ->> 'start' < c.segments -> (n::integer - 2) ->> 'end')`,
  // The price of a service's orders equals the invoiced amount.
  sql`select o.company_id, format('orders of %s cost %s %s, but %s was invoiced', o.code, o.currency, sum(o.pay_amount),
      coalesce(sum(bill.charged), 0)) as text
    from owed o join buyer on buyer.id = o.company_id left join bill on bill.kind = o.kind and bill.subject_id = o.id
    where o.is_paid group by o.company_id, o.code, o.currency
    having sum(o.pay_amount) <> coalesce(sum(bill.charged), 0)`,
  // For each currency, the money at the gateways without refunds is applied or waits for a decision by staff.
  sql`select 0 as company_id, format('%s: the gateways have %s, but %s is applied and %s is not applied', currency, sum(has), sum(applied),
      sum(waits)) as text
    from (
      select b.currency, b.taken - b.refunded as has, 0 as applied, 0 as waits
      from book b join payment_attempt a on a.key = b.key and a.state = 'paid'
      union all select m.currency, 0, m.amount - b.refunded, 0 from money m
        join book b on b.gateway = m.gateway and b."references" ? m.reference where is_real and is_applied
      union all select m.currency, 0, 0, m.amount - b.refunded from money m
        join book b on b.gateway = m.gateway and b."references" ? m.reference where not m.is_applied) as one
    group by currency having sum(has) <> sum(applied) + sum(waits)`,
  // An amount too small to be charged is waived or carried to the next month. Nothing is lost.
  sql`select company_id, format('%s %s: %s is waived, but %s is due', kind, id, waived, pay_amount) as text
    from (select 'order' as kind, id, company_id, waived, pay_amount from service_order
      union all select 'backup', id, company_id, waived, pay_amount from backup_order) as one
    where waived is not null and (pay_amount <> 0 or waived <= 0)`,
  sql`select t.company_id, format('traffic %s has %s carried in, but %s was carried over', t.id, t.carried_in, coalesce(f.sum, 0))
      as text
    from traffic t left join lateral (select sum(carried_out) from traffic f where f.carried_to = t.id) f on true
    where t.carried_in <> coalesce(f.sum, 0)`,
  // Invoice numbers start at 1 each year and have no gaps (D90).
  sql`select 0 as company_id, format('invoices of %s have gaps: %s up to %s', substr(code, 2, 4), count(*),
      max(substr(code, 8)::integer)) as text
    from invoice group by substr(code, 2, 4) having count(*) <> max(substr(code, 8)::integer)`,
  // The responses that buyers received are still true.
  sql`select o.company_id, format('%s %s is %s, but its buyer was informed that it is %s', c.kind, c.id, coalesce(o.state, 'missing'),
      c.state) as text
    from claim c left join owed o on o.kind = c.kind and o.id = c.id left join service_order s on s.id = c.id and c.kind = 'order'
    where case c.state when 'ordered' then o.id is null when 'paid' then o.is_paid is not true
      -- What was deleted comes back when its money is applied after all.
      else s.deleted is not true and not exists (
        select from part m where m.kind = 'order' and m.subject_id = s.id and m.task = 'applied') end`,
]
