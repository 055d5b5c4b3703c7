import { type Selectable, sql } from 'kysely'
import { environments } from '#domain/access.ts'
import { type ContractReminder, maxReminderDays } from '#domain/contracts.ts'
import type { ContractTerms } from '#domain/fees/annual.ts'
import { addDays } from '#domain/plain-dates.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { touchService } from '#server/db/hosting/services.ts'
import type { OrderTable } from '#server/db/tables/order-tables.ts'
import type { Moment } from '#server/db/orders/moment.ts'

const reminderColumns = [
  'id',
  'company_id',
  'code',
  'name',
  'stored',
  'due',
  'period_end',
  'alert_date',
  'amount',
  'currency',
] as const

type RemindableOrder = Pick<Selectable<OrderTable>, (typeof reminderColumns)[number]>

/** Returns unpaid orders whose due time is over. Locks them for this transaction and skips rows that another node has locked. */
export const lockOverdueOrders = (db: DatabaseHandle, { now }: Moment, limit: number) =>
  db
    .selectFrom('service_order')
    .select(reminderColumns)
    .where('stored', '=', 'unpaid')
    .where('deleted', '=', false)
    .where('due', '<', now)
    .orderBy('due')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

/** Gives orders of expired contracts a new change number, so that devices load the new status. Returns the number of orders. */
export async function numberExpiredOrders(db: DatabaseHandle, { today }: Moment, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('service_order')
    .select(['id', 'company_id', 'code'])
    .where('stored', '=', 'paid')
    .where('notified_expired', '=', false)
    .where('period_end', '<=', today)
    .orderBy('company_id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { id, company_id, code } of rows) {
    const change = await takeChangeNumber(db, company_id)
    await db.updateTable('service_order').set({ change, notified_expired: true }).where('id', '=', id).execute()
    await touchService(db, company_id, code)
  }
  return rows.length
}

/** Maximum number of days that the server may be down without losing a reminder. */
const maxMissedDays = 7

export const listRemindableOrders = (db: DatabaseHandle, { now, today }: Moment, afterId: number, limit: number) =>
  db
    .selectFrom('service_order')
    .select(reminderColumns)
    .where('deleted', '=', false)
    .where('id', '>', afterId)
    .where((where) =>
      where.or([
        where.and([
          where('stored', '=', 'unpaid'),
          where('due', '>=', now),
          where('due', '<=', `${addDays(today, maxReminderDays.beforeDue)} 23:59:59`),
        ]),
        where.and([
          where('stored', '=', 'paid'),
          where('period_end', '>=', addDays(today, -(maxReminderDays.afterExpiry + maxMissedDays))),
          where('period_end', '<=', addDays(today, maxReminderDays.beforeExpiry + 1)),
        ]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** Records the reminder. Returns false if it was recorded before, so each reminder is sent only once. */
export const claimReminder = (
  db: DatabaseHandle,
  order: Pick<RemindableOrder, 'id' | 'company_id'>,
  { kind, days }: ContractReminder,
  time: number,
) =>
  hasRow(
    db
      .insertInto('reminder')
      .values({ order_id: order.id, about: kind, days, company_id: order.company_id, time })
      .onConflict((conflict) => conflict.doNothing())
      .returning('order_id'),
  )

const selectActivatedUsers = (db: DatabaseHandle, companyId: number) =>
  db
    .selectFrom('portal_user')
    .select('id')
    .where(hasValues({ company_id: companyId, status: userStatus.activated }))
    .orderBy('id')

/** Returns users who want mails about services (D52). */
export async function listAlertedUsers(db: DatabaseHandle, companyId: number): Promise<number[]> {
  const rows = await selectActivatedUsers(db, companyId).where('alert', '=', true).execute()
  return rows.map(({ id }) => id)
}

/** Returns users with the order right, who get the mails about payments (decision 77). */
export async function listOrderingUsers(db: DatabaseHandle, companyId: number): Promise<number[]> {
  const rows = await selectActivatedUsers(db, companyId).where('orders', '=', true).execute()
  return rows.map(({ id }) => id)
}

/** Returns users who get mails about the end of a contract or backup: those who want mails about services, and those who can extend it. */
export async function listAlertedOrOrderingUsers(db: DatabaseHandle, companyId: number): Promise<number[]> {
  const rows = await selectActivatedUsers(db, companyId)
    .where((where) => where.or([where('alert', '=', true), where('orders', '=', true)]))
    .execute()
  return rows.map(({ id }) => id)
}

export async function listAlertedAdmins(db: DatabaseHandle, companyCode: string): Promise<number[]> {
  const rows = await db
    .selectFrom('portal_user')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .select('portal_user.id')
    .where('company.code', '=', companyCode)
    .where('alert', '=', true)
    .where((where) => where.or([where('admin', '=', true), where('access_level', '>=', environments.delete)]))
    .where('portal_user.status', '=', userStatus.activated)
    .orderBy('portal_user.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the order as it is stored. Used when a mail is sent, to check that the order still has the expected state. */
export const readStoredOrder = (db: DatabaseHandle, id: number) =>
  findRow(
    db
      .selectFrom('service_order')
      .select(reminderColumns)
      .select(['type', 'users', 'user_mode', 'uat', 'modules'])
      .select(
        sql<ContractTerms | null>`(select json_build_object('users', c.users, 'user_mode', c.user_mode, 'uat', c.uat,
        'modules', c.modules) from contract c where c.id = service_order.base_id)`.as('base'),
      )
      .where('id', '=', id)
      .where(sql<boolean>`not deleted`),
  )
