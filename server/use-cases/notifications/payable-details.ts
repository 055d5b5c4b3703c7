/** Facts of notifications about what is to be paid. They are read once, so that a notification says what was true at its time. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { findListedOrderId } from '#server/db/hosting/services.ts'
import type { NewNotification } from '#server/db/notifications/notifications.ts'
import { listOrderingUsers, readStoredOrder } from '#server/db/orders/reminders.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { notifyUsers } from '#server/use-cases/notifications/notify.ts'

export type NotificationDetails = Omit<NewNotification, 'kind'>

/** A reminder is repeated nearer to its date, and each is a notification of its own. */
const createEventKey = (mail: string, id: number, days: number | undefined) =>
  days === undefined ? `${mail} ${id}` : `${mail} ${id} ${days}`

export async function readOrderDetails(
  db: DatabaseHandle,
  { mail, orderId, days }: { mail: string; orderId: number; days?: number },
): Promise<NotificationDetails | null> {
  const order = await readStoredOrder(db, orderId)
  if (!order) return null
  const { code, type, currency, amount, due, period_end } = order
  return {
    eventKey: createEventKey(mail, orderId, days),
    orderId,
    facts: { payable: 'order', id: String(orderId), code, type, currency, amount, due, end: period_end },
  }
}

export async function readBackupDetails(
  db: DatabaseHandle,
  { mail, backupId, days }: { mail: string; backupId: number; days?: number },
): Promise<NotificationDetails | null> {
  const backup = await findRow(db.selectFrom('backup_order').selectAll().where('id', '=', backupId))
  if (!backup) return null
  const { company_id: companyId, service_code: code, pdb_type: type, currency, pay_amount: amount } = backup
  return {
    eventKey: createEventKey(mail, backupId, days),
    orderId: await findListedOrderId(db, { companyId, code }),
    facts: {
      payable: 'backup',
      id: String(backupId),
      code,
      type,
      currency,
      amount,
      // The due time follows from it in the business time zone, which is only known when the notification is read.
      ordered: String(backup.create_time),
      end: backup.period_end,
    },
  }
}

export async function readTrafficDetails(
  db: DatabaseHandle,
  { mail, trafficId }: { mail: string; trafficId: number },
): Promise<NotificationDetails | null> {
  const traffic = await findRow(db.selectFrom('traffic').selectAll().where('id', '=', trafficId))
  if (!traffic) return null
  const { company_id: companyId, service_code: code, currency, amount } = traffic
  return {
    eventKey: `${mail} ${trafficId}`,
    orderId: await findListedOrderId(db, { companyId, code }),
    facts: {
      payable: 'traffic',
      id: String(trafficId),
      code,
      type: 'traffic',
      currency,
      amount,
      ordered: String(traffic.create_time),
      end: traffic.period_end,
    },
  }
}

/**
 * Notifies the other users with the order right that an order or a backup was ordered and is to be paid. No mail is sent: the reminders
 * follow later.
 */
export async function notifyOfNewPayable(
  db: DatabaseHandle,
  { companyId, callerId }: { companyId: number; callerId: number },
  { kind, id }: PayableRef & { kind: 'order' | 'backup' },
  now: number,
): Promise<void> {
  const mail = 'ordered'
  const details =
    kind === 'order'
      ? await readOrderDetails(db, { mail, orderId: id })
      : await readBackupDetails(db, { mail, backupId: id })
  if (!details) return
  const userIds = (await listOrderingUsers(db, companyId)).filter((userId) => userId !== callerId)
  const eventKey = `ordered ${kind} ${id}`
  await notifyUsers(db, userIds, { ...details, kind: 'payment-due', eventKey }, now)
}
