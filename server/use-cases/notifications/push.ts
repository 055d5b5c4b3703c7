/**
 * Push messages: the browsers that get them, and their text. A message may be shown on a lock screen, so it names only the event and the
 * service (decision 109).
 */
import { eventByKind, getTitleName, isChannelOn, type NotificationKind } from '#domain/notifications.ts'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import type { Caller } from '#domain/access.ts'
import activityEn from '#locales/en/activity.json' with { type: 'json' }
import activityZh from '#locales/zh/activity.json' with { type: 'json' }
import en from '#locales/en/notifications.json' with { type: 'json' }
import zh from '#locales/zh/notifications.json' with { type: 'json' }
import { findCredentialByUserId } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { countUnread, findNotification, readChoices } from '#server/db/notifications/notifications.ts'
import {
  deletePushDevicesOfSession,
  findActivePushDevice,
  storePushDevice,
} from '#server/db/notifications/push-devices.ts'
import { runForCompany, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { PushMessage } from '#server/drivers/push/push-driver.ts'
import { isPushEndpoint } from '#server/drivers/push/push-address.ts'
import {
  areBrowserKeys,
  type BrowserKeys,
  derivePushKeys,
  type PushKeys,
} from '#server/drivers/push/push-encryption.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { createTranslator } from '#server/text/translator.ts'

const keysByToken = new WeakMap<Buffer, PushKeys>()

/** The key pair is derived from the token key, like other keys of an installation. A browser accepts messages of this key only. */
export function getPushKeys({ tokenKey }: AppContext['config']): PushKeys {
  const keys = keysByToken.get(tokenKey) ?? derivePushKeys(tokenKey)
  keysByToken.set(tokenKey, keys)
  return keys
}

export interface PushCaller {
  caller: Caller
  sessionId: string | null
}

/** An address may grow when it is written as a URL. The limit keeps it below the size of an index row. */
const maxEndpointLength = 1000

/** Throws VALIDATION_ERROR for an address that the portal must not call, and for keys that cannot encrypt. */
export async function registerPushDevice(
  app: AppContext,
  { caller: { userId, companyId }, sessionId }: PushCaller,
  { endpoint: address, ...keys }: BrowserKeys & { endpoint: string },
): Promise<void> {
  const endpoint = isPushEndpoint(address) ? new URL(address).href : null
  if (endpoint === null || endpoint.length > maxEndpointLength)
    throw createValidationProblem([{ field: 'endpoint', code: 'OUT_OF_RANGE' }])
  if (!areBrowserKeys(keys)) throw createValidationProblem([{ field: 'p256dh', code: 'INVALID_FORMAT' }])
  if (sessionId === null) throw new ProblemError('UNAUTHORIZED')
  // As the system role, because the browser may still be registered for a user of another company.
  await writeAsSystem(app, (db) =>
    storePushDevice(db, {
      user_id: userId,
      company_id: companyId,
      session_id: sessionId,
      endpoint,
      ...keys,
      create_time: app.clock(),
    }),
  )
}

export async function removePushDevice(app: AppContext, { caller, sessionId }: PushCaller): Promise<void> {
  if (sessionId !== null) await runForCompany(app, caller, (db) => deletePushDevicesOfSession(db, sessionId))
}

export interface PushInput {
  deviceId: number
  notificationId: number
}

/** Returns null if the session has ended, or if the user has read the notification or switched push off meanwhile. */
export async function composePush(
  db: DatabaseHandle,
  app: AppContext,
  { deviceId, notificationId }: PushInput,
): Promise<PushMessage | null> {
  const now = app.clock()
  const device = await findActivePushDevice(db, deviceId, now)
  const notification = await findNotification(db, notificationId)
  if (!device || !notification || notification.user_id !== device.user_id || notification.read_time !== null)
    return null
  const user = await findCredentialByUserId(db, device.user_id)
  if (user?.status !== userStatus.activated) return null
  if (!isChannelOn(await readChoices(db, device.user_id), eventByKind[notification.kind], 'push')) return null
  const { id, kind, facts, is_listed } = notification
  const text = JSON.stringify({
    to: `${device.company_id}:${device.user_id}`,
    id,
    title: formatPushTitle(user.language, kind, facts),
    body: createTranslator({ en, zh }, user.language)('push.body'),
    unread: await countUnread(db, device.user_id),
    isListed: is_listed,
  })
  const { endpoint, p256dh, auth } = device
  const { config } = app
  return {
    endpoint,
    p256dh,
    auth,
    text,
    topic: `notification-${id}`,
    keys: getPushKeys(config),
    contact: `mailto:${config.supportEmail}`,
    now,
  }
}

function formatPushTitle(language: Language, kind: NotificationKind, facts: Record<string, string>): string {
  const { code = '', task = '' } = facts
  return createTranslator({ en, zh }, language)(`title.${getTitleName(kind, facts)}`, {
    code,
    task: task && createTranslator({ en: activityEn, zh: activityZh }, language)(`name.${task}`),
  })
}
