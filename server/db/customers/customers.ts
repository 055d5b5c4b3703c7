/** Rows of customers, computed from their orders, payments, services and trail. All reads need the system role. */
import { sql } from 'kysely'
import { PROVIDER } from '#domain/access.ts'
import { currencies, type Currency } from '#domain/money.ts'
import { type CustomerHealth, customerHealth } from '#domain/customers.ts'
import { listCustomers } from '#contract/staff/customers.ts'
import type { CompanyRecord } from '#server/db/accounts/companies.ts'
import type { VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { Moment } from '#server/db/orders/moment.ts'
import { selectUnpaidAmounts } from '#server/db/orders/unpaid-matters.ts'
import { restoredChangeFloor } from '#server/db/restored-numbers.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export interface CustomerRecord
  extends Pick<CompanyRecord, 'id' | 'code' | 'name' | 'country' | 'row_version' | 'create_time'> {
  name_key: string
  effective_contracts: number
  contracts: number
  unpaid: { currency: Currency; amount: string; count: number }[]
  unpaid_count: number
  running_services: number
  services: number
  health: CustomerHealth
  has_unpaid: boolean
  has_fault: boolean
  has_contract: boolean
  /** Epoch ms. */
  last_activity: number | null
}

export interface CustomerScope {
  moment: Moment
  /** Contracts of other client types are left out. Null for all types. */
  types: VisibleClientTypes
  /** Epoch ms. */
  now: number
}

/** `~` marks the code of an unused sign-up that was released (`releaseCode`). */
const isCustomer = sql`company.code <> ${PROVIDER} and position('~' in company.code) = 0`

/** The services that the list of services contains (`service_row`). */
const isListedService = sql`(k.id is not null or s.system_status > 0 or s.erase_date is not null)`

const runningStatus = 2
const failedStatus = 5

/** The state of one service. A running service that does not respond is a notice, as in the list of services. */
const serviceHealth = sql`case
  when s.fault is not null or s.system_status = ${failedStatus}::integer then ${customerHealth.fault}::integer
  when s.deployment_fault is not null or s.needs_reboot
    or (s.system_status = ${runningStatus}::integer and s.online = 0) then ${customerHealth.notice}::integer
  else ${customerHealth.good}::integer end`

const selectContracts = ({ moment: { today }, types }: CustomerScope) => sql`
  select company_id, count(*)::integer as contracts,
    (count(*) filter (where stored = 'paid' and period_end > ${today}))::integer as effective_contracts
  from service_order where is_listed and ${types === null ? sql`true` : sql`client_type = ${types}`} group by company_id`

const selectUnpaid = ({ moment, types }: CustomerScope) => sql`
  select company_id, sum(count)::integer as unpaid_count,
    json_agg(json_build_object('currency', currency, 'amount', amount::text, 'count', count)
      order by array_position(${[...currencies]}::text[], currency)) as unpaid
  from (select company_id, currency, sum(amount) as amount, count(*)::integer as count
    from (${selectUnpaidAmounts(moment, types)}) item group by company_id, currency) sums
  group by company_id`

const selectServices = sql`
  select s.company_id, count(*)::integer as services,
    (count(*) filter (where s.system_status = ${runningStatus}::integer))::integer as running_services,
    max(${serviceHealth}) as health
  from service s
  left join contract k on k.company_id = s.company_id and k.service_code = s.code and not k.overwritten
  where ${isListedService} group by s.company_id`

/**
 * Each part is grouped once for all companies. Only the latest entry of an own user is read per company, from its index
 * (`audit_entry_own_user`): entries of jobs and failed sign-ins have no user, and those of acting staff have an actor. The flags use `coalesce`,
 * because PostgreSQL would otherwise turn a filter by a flag into an inner join and group a part once per company.
 */
const selectCustomers = (db: DatabaseHandle, scope: CustomerScope) =>
  db
    .selectFrom(
      sql<CustomerRecord>`(
        select company.id, company.code, company.name, company.country, company.row_version, company.create_time,
          lower(normalize(company.name, nfkc)) collate "C" as name_key,
          coalesce(orders.effective_contracts, 0) as effective_contracts, coalesce(orders.contracts, 0) as contracts,
          coalesce(due.unpaid, '[]'::json) as unpaid, coalesce(due.unpaid_count, 0) as unpaid_count,
          coalesce(hosted.running_services, 0) as running_services, coalesce(hosted.services, 0) as services,
          coalesce(hosted.health, ${customerHealth.none}::integer) as health,
          coalesce(due.unpaid_count, 0) > 0 as has_unpaid,
          coalesce(hosted.health, 0) = ${customerHealth.fault}::integer as has_fault,
          coalesce(orders.contracts, 0) > 0 as has_contract,
          (select entry.end_time from audit_entry entry where entry.company_id = company.id
            and entry.exec_user_id is not null and entry.actor is null
            order by entry.end_time desc, entry.id desc limit 1) as last_activity
        from company
        left join (${selectContracts(scope)}) orders on orders.company_id = company.id
        left join (${selectUnpaid(scope)}) due on due.company_id = company.id
        left join (${selectServices}) hosted on hosted.company_id = company.id
        where ${isCustomer})`.as('customer'),
    )
    .selectAll()

const customerColumns = {
  id: sql.ref('customer.id'),
  code: { value: sql.ref('customer.code'), folded: sql.ref('customer.code') },
  name: { value: sql.ref('customer.name'), folded: sql.ref('customer.name_key') },
  effective_contracts: sql.ref('customer.effective_contracts'),
  unpaid_count: sql.ref('customer.unpaid_count'),
  running_services: sql.ref('customer.running_services'),
  health: sql.ref('customer.health'),
  has_unpaid: sql.ref('customer.has_unpaid'),
  has_fault: sql.ref('customer.has_fault'),
  has_contract: sql.ref('customer.has_contract'),
  last_activity: sql`(customer.last_activity / 1000)`,
  create_time: sql`(customer.create_time / 1000)`,
}

/** In ms. A device that reads the list stores the complete list again after this time. */
const changeInterval = 60_000

async function readCounter(db: DatabaseHandle, now: number): Promise<{ maxChange: number; floor: number }> {
  const { rows } = await sql<{ floor: number }>`select ${restoredChangeFloor} as floor`.execute(db)
  const floor = rows[0]?.floor ?? 0
  return { maxChange: floor + Math.floor(now / changeInterval), floor }
}

/**
 * No table says when a computed row changed: amounts depend on due dates, and the health on the monitor. So the change number is the time in
 * minutes, and the changes are all rows (decision 107). Rows of a page are always current.
 */
export const customerReads: ListReads<CustomerScope, CustomerRecord> = {
  readLatestChange: async (db, { now }) => (await readCounter(db, now)).maxChange,
  readPage: (db, scope, query) =>
    // The cast is needed because the rows are those of a subquery, and not of a table.
    readListPage(selectCustomers(db, scope) as never, listCustomers, customerColumns, query),
  async readChanges(db, scope, since) {
    const { maxChange, floor } = await readCounter(db, scope.now)
    if (since !== null && (since < floor || since > maxChange)) throw new ProblemError('GONE')
    const changed = await selectCustomers(db, scope).orderBy('id').execute()
    return { changed, gone: since === null ? [] : await listReleasedIds(db), upto: maxChange }
  },
  readRowsAfter: (db, scope, id, limit) =>
    selectCustomers(db, scope).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

async function listReleasedIds(db: DatabaseHandle): Promise<number[]> {
  const rows = await db.selectFrom('company').select('id').where(sql<boolean>`position('~' in code) > 0`).execute()
  return rows.map(({ id }) => id)
}

export const findCustomer = (db: DatabaseHandle, scope: CustomerScope, id: number) =>
  findRow(selectCustomers(db, scope).where('id', '=', id))

/** Whether the company is a customer, so not the provider and not a released sign-up. */
export async function isCustomerId(db: DatabaseHandle, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from company where id = ${id}::integer and ${isCustomer}`.execute(db)
  return rows.length > 0
}
