/** Unpaid items of one company or of all, and facts from which the payer of a transfer is recognised (decision 124). Needs the system role. */
import { sql } from 'kysely'
import { PROVIDER } from '#domain/access.ts'
import type { Currency } from '#domain/money.ts'
import type { PlainDate, Timestamp } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { isUnpaidBackup, isUnpaidOrder, isUnpaidTraffic } from '#server/db/orders/unpaid-matters.ts'
import type { PayableItemRef } from '#server/db/payments/payables.ts'
import { unsettledStates } from '#server/db/payments/payment-attempts.ts'

export interface UnpaidItem extends PayableItemRef {
  company_id: number
  type: 'create' | 'extend' | 'change' | 'pdb2s3' | 'pdb2rds' | 'traffic'
  service_code: string
  currency: Currency
  amount: string
  /** Of an order. That of a backup follows from the other times, and a month of traffic has none. */
  due: Timestamp | null
  create_time: number
  period_end: PlainDate
}

/** Sorted by id within each kind. `companyId` null: of all companies. */
export async function listUnpaidItems(
  db: DatabaseHandle,
  moment: Moment,
  companyId: number | null,
): Promise<UnpaidItem[]> {
  const isOf = (column: string) => (companyId === null ? sql`true` : sql`${sql.ref(column)} = ${companyId}`)
  const { rows } = await sql<UnpaidItem>`
    select 'order' as kind, p.id, p.company_id, p.type, p.code as service_code, p.currency, p.pay_amount::text as amount,
      p.due, p.create_time, p.period_end
    from service_order p where ${isUnpaidOrder(moment)} and ${isOf('p.company_id')}
    union all
    select 'backup', backup_order.id, backup_order.company_id, backup_order.pdb_type, backup_order.service_code,
      backup_order.currency, backup_order.pay_amount::text, null, backup_order.create_time, backup_order.period_end
    from backup_order where ${isUnpaidBackup(moment)} and ${isOf('backup_order.company_id')}
    union all
    select 'traffic', t.id, t.company_id, 'traffic', t.service_code, t.currency, t.amount::text, null, t.create_time,
      t.period_end
    from traffic t where ${isUnpaidTraffic} and ${isOf('t.company_id')}
    order by 1, 2`.execute(db)
  return rows.map((row) => ({ ...row, create_time: Number(row.create_time) }))
}

export interface CompanyCredit {
  company_id: number
  currency: Currency
  balance: string
  /** Without what attempts of payment hold that are not settled. */
  available: string
}

/** Returns balances that are not zero. `companyId` null: of all companies. */
export async function listCompanyCredit(db: DatabaseHandle, companyId: number | null): Promise<CompanyCredit[]> {
  const { rows } = await sql<CompanyCredit>`
    select b.company_id, b.currency, b.balance::text as balance,
      greatest(b.balance - coalesce((select sum(a.credit) from payment_attempt a where a.company_id = b.company_id
        and a.currency = b.currency and a.credit > 0 and a.state = any(${[...unsettledStates]}::text[])), 0), 0)::numeric(16, 2)::text
        as available
    from credit_balance b where b.balance > 0 and ${companyId === null ? sql`true` : sql`b.company_id = ${companyId}`}
    order by b.company_id, b.currency`.execute(db)
  return rows
}

export interface CustomerName {
  id: number
  code: string
  name: string
}

export const listCustomerNames = (db: DatabaseHandle): Promise<CustomerName[]> =>
  db.selectFrom('company').select(['id', 'code', 'name']).where('code', '<>', PROVIDER).orderBy('id').execute()

export interface NumberedProforma {
  code: string
  company_id: number
  items: PayableItemRef[]
}

/** Returns the pro-formas with these numbers, and their items. */
export async function findProformasByCode(db: DatabaseHandle, codes: readonly string[]): Promise<NumberedProforma[]> {
  const { rows } = await sql<NumberedProforma>`
    select f.code, f.company_id, coalesce(
      (select json_agg(json_build_object('kind', ${kindOf('i')}, 'id', coalesce(i.order_id, i.backup_order_id, i.traffic_id)) order by i.id)
        from payment_group_item i where i.group_id = f.group_id),
      json_build_array(json_build_object('kind', ${kindOf('f')}, 'id', coalesce(f.order_id, f.backup_order_id, f.traffic_id)))) as items
    from proforma f where f.code = any(${codes}::text[])`.execute(db)
  return rows
}

const kindOf = (row: 'i' | 'f') =>
  sql`case when ${sql.ref(`${row}.order_id`)} is not null then 'order'
    when ${sql.ref(`${row}.backup_order_id`)} is not null then 'backup' else 'traffic' end`

export interface NumberedService {
  code: string
  company_id: number
  service_code: string
}

/** Returns the services of the contracts and invoices with these numbers. */
export async function findServicesByNumber(db: DatabaseHandle, codes: readonly string[]): Promise<NumberedService[]> {
  const { rows } = await sql<NumberedService>`
    select code, company_id, service_code from contract where code = any(${codes}::text[])
    union
    select code, company_id, service_code from document where kind = 'invoice' and code = any(${codes}::text[])`.execute(
    db,
  )
  return rows
}
