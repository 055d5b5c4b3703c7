/** Events of which a user is notified, and the channels of the notifications. */

/** In the order of the table of choices. `help`, that staff act for the company, is for the admins of customers only, `staff` for those of the provider. */
export const notificationEvents = [
  'payment',
  'contract',
  'change',
  'task',
  'service',
  'backup',
  'device',
  'help',
  'staff',
] as const
export type NotificationEvent = (typeof notificationEvents)[number]

export const notificationChannels = ['portal', 'mail', 'push'] as const
export type NotificationChannel = (typeof notificationChannels)[number]

/** The event of each kind. The text of a notification follows from its kind and its facts, in the language of the reader. */
export const eventByKind = {
  'payment-due': 'payment',
  'payment-late': 'payment',
  'contract-ends': 'contract',
  'contract-ended': 'contract',
  'change-rejected': 'change',
  'order-removed': 'change',
  'task-done': 'task',
  'task-failed': 'task',
  'service-down': 'service',
  'service-up': 'service',
  'service-stops': 'service',
  'service-erased': 'service',
  'backup-failed': 'backup',
  'new-device': 'device',
  'acting-started': 'help',
  'payment-task': 'staff',
  'payment-refunded': 'payment',
  'gateway-refund': 'staff',
  'refund-failed': 'staff',
  'payment-dispute': 'staff',
  'money-fault': 'staff',
} as const satisfies Record<string, NotificationEvent>
export type NotificationKind = keyof typeof eventByKind

/**
 * `choice`: the user may switch the mail off. `always`: the mail is about the safety of the account or the loss of data, and is always
 * sent. `none`: the portal sends no mail about the event.
 */
export const mailRules = {
  payment: 'choice',
  contract: 'choice',
  change: 'none',
  task: 'none',
  service: 'always',
  backup: 'choice',
  device: 'always',
  help: 'choice',
  staff: 'choice',
} as const satisfies Record<NotificationEvent, 'choice' | 'always' | 'none'>

/** Choices of a user that differ from the defaults. */
export type NotificationChoices = Partial<Record<NotificationEvent, Partial<Record<NotificationChannel, boolean>>>>

/** The defaults: everything in the portal, mails as the portal always sent them, and no push messages. */
export function isChannelOn(
  choices: NotificationChoices,
  event: NotificationEvent,
  channel: NotificationChannel,
): boolean {
  if (channel === 'mail' && mailRules[event] !== 'choice') return mailRules[event] === 'always'
  return choices[event]?.[channel] ?? channel !== 'push'
}

/** Number of days after which a notification is deleted. */
export const notificationDays = 90

/**
 * Returns the name of a notification's title. It differs from the kind if the facts say more: a dispute may be an inquiry only, and a refund that
 * failed may have come back after it was done.
 */
export function getTitleName(
  kind: NotificationKind,
  { type }: Record<string, string>,
): NotificationKind | 'payment-inquiry' | 'refund-returned' {
  if (kind === 'payment-dispute' && type === 'inquiry') return 'payment-inquiry'
  return kind === 'refund-failed' && type === 'returned' ? 'refund-returned' : kind
}
