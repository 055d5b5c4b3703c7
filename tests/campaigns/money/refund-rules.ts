/** Rules about refunds and disputes, for `compareMoney`. They use the views of `check-money.ts`. */
import { type RawBuilder, sql } from 'kysely'

/** Refunds of a payment: `held` are not failed, `sent` were sent back by the gateway, `lost` are among those. */
const sums = sql`
  cross join lateral (select coalesce(sum(amount) filter (where state <> 'failed'), 0) as held,
    coalesce(sum(amount) filter (where state = 'done' and route = 'gateway'), 0) as sent,
    coalesce(sum(amount) filter (where state = 'done' and route <> 'gateway'), 0) as transferred,
    count(*) filter (where state in ('requested', 'pending') or next_look is not null) as running
    from refund where payment_id = m.id) as r`

/** Becomes true when all notices have arrived and all refunds are settled. */
export const unsettledRefunds = sql`
  select m.company_id, format('the gateway sent back %s of payment %s, but %s is recorded, and %s otherwise', b.refunded, m.id,
      r.sent, r.transferred) as text
    from money m join book b on b.gateway = m.gateway and b."references" ? m.reference ${sums}
    where m.is_applied and r.sent < least(b.refunded, m.paid - r.transferred)
  union all select m.company_id, format('%s refunds of payment %s are still running', r.running, m.id)
    from money m ${sums} where r.running > 0
  union all select s.company_id, format('dispute %s is %s, but open in the portal', s.reference, g.status)
    from dispute s join gateway_dispute g on g.id = s.reference where s.state = 'open' and g.status <> 'needs_response'
  union all select m.company_id, format('the portal does not know dispute %s of payment %s', g.id, m.id)
    from gateway_dispute g join book b on b."references" ? g.of join money m on m.gateway = b.gateway and b."references" ? m.reference
    where not exists (select from dispute s where s.reference = g.id)`

export const refundRules: RawBuilder<unknown>[] = [
  sql`select 0 as company_id, format('%s took %s and sent back %s for %s', gateway, taken, refunded, key) as text
    from book where refunded > taken`,
  // Nothing is recorded as sent back that the gateway did not send back, and never more than was paid.
  sql`select m.company_id, format('%s of payment %s is recorded as sent back, but the gateway sent %s', r.sent, m.id, b.refunded)
      as text
    from money m join book b on b.gateway = m.gateway and b."references" ? m.reference ${sums}
    where r.sent > b.refunded`,
  sql`select m.company_id, format('%s of payment %s over %s is refunded', r.held, m.id, m.paid) as text
    from money m ${sums} where r.held > m.paid or r.sent > m.amount`,
  sql`select d.company_id, format('%s: %s is refunded, the register has %s of %s', d.code, r.sum, d.refunded, d.amount) as text
    from document d cross join lateral (
      select coalesce(sum(amount) filter (where state = 'done'), 0) as sum,
        coalesce(sum(amount) filter (where state <> 'failed'), 0) as held from refund where invoice_id = d.invoice_id) r
    where d.kind = 'invoice' and (r.sum <> d.refunded or r.held > d.amount)`,
  sql`select r.company_id, format('refund %s of %s is %s, with the credit notes %s', r.id, r.amount, r.state, n.codes) as text
    from refund r cross join lateral (select array_agg(code) as codes, count(*) as count, sum(amount) as sum from document d
      where d.kind = 'creditNote' and exists (select from credit_note c where c.refund_id = r.id and c.code = d.code)) n
    where (n.count, coalesce(n.sum, 0)) <> case when r.state = 'done' and r.invoice_id is not null then (1::bigint, r.amount)
      else (0::bigint, 0::numeric) end`,
  sql`select 0 as company_id, format('credit notes of %s have gaps: %s up to %s', substr(code, 3, 4), count(*),
      max(substr(code, 9)::integer)) as text
    from credit_note group by substr(code, 3, 4) having count(*) <> max(substr(code, 9)::integer)`,
  sql`select s.company_id, format('dispute %s is %s, but %s at the gateway', s.reference, s.state, g.status) as text
    from dispute s left join gateway_dispute g on g.id = s.reference
    where s.state <> 'open' and g.status is distinct from case s.state when 'closed' then 'warning_closed' else s.state end`,
]
