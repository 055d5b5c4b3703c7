/** Notifications of the signed-in user: the inbox, its read state, and the choice of channels. */
import * as z from 'zod/mini'
import { eventByKind, notificationChannels, notificationEvents, type NotificationKind } from '#domain/notifications.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import { integerBetween, rowId, text, timestamp } from '#contract/values.ts'

const notificationRow = z.object({
  id: z.int(),
  kind: z.enum(Object.keys(eventByKind) as [NotificationKind, ...NotificationKind[]]),
  /** Order whose page shows the matter. Null without such an order. */
  order_id: z.nullable(z.int()),
  /** Values of the text, such as `code` (the service code), `amount` or `due`. */
  facts: z.record(z.string(), z.string()),
  create_time: timestamp,
  is_read: z.boolean(),
})
export type NotificationRow = z.output<typeof notificationRow>

export const listNotifications = defineEndpoint({
  name: 'listNotifications',
  method: 'GET',
  path: '/api/m18s/notification',
  summary: "Lists the caller's notifications, latest first, with the number of unread ones",
  description: '`before` is the id of the last row of the previous page. `more` is true if older notifications follow.',
  access: 'user',
  matrix: 'Z-02',
  query: z.object({
    results: z._default(integerBetween(1, 100), 50),
    before: z.optional(rowId),
  }),
  output: z.object({ unread: z.int(), more: z.boolean(), data: z.array(notificationRow) }),
  offline: 'read',
})

/** Maximum number of ids in one call. */
export const maxReadIds = 100

// Repeating it changes nothing, so it needs no key and no row in the idempotency store. The device stores marks that it cannot send yet.
export const readNotifications = defineEndpoint({
  name: 'readNotifications',
  method: 'POST',
  path: '/api/m18s/notification/read',
  summary: "Marks the caller's notifications as read: the listed ones, and all up to an id",
  access: 'user',
  matrix: 'Z-02',
  body: z.object({
    ids: z._default(z.array(rowId).check(z.maxLength(maxReadIds)), []),
    /** All notifications with this id or a lower one. */
    up_to: z.optional(rowId),
  }),
  output: z.object({ unread: z.int() }),
  offline: 'online',
  secret: true,
})

const choiceRow = z.object({
  event: z.enum(notificationEvents),
  portal: z.boolean(),
  mail: z.boolean(),
  push: z.boolean(),
  /** `always` and `none` cannot be changed. */
  mail_rule: z.enum(['choice', 'always', 'none']),
})
export type NotificationChoice = z.output<typeof choiceRow>

const settings = z.object({
  choices: z.array(choiceRow),
  /** Public key of the installation, base64url. The browser's push service accepts only messages of this key. */
  push_key: z.string(),
})

export const getNotificationChoices = defineEndpoint({
  name: 'getNotificationChoices',
  method: 'GET',
  path: '/api/m18s/notification/choice',
  summary: 'Returns on which channels the caller is notified of each event',
  access: 'user',
  matrix: 'Z-02',
  output: settings,
  offline: 'read',
})

export const setNotificationChoice = defineEndpoint({
  name: 'setNotificationChoice',
  method: 'PUT',
  path: '/api/m18s/notification/choice',
  summary: 'Switches one channel on or off for one event',
  access: 'user',
  matrix: 'Z-02',
  body: z.object({
    event: z.enum(notificationEvents),
    channel: z.enum(notificationChannels),
    on: z.boolean(),
  }),
  output: settings,
  offline: 'online',
})

// Like logout: repeating it changes nothing, and the address and keys of a browser are not stored with the write.
export const registerPush = defineEndpoint({
  name: 'registerPush',
  method: 'PUT',
  path: '/api/m18s/notification/push',
  summary: 'Registers the browser of this session for push messages, until the session ends',
  access: 'user',
  matrix: 'Z-02',
  body: z.object({
    endpoint: text(1000, 1),
    p256dh: text(200, 1),
    auth: text(100, 1),
  }),
  output: null,
  offline: 'online',
  secret: true,
})

export const removePush = defineEndpoint({
  name: 'removePush',
  method: 'DELETE',
  path: '/api/m18s/notification/push',
  summary: 'Ends the push messages to the browser of this session',
  access: 'user',
  matrix: 'Z-02',
  output: null,
  offline: 'online',
  secret: true,
})
