/** Rows of notifications and of the users' choices. */
import { type Selectable, sql } from 'kysely'
import {
  eventByKind,
  isChannelOn,
  type NotificationChannel,
  type NotificationChoices,
  type NotificationEvent,
  type NotificationKind,
} from '#domain/notifications.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import { requestPushes } from '#server/db/notifications/push-devices.ts'
import type { NotificationTable } from '#server/db/tables/notification-tables.ts'

export type NotificationRecord = Selectable<NotificationTable>

export interface NewNotification {
  kind: NotificationKind
  /** Identifies the event. A user gets one notification per key. */
  eventKey: string
  orderId: number | null
  facts: Record<string, string>
}

export async function readChoices(db: DatabaseHandle, userId: number): Promise<NotificationChoices> {
  const row = await db
    .selectFrom('notification_choice')
    .select('choices')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.choices ?? {}
}

/** Changes one choice in one statement, so that two changes at the same time do not overwrite each other. */
export async function writeChoice(
  db: DatabaseHandle,
  { userId, companyId }: { userId: number; companyId: number },
  { event, channel, isOn }: { event: NotificationEvent; channel: NotificationChannel; isOn: boolean },
): Promise<void> {
  const choice = JSON.stringify({ [channel]: isOn })
  await sql`
    insert into notification_choice as stored (user_id, company_id, choices)
    values (${userId}, ${companyId}, jsonb_build_object(${event}::text, ${choice}::jsonb))
    on conflict (user_id) do update set choices = stored.choices
      || jsonb_build_object(${event}::text, coalesce(stored.choices -> ${event}::text, '{}') || ${choice}::jsonb)`.execute(
    db,
  )
}

/**
 * Creates the notification of a user, and requests its push messages. Returns false if the user has switched off both channels, is not
 * activated, or has the notification already. The row belongs to the user's own company.
 */
export async function insertNotification(
  db: DatabaseHandle,
  userId: number,
  { kind, eventKey, orderId, facts }: NewNotification,
  now: number,
): Promise<boolean> {
  const choices = await readChoices(db, userId)
  const event = eventByKind[kind]
  const [isListed, isPushed] = [isChannelOn(choices, event, 'portal'), isChannelOn(choices, event, 'push')]
  if (!isListed && !isPushed) return false
  const { rows } = await sql<{ id: number }>`
    insert into notification (user_id, company_id, kind, event_key, order_id, facts, is_listed, create_time)
    select id, company_id, ${kind}, ${eventKey}, ${orderId}::integer, ${JSON.stringify(facts)}::jsonb, ${isListed}::boolean,
      ${now}::bigint
    from portal_user where id = ${userId} and status = ${userStatus.activated}
    on conflict on constraint notification_event do nothing
    returning id`.execute(db)
  const [row] = rows
  if (!row) return false
  if (isPushed) await requestPushes(db, { userId, notificationId: row.id, now })
  return true
}

const selectListed = (db: DatabaseHandle, userId: number) =>
  db.selectFrom('notification').where(hasValues({ user_id: userId, is_listed: true }))

/** Returns the latest notifications with an id below `before`. */
export function listNotificationsOf(
  db: DatabaseHandle,
  userId: number,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<NotificationRecord[]> {
  const query = selectListed(db, userId).selectAll()
  return (before === undefined ? query : query.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

export const findNotification = (db: DatabaseHandle, id: number) =>
  db.selectFrom('notification').selectAll().where('id', '=', id).executeTakeFirst()

export async function countUnread(db: DatabaseHandle, userId: number): Promise<number> {
  const { count } = await selectListed(db, userId)
    .select(sql<number>`count(*)`.as('count'))
    .where('read_time', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Marks the user's own notifications as read. Ids of other users have no effect. */
export async function markNotificationsRead(
  db: DatabaseHandle,
  userId: number,
  { ids, upTo = 0 }: { ids: readonly number[]; upTo: number | undefined },
  now: number,
): Promise<void> {
  await db
    .updateTable('notification')
    .set({ read_time: now })
    .where('user_id', '=', userId)
    .where('read_time', 'is', null)
    .where((where) => where.or([where('id', '<=', upTo), ...(ids.length > 0 ? [where('id', 'in', [...ids])] : [])]))
    .execute()
}

/** Deletes everything about the notifications of a deleted user. */
export async function deleteNotificationsOf(db: DatabaseHandle, userId: number): Promise<void> {
  await db.deleteFrom('notification').where('user_id', '=', userId).execute()
  await db.deleteFrom('notification_choice').where('user_id', '=', userId).execute()
  await db.deleteFrom('push_device').where('user_id', '=', userId).execute()
}
