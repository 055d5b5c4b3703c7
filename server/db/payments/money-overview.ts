/** Sums of all money for the provider's finance staff (decision 124). Needs the system role. Times are epoch ms. */
import { type RawBuilder, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { selectUnpaidAmounts } from '#server/db/orders/unpaid-matters.ts'
import { unsettledStates } from '#server/db/payments/payment-attempts.ts'

interface MoneySum {
  currency: string
  amount: string
  count: number
}

/** A month with its first moment and that of the next month, and its first days. */
export interface MonthRange {
  month: string
  from: number
  until: number
  fromDay: string
  untilDay: string
}

/** Money that arrived: at a gateway, or by a transfer that was credited. Payments with credit have the amount 0.00. */
const received = sql`
  select gateway as method, currency, amount, paid_at, null as day from payment where amount > 0
  union all select 'transfer', currency, amount, null, day from bank_transfer where state = 'credited'`

const sums = sql`round(sum(amount), 2)::text as amount, count(*)::integer as count`

async function select<T>(db: DatabaseHandle, query: RawBuilder<unknown>): Promise<T[]> {
  const { rows } = await (query as RawBuilder<T>).execute(db)
  return rows
}

const toMonthRows = (months: readonly MonthRange[]) => sql`
  jsonb_to_recordset(${JSON.stringify(months)}::jsonb)
    as m(month text, "from" bigint, until bigint, "fromDay" text, "untilDay" text)
  join (${received}) one on one.paid_at >= m."from" and one.paid_at < m.until
    or one.day >= m."fromDay" and one.day < m."untilDay"`

export const sumReceivedByMethod = (db: DatabaseHandle, month: MonthRange) =>
  select<MoneySum & { method: string }>(
    db,
    sql`select method, currency, ${sums} from ${toMonthRows([month])} group by method, currency order by currency, sum(amount) desc`,
  )

export const sumReceivedByMonth = (db: DatabaseHandle, months: readonly MonthRange[]) =>
  select<MoneySum & { month: string }>(
    db,
    sql`select month, currency, ${sums} from ${toMonthRows(months)} group by month, currency order by month, currency`,
  )

/** What is not paid, by days since it was ordered or invoiced. */
export const sumUnpaidByAge = (db: DatabaseHandle, moment: Moment, now: number) =>
  select<MoneySum & { age: 'week' | 'month' | 'twoMonths' | 'older' }>(
    db,
    sql`select currency, ${sums}, age from (
      select currency, amount, case width_bucket((${now}::bigint - create_time) / 86400000.0, array[8, 31, 61]::numeric[])
        when 0 then 'week' when 1 then 'month' when 2 then 'twoMonths' else 'older' end as age
      from (${selectUnpaidAmounts(moment, null)}) unpaid) one
    group by age, currency order by currency, array_position(array['week', 'month', 'twoMonths', 'older'], age)`,
  )

/**
 * Money that was sent back since the given time, and money that is being sent back. A refund to a balance sends nothing. A part of a task's
 * payment that was sent back at the gateway is a refund of its own.
 */
export const sumRefunds = (db: DatabaseHandle, { from, fromDay }: Pick<MonthRange, 'from' | 'fromDay'>) =>
  select<MoneySum & { state: 'done' | 'running' }>(
    db,
    sql`select currency, ${sums}, state from (
      select currency, amount, case state when 'done' then 'done' else 'running' end as state from refund
      where route <> 'credit' and (state in ('requested', 'pending') or state = 'done' and end_time >= ${from})
      union all select p.currency, p.amount - coalesce((select sum(r.amount) from refund r
          where r.payment_id = p.id and r.state = 'done'), 0), case t.state when 'refunded' then 'done' else 'running' end
        from payment_task t join payment p on p.id = t.payment_id
        where t.state = 'refunding' or t.state = 'refunded' and t.end_time >= ${from}
      union all select currency, -amount, 'done' from credit_entry
        where cause = 'withdrawal' and transfer_date >= ${fromDay}) one
    group by state, currency order by state, currency`,
  )

export const sumDisputes = (db: DatabaseHandle) =>
  select<MoneySum>(
    db,
    sql`select currency, ${sums} from dispute where state = 'open' and not is_inquiry group by currency order by currency`,
  )

/** Money that belongs to nobody yet: transfers without a company, and payments that could not be applied (decision 62). */
export const sumUnmatched = (db: DatabaseHandle) =>
  select<MoneySum & { kind: 'transfer' | 'task' }>(
    db,
    sql`select currency, ${sums}, kind from (
      select currency, amount, 'transfer' as kind from bank_transfer where state = 'open'
      union all select p.currency, p.amount, 'task' from payment_task t join payment p on p.id = t.payment_id
        where t.state = 'open') one
    group by kind, currency order by kind, currency`,
  )

const maxBalances = 500

/** Balances that are not zero, largest first in each currency. */
export const listCreditBalances = (db: DatabaseHandle) =>
  select<{
    company_id: number
    company_code: string
    company_name: string
    currency: 'HKD' | 'USD' | 'RMB'
    balance: string
    held: string
  }>(
    db,
    sql`select b.company_id, c.code as company_code, c.name as company_name, b.currency, b.balance::text,
      round(coalesce((select sum(a.credit) from payment_attempt a where a.company_id = b.company_id
        and a.currency = b.currency and a.state in (${sql.join(unsettledStates)})), 0), 2)::text as held
    from credit_balance b join company c on c.id = b.company_id
    where b.balance <> 0 order by b.currency, b.balance desc, b.company_id limit ${maxBalances}`,
  )
