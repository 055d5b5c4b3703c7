/** The payments of a customer that a gateway reported, with the paid item and its invoice. All reads need the system role. */
import { sql } from 'kysely'
import { listCustomerPayments } from '#contract/staff/customers.ts'
import type { DueType } from '#domain/dues.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { selectGroupCodes } from '#server/db/payments/payment-groups.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export interface CustomerPaymentRecord {
  id: number
  company_id: number
  /** `group`: several items that were paid together. */
  type: DueType | 'group'
  service_code: string
  /** Epoch ms. */
  paid_at: number
  currency: string
  amount: string
  gateway: string
  reference: string
  /** Numbers of all invoices of the payment, such as `I202603000001, I202603000002`. */
  invoice_no: string | null
  state: 'applied' | 'open' | 'refunding' | 'refunded'
  contract_id: number | null
}

/** `outcome` never changes: what became of a payment that was not applied when it arrived is in its task (decision 62). */
const selectPayments = (db: DatabaseHandle, companyId: number) =>
  db
    .selectFrom(
      sql<CustomerPaymentRecord & { reference_key: string; invoice_key: string }>`(
        select payment.id, payment.company_id, payment.paid_at, payment.currency, payment.amount, payment.gateway,
          payment.reference, money.state,
          case when payment.group_id is null then coalesce(o.type, b.pdb_type, 'traffic') else 'group' end as type,
          coalesce(${selectGroupCodes(sql.ref('payment.group_id'))}, o.code, b.service_code, t.service_code) as service_code,
          case when money.state = 'applied' and payment.group_id is null then o.contract_id end as contract_id,
          invoices.codes as invoice_no,
          lower(payment.reference) as reference_key, coalesce(lower(invoices.codes), '') as invoice_key
        from payment
        left join payment_task task on task.payment_id = payment.id
        cross join lateral (
          select case when payment.outcome = 'applied' then 'applied' else coalesce(task.state, 'open') end as state) money
        left join service_order o on o.id = payment.order_id
        left join backup_order b on b.id = payment.backup_order_id
        left join traffic t on t.id = payment.traffic_id
        left join lateral (
          select string_agg(invoice.code, ', ' order by invoice.code) as codes from invoice
          where money.state = 'applied' and invoice.company_id = payment.company_id and (
            payment.group_id is null and (invoice.order_id = payment.order_id
              or invoice.backup_order_id = payment.backup_order_id or invoice.traffic_id = payment.traffic_id)
            or exists (select from payment_group_item i where i.group_id = payment.group_id
              and (invoice.order_id = i.order_id or invoice.backup_order_id = i.backup_order_id
                or invoice.traffic_id = i.traffic_id)))) invoices on true
        where payment.company_id = ${companyId})`.as('item'),
    )
    .selectAll()

const paymentColumns = {
  id: sql.ref('item.id'),
  service_code: { value: sql.ref('item.service_code'), folded: sql.ref('item.service_code') },
  invoice_no: { value: sql.ref('item.invoice_no'), folded: sql.ref('item.invoice_key') },
  reference: { value: sql.ref('item.reference'), folded: sql.ref('item.reference_key') },
  paid_time: sql`(item.paid_at / 1000)`,
}

export const customerPaymentReads: ListReads<{ companyId: number }, CustomerPaymentRecord, null> = {
  readLatestChange: async () => null,
  readPage: (db, { companyId }, query) =>
    // The cast is needed because the rows are those of a subquery, and not of a table.
    readListPage(selectPayments(db, companyId) as never, listCustomerPayments, paymentColumns, query),
  readChanges: () => Promise.reject(new ProblemError('GONE')),
  readRowsAfter: (db, { companyId }, id, limit) =>
    selectPayments(db, companyId).where('id', '>', id).orderBy('id').limit(limit).execute(),
}
