/** What is to be paid beside a row of orders: of the same company and service code. The rules are in `domain/dues.ts`. */
import { type RawBuilder, sql } from 'kysely'
import type { UnpaidMatter } from '#domain/dues.ts'
import type { Handle } from '#server/db/handle.ts'
import { isLapsed } from '#server/db/hosting/lapsed-backups.ts'
import type { Moment } from '#server/db/orders/moment.ts'

const unpaidOrders = ({ now }: Moment) => sql`from service_order p
  where p.company_id = service_order.company_id and p.code = service_order.code
    and p.stored = 'unpaid' and not p.deleted and p.due >= ${now}`

const unpaidBackups = ({ today, payableSince }: Moment) => sql`from backup_order
  where backup_order.company_id = service_order.company_id and backup_order.service_code = service_order.code
    and backup_order.status = 0 and not ${isLapsed({ before: payableSince, today })}`

/** A month in which nothing is charged is never paid. */
const unpaidTraffic = sql`from traffic t
  where t.company_id = service_order.company_id and t.service_code = service_order.code
    and t.pay_date is null and t.amount > 0`

const choice = (row: 'p' | 'c') => {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return sql`json_build_object('users', ${column('users')}, 'user_mode', ${column('user_mode')}, 'uat', ${column('uat')},
    'modules', ${column('modules')})`
}

export const unpaidMatters = (moment: Moment): RawBuilder<UnpaidMatter[]> => sql`
  (select coalesce(json_agg(matter), '[]'::json) from (
    select json_build_object('id', p.id, 'type', p.type, 'currency', p.currency, 'amount', p.pay_amount::text,
      'period_end', p.period_end, 'due', p.due, 'after', ${choice('p')},
      'before', (select ${choice('c')} from contract c where c.id = p.base_id)) as matter ${unpaidOrders(moment)}
    union all
    select json_build_object('id', backup_order.id, 'type', backup_order.pdb_type, 'currency', backup_order.currency,
      'amount', backup_order.pay_amount::text, 'period_end', backup_order.period_end,
      'create_time', backup_order.create_time) ${unpaidBackups(moment)}
    union all
    select json_build_object('id', t.id, 'type', 'traffic', 'currency', t.currency, 'amount', t.amount::text,
      'period_end', t.period_end, 'create_time', t.create_time) ${unpaidTraffic}) as matters)`

/** As the list's filter reads it. */
export const paymentAt = (moment: Moment): RawBuilder<'due' | 'none'> => sql`
  (case when exists (select ${unpaidOrders(moment)}) or exists (select ${unpaidBackups(moment)})
    or exists (select ${unpaidTraffic}) then 'due' else 'none' end)`

/** A backup beside the row can no longer be paid, and no job has written that down. */
export const hasLapsedBackup = ({ today, payableSince }: Moment): RawBuilder<boolean> => sql`
  exists (select from backup_order where backup_order.company_id = service_order.company_id
    and backup_order.service_code = service_order.code and ${isLapsed({ before: payableSince, today })})`

/** What is to be paid has changed: the service's row in the list of orders gets a number. Before `touchService`. */
export async function touchListedOrder(
  db: Handle,
  { companyId, code }: { companyId: number; code: string },
  change: number,
): Promise<void> {
  await db
    .updateTable('service_order')
    .set({ change })
    .where('company_id', '=', companyId)
    .where('code', '=', code)
    .where('shown', '=', true)
    .execute()
}
