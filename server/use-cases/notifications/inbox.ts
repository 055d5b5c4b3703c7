/** The inbox of a user: reading it, marking notifications as read, and choosing channels. */
import { isChannelOn, mailRules, type NotificationChoices, notificationEvents } from '#domain/notifications.ts'
import { type Caller, isCompanyAdmin, isProvider, isProviderAdmin } from '#domain/access.ts'
import { getDueTime, getDueTimeWithin } from '#domain/contracts.ts'
import { toTimestamp } from '#domain/time.ts'
import type {
  getNotificationChoices,
  listNotifications,
  NotificationChoice,
  NotificationRow,
  setNotificationChoice,
} from '#contract/notifications.ts'
import {
  countUnread,
  listNotificationsOf,
  markNotificationsRead,
  type NotificationRecord,
  readChoices,
  writeChoice,
} from '#server/db/notifications/notifications.ts'
import { runForCompany } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { getPushKeys } from '#server/use-cases/notifications/push.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

export const listInbox: UseCase<typeof listNotifications> = async ({ db, app, caller }, { query }) => {
  const { before, results } = query
  const rows = await listNotificationsOf(db, caller.userId, { before, limit: results + 1 })
  const data = rows.slice(0, results).map((row) => toNotificationRow(app, row))
  return { body: { unread: await countUnread(db, caller.userId), more: rows.length > results, data } }
}

const toNotificationRow = ({ config }: AppContext, row: NotificationRecord): NotificationRow => ({
  id: row.id,
  kind: row.kind,
  order_id: row.order_id,
  facts: addDueTime(config.timeZone, row.facts),
  create_time: toTimestamp(config.timeZone, row.create_time),
  is_read: row.read_time !== null,
})

/**
 * Returns the facts with `due`, the last second in which the backup or the traffic can be paid (D31), or with `until`, the end of a consent,
 * in the business time zone.
 */
export function addDueTime(timeZone: string, facts: Record<string, string>): Record<string, string> {
  const { ordered, payable, end = '', until, ...otherFacts } = facts
  if (until !== undefined) return { ...otherFacts, until: toTimestamp(timeZone, Number(until)) }
  if (ordered === undefined) return facts
  const orderTime = toTimestamp(timeZone, Number(ordered))
  const due = payable === 'backup' ? getDueTimeWithin(orderTime, end) : getDueTime(orderTime)
  return { ...otherFacts, payable: payable ?? '', end, due }
}

export async function markRead(
  app: AppContext,
  caller: Caller,
  { ids, up_to: upTo }: { ids: readonly number[]; up_to?: number | undefined },
): Promise<{ unread: number }> {
  return await runForCompany(app, caller, async (db) => {
    await markNotificationsRead(db, caller.userId, { ids, upTo }, app.clock())
    return { unread: await countUnread(db, caller.userId) }
  })
}

export const readOwnChoices: UseCase<typeof getNotificationChoices> = async ({ db, app, caller }) => ({
  body: toSettings(app, caller, await readChoices(db, caller.userId)),
})

/** Throws VALIDATION_ERROR for a mail that cannot be switched, and for an event that the caller has no part in. */
export const storeChoice: UseCase<typeof setNotificationChoice> = async (context, { body }) => {
  const { db, app, caller } = context
  const { event, channel, on } = body
  if (!listEventsOf(caller).includes(event) || (channel === 'mail' && mailRules[event] !== 'choice'))
    throw createValidationProblem([{ field: channel === 'mail' ? 'channel' : 'event', code: 'OUT_OF_RANGE' }])
  await writeChoice(db, caller, { event, channel, isOn: on })
  return { body: toSettings(app, caller, await readChoices(db, caller.userId)) }
}

const listEventsOf = (caller: Caller) =>
  notificationEvents.filter((event) => {
    if (event === 'staff') return isProviderAdmin(caller)
    return event !== 'help' || (isCompanyAdmin(caller) && !isProvider(caller))
  })

const toSettings = ({ config }: AppContext, caller: Caller, choices: NotificationChoices) => ({
  choices: toChoiceRows(caller, choices),
  push_key: getPushKeys(config).publicKey,
})

const toChoiceRows = (caller: Caller, choices: NotificationChoices): NotificationChoice[] =>
  listEventsOf(caller).map((event) => ({
    event,
    portal: isChannelOn(choices, event, 'portal'),
    mail: isChannelOn(choices, event, 'mail'),
    push: isChannelOn(choices, event, 'push'),
    mail_rule: mailRules[event],
  }))
