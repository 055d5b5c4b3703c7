/** Selects unpaid items with the company and service code of an order. The rules are in `domain/dues.ts`. */
import { type RawBuilder, sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { UnpaidRow } from '#domain/dues.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import { isBackupExpired } from '#server/db/hosting/expired-backups.ts'
import type { Moment } from '#server/db/orders/moment.ts'

const isUnpaidOrder = ({ now }: Moment) => sql`p.stored = 'unpaid' and not p.deleted and p.due >= ${now}`

const isUnpaidBackup = ({ today, payableSince }: Moment) =>
  sql`backup_order.status = 0 and not ${isBackupExpired({ createdBefore: payableSince, today })}`

/** A month without charges never gets a payment date, so it is left out. */
const isUnpaidTraffic = sql`t.pay_date is null and t.amount > 0`

const selectUnpaidOrders = (moment: Moment) => sql`from service_order p
  where p.company_id = service_order.company_id and p.code = service_order.code and ${isUnpaidOrder(moment)}`

const selectUnpaidBackups = (moment: Moment) => sql`from backup_order
  where backup_order.company_id = service_order.company_id and backup_order.service_code = service_order.code
    and ${isUnpaidBackup(moment)}`

const selectUnpaidTraffic = sql`from traffic t
  where t.company_id = service_order.company_id and t.service_code = service_order.code and ${isUnpaidTraffic}`

/** The row of the service in the list of orders is of the type. */
const isOfType = (type: ClientType | null, service: RawBuilder<unknown>) =>
  type === null
    ? sql`true`
    : sql`(${service}) in (select company_id, code from service_order where is_listed and client_type = ${type})`

/** Selects company, currency, amount and time of creation of each unpaid item of all visible companies, in orders of the type, or of all types. */
export const selectUnpaidAmounts = (moment: Moment, type: ClientType | null): RawBuilder<unknown> => sql`
  select p.company_id, p.currency, p.pay_amount as amount, p.create_time from service_order p where ${isUnpaidOrder(moment)}
    and ${isOfType(type, sql`p.company_id, p.code`)}
  union all
  select backup_order.company_id, backup_order.currency, backup_order.pay_amount, backup_order.create_time from backup_order
  where ${isUnpaidBackup(moment)} and ${isOfType(type, sql`backup_order.company_id, backup_order.service_code`)}
  union all
  select t.company_id, t.currency, t.amount, t.create_time from traffic t where ${isUnpaidTraffic}
    and ${isOfType(type, sql`t.company_id, t.service_code`)}`

const buildChoice = (row: 'p' | 'c') => {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return sql`json_build_object('users', ${column('users')}, 'user_mode', ${column('user_mode')}, 'uat', ${column('uat')},
    'modules', ${column('modules')})`
}

export const selectUnpaidMatters = (moment: Moment): RawBuilder<UnpaidRow[]> => sql`
  (select coalesce(json_agg(matter), '[]'::json) from (
    select json_build_object('id', p.id, 'type', p.type, 'currency', p.currency, 'amount', p.pay_amount::text,
      'period_end', p.period_end, 'due', p.due, 'nextTerms', ${buildChoice('p')},
      'previousTerms', (select ${buildChoice('c')} from contract c where c.id = p.base_id)) as matter ${selectUnpaidOrders(moment)}
    union all
    select json_build_object('id', backup_order.id, 'type', backup_order.pdb_type, 'currency', backup_order.currency,
      'amount', backup_order.pay_amount::text, 'period_end', backup_order.period_end,
      'create_time', backup_order.create_time) ${selectUnpaidBackups(moment)}
    union all
    select json_build_object('id', t.id, 'type', 'traffic', 'currency', t.currency, 'amount', t.amount::text,
      'period_end', t.period_end, 'create_time', t.create_time) ${selectUnpaidTraffic}) as matters)`

/** Value for the filter `payment` of the list of orders. */
export const selectPaymentState = (moment: Moment): RawBuilder<'due' | 'none'> => sql`
  (case when exists (select ${selectUnpaidOrders(moment)}) or exists (select ${selectUnpaidBackups(moment)})
    or exists (select ${selectUnpaidTraffic}) then 'due' else 'none' end)`

/** Whether the service has an unpaid backup order that can no longer be paid, but that no job has marked as invalid yet. */
export const hasExpiredBackup = ({ today, payableSince }: Moment): RawBuilder<boolean> => sql`
  exists (select from backup_order where backup_order.company_id = service_order.company_id
    and backup_order.service_code = service_order.code and ${isBackupExpired({ createdBefore: payableSince, today })})`

/**
 * Gives the service's row in the list of orders a change number. Call it before `touchService` when unpaid items changed, because the row
 * shows them.
 */
export async function touchListedOrder(
  db: DatabaseHandle,
  { companyId, code }: { companyId: number; code: string },
  change: number,
): Promise<void> {
  await db
    .updateTable('service_order')
    .set({ change })
    .where(hasValues({ company_id: companyId, code }))
    .where('is_listed', '=', true)
    .execute()
}
