/** Rules about credit balances, for `compareMoney`. They use the views of `check-money.ts`, and not what the payments wrote as entries. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Money received = orders paid with money + money sent back + increase of credit from money + open tasks. Transfers that nobody has credited
 * have no company, so the sums are for each currency.
 */
const equation = sql`
  select 0 as company_id, format('%s: %s received, but orders %s, sent back %s, credit %s and open %s', currency, sum(received),
      sum(orders), sum(sent), sum(credit), sum(open)) as text
    from (
      select currency, amount as received, 0 as orders, 0 as sent, 0 as credit, 0 as open
        from money join buyer on buyer.id = money.company_id
      union all select currency, amount, 0, case state when 'returned' then amount else 0 end, 0,
          case when state in ('open', 'dismissed') then amount else 0 end
        from bank_transfer where state <> 'corrected'
      union all select currency, 0, charged, 0, 0, 0 from bill join buyer on buyer.id = bill.company_id
      union all select r.currency, 0, -r.amount, case r.route when 'credit' then 0 else r.amount end, 0, 0
        from refund r join money m on m.id = r.payment_id join buyer on buyer.id = m.company_id
        where m.is_applied and r.state = 'done'
      union all select m.currency, 0, 0, coalesce(b.refunded, 0), 0, m.amount - coalesce(b.refunded, 0)
        from money m join buyer on buyer.id = m.company_id
          left join book b on b.gateway = m.gateway and b."references" ? m.reference
        where not m.is_applied
      union all select currency, 0, case cause when 'payment' then amount else 0 end,
          case cause when 'withdrawal' then -amount else 0 end,
          case when cause in ('transfer', 'correction', 'creditNote', 'withdrawal') then amount else 0 end, 0
        from credit_entry join buyer on buyer.id = credit_entry.company_id) one
    group by currency having sum(received) <> sum(orders) + sum(sent) + sum(credit) + sum(open)`

export const creditRules: RawBuilder<unknown>[] = [
  equation,
  // What is left is what came in, without what paid for invoices beyond the gateways' money, and without withdrawals.
  sql`select company_id, format('%s: %s came in, %s paid for invoices and %s was withdrawn, but the balance is %s', currency, sum(came),
      sum(paid), sum(withdrawn), sum(balance)) as text
    from (
      select company_id, currency, amount as came, 0 as paid, 0 as withdrawn, 0 as balance
        from refund where route = 'credit' and state = 'done'
      union all select company_id, currency, amount, 0, 0, 0 from bank_transfer where state = 'credited'
      union all select company_id, currency, credited, 0, 0, 0 from credited_change where not is_undone
      union all select company_id, currency, 0, charged, 0, 0 from bill
      union all select company_id, currency, 0, -amount, 0, 0 from money where is_applied
      union all select company_id, currency, 0, 0, -amount, 0 from credit_entry where cause = 'withdrawal'
      union all select company_id, currency, 0, 0, 0, balance from credit_balance) one
    group by company_id, currency having sum(came) - sum(paid) - sum(withdrawn) <> sum(balance)`,
  // A change credits exactly what it does not use, or its buyer was told that nothing is refunded.
  sql`select company_id, format('change %s credits %s, but %s is not used', id, credited, unused) as text
    from credited_change where credited <> 0 and credited <> unused`,
  // The invoices of a payment name the credit that it used.
  sql`select m.company_id, format('payment %s used %s of credit, but its invoices name %s', m.id, m.paid - m.amount, i.sum) as text
    from money m cross join lateral (
      select coalesce(sum((b.content -> 'payment' ->> 'credit')::numeric), 0) as sum from bill b
      where b.content -> 'payment' ->> 'gateway' = m.gateway and b.content -> 'payment' ->> 'reference' = m.reference) i
    where m.paid - m.amount <> i.sum`,
  sql`select m.company_id, format('payment %s by %s has the amount %s', m.id, m.gateway, m.amount) as text
    from money m where m.gateway in ('credit', 'transfer') and m.amount <> 0`,
  sql`select a.company_id, format('open payments use %s of %s %s', sum(a.credit), a.currency, coalesce(b.balance, 0)) as text
    from payment_attempt a left join credit_balance b on b.company_id = a.company_id and b.currency = a.currency
    where a.state in ('starting', 'open', 'processing')
    group by a.company_id, a.currency, b.balance having sum(a.credit) > coalesce(b.balance, 0)`,
]
