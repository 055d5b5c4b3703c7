/** Sends one push message to one browser. Each try builds its content again. */
import { deletePushDevice } from '#server/db/notifications/push-devices.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PushDriver } from '#server/drivers/push/push-driver.ts'
import { type JobKind, RetryLaterError } from '#server/jobs/job-kind.ts'
import { composePush, type PushInput } from '#server/use-cases/notifications/push.ts'

const minuteMs = 60_000
/** A message that could not be sent within half a day is not worth sending. The notification stays in the inbox. */
const retryDelaysMs = [10_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * 60 * minuteMs, 6 * 60 * minuteMs]

const getRetryDelay = (tries: number): number | null => retryDelaysMs[Math.max(tries, 1) - 1] ?? null

export const createPushJob = (driver: PushDriver): JobKind<PushInput, never, null> => ({
  // A message that is sent twice replaces itself, because its topic and its tag are the same.
  isResumable: true,
  isQuiet: true,
  getRetryDelay,
  async step({ app, input, tries }) {
    const message = await writeAsSystem(app, (db) => composePush(db, app, input))
    if (message === null) return { kind: 'done', output: null }
    const result = await driver.send(message)
    const logFields = { device: input.deviceId, notification: input.notificationId }
    if (result.kind === 'later' && getRetryDelay(tries) !== null)
      throw new RetryLaterError('the push service did not take the message', result.afterMs)
    if (result.kind === 'sent') app.log.info({ event: 'push_sent', ...logFields }, 'push message sent')
    else if ('status' in result && result.status !== null)
      // The browser may be in order, so it stays: the clock or the keys of the portal may be wrong, or the push service was busy for long.
      app.log.warn(
        { event: 'push_rejected', ...logFields, status: result.status },
        'the push service does not take a message',
      )
    else {
      await writeAsSystem(app, (db) => deletePushDevice(db, input.deviceId))
      const reason = result.kind === 'later' ? 'unreachable' : result.kind
      app.log[reason === 'gone' ? 'info' : 'warn'](
        { event: 'push_device_deleted', ...logFields, reason },
        'a browser is not registered for push messages any longer',
      )
    }
    return { kind: 'done', output: null }
  },
})
