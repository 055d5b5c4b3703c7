/** Sends one push message to one browser. Each try builds its content again. */
import { deletePushDevice } from '#server/db/notifications/push-devices.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PushDriver } from '#server/drivers/push/push-driver.ts'
import { type JobKind, RetryLaterError } from '#server/jobs/job-kind.ts'
import { composePush, type PushInput } from '#server/use-cases/notifications/push.ts'

const minuteMs = 60_000
/** A message that could not be sent within half a day is not worth sending. The notification stays in the inbox. */
const retryDelaysMs = [10_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * 60 * minuteMs, 6 * 60 * minuteMs]

export const createPushJob = (driver: PushDriver): JobKind<PushInput, never, null> => ({
  // A message that is sent twice replaces itself, because its topic and its tag are the same.
  isResumable: true,
  isQuiet: true,
  getRetryDelay: (tries) => retryDelaysMs[Math.max(tries, 1) - 1] ?? null,
  async step({ app, input }) {
    const message = await writeAsSystem(app, (db) => composePush(db, app, input))
    if (message === null) return { kind: 'done', output: null }
    const result = await driver.send(message)
    const logFields = { device: input.deviceId, notification: input.notificationId }
    if (result.kind === 'later') throw new RetryLaterError('the push service did not take the message', result.afterMs)
    if (result.kind === 'sent') app.log.info({ event: 'push_sent', ...logFields }, 'push message sent')
    else {
      await writeAsSystem(app, (db) => deletePushDevice(db, input.deviceId))
      const status = result.kind === 'rejected' ? result.status : 410
      app.log.info({ event: 'push_device_deleted', ...logFields, status }, 'the push service knows a browser no longer')
    }
    return { kind: 'done', output: null }
  },
})
