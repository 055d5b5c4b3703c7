import type { ColumnType, Generated } from 'kysely'
import type { NotificationChoices, NotificationKind } from '#domain/notifications.ts'

type ImmutableColumn<T> = ColumnType<T, T, never>

interface RecipientColumns {
  user_id: ImmutableColumn<number>
  company_id: ImmutableColumn<number>
}

export interface NotificationTable extends RecipientColumns {
  id: Generated<number>
  kind: ImmutableColumn<NotificationKind>
  /** Identifies the event. Unique per user, so that a repeated event causes no second notification. */
  event_key: ImmutableColumn<string>
  order_id: ImmutableColumn<number | null>
  facts: ColumnType<Record<string, string>, string, never>
  /** False if the user has switched the portal off for the event. The row is then only the source of a push message. */
  is_listed: ImmutableColumn<boolean>
  create_time: ImmutableColumn<number>
  read_time: number | null
}

export interface NotificationChoiceTable extends RecipientColumns {
  choices: ColumnType<NotificationChoices, string, string>
}

/** A browser that gets push messages. It belongs to a session, and gets nothing after that has ended. */
export interface PushDeviceTable {
  id: Generated<number>
  user_id: number
  company_id: number
  session_id: string
  /** Address at the push service of the browser's maker. */
  endpoint: ImmutableColumn<string>
  /** Public key (P-256, uncompressed) and secret of the browser, in base64url. */
  p256dh: string
  auth: string
  /** When it was last registered, epoch ms. */
  create_time: number
}

export interface NotificationTables {
  notification: NotificationTable
  notification_choice: NotificationChoiceTable
  push_device: PushDeviceTable
}
