/** The orders of all companies, one per service code. All reads need the system role. */
import { sql } from 'kysely'
import { listCustomerOrders } from '#contract/staff/customers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { getOrderColumns, type OrderRecord, selectOrders } from '#server/db/orders/orders.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export type CustomerOrderRecord = OrderRecord & { company_code: string; company_name: string }

interface AllOrdersScope {
  moment: Moment
}

const getColumns = (moment: Moment) => ({
  ...getOrderColumns(moment),
  company_code: { value: sql.ref('company.code'), folded: sql.ref('company.code') },
  company_name: {
    value: sql.ref('company.name'),
    folded: sql`(lower(normalize(company.name, nfkc)) collate "C")`,
  },
})

const selectListedOrders = (db: DatabaseHandle, moment: Moment) =>
  selectOrders(db, moment)
    .innerJoin('company', 'company.id', 'service_order.company_id')
    .select(['company.code as company_code', 'company.name as company_name'])
    .where('is_listed', '=', true)

export const customerOrderReads: ListReads<AllOrdersScope, CustomerOrderRecord, null> = {
  readLatestChange: async () => null,
  async readPage(db, { moment }, query) {
    // Selects ids first, as the list of one company does.
    const listedIds = db
      .selectFrom('service_order')
      .innerJoin('company', 'company.id', 'service_order.company_id')
      .select('service_order.id')
      .where('is_listed', '=', true)
    const { count, rows } = await readListPage(listedIds, listCustomerOrders, getColumns(moment), query, {
      hasNoNulls: true,
    })
    if (rows.length === 0) return { count, rows: [] }
    const positions = new Map(rows.map(({ id }, position) => [id, position]))
    const orders = await selectListedOrders(db, moment)
      .where('service_order.id', 'in', [...positions.keys()])
      .execute()
    return { count, rows: orders.toSorted((a, b) => (positions.get(a.id) ?? 0) - (positions.get(b.id) ?? 0)) }
  },
  readChanges: () => Promise.reject(new ProblemError('GONE')),
  readRowsAfter: (db, { moment }, id, limit) =>
    selectListedOrders(db, moment)
      .where('service_order.id', '>', id)
      .orderBy('service_order.id')
      .limit(limit)
      .execute(),
}
