/** Rows of browsers that get push messages. */
import { randomBytes } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import type { PushDeviceTable } from '#server/db/tables/notification-tables.ts'

export const pushJob = 'send-push'
const dayMs = 86_400_000
/** Maximum number of browsers of a user. The one that was registered longest ago is replaced. */
const maxDevices = 5

/**
 * Stores the browser. It belongs to the user who has signed in last, also if it was another user's. A browser that is registered again keeps
 * its id, because waiting messages name it. Needs the system role.
 */
export async function storePushDevice(db: DatabaseHandle, device: Insertable<PushDeviceTable>): Promise<void> {
  const { endpoint: _endpoint, ...fields } = device
  const { id: storedId } = await db
    .insertInto('push_device')
    .values(device)
    .onConflict((conflict) => conflict.column('endpoint').doUpdateSet(fields))
    .returning('id')
    .executeTakeFirstOrThrow()
  const surplusDevices = await db
    .selectFrom('push_device')
    .select('id')
    .where('user_id', '=', device.user_id)
    .where('id', '!=', storedId)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .offset(maxDevices - 1)
    .execute()
  const surplusIds = surplusDevices.map(({ id }) => id)
  if (surplusIds.length > 0) await db.deleteFrom('push_device').where('id', 'in', surplusIds).execute()
}

export const deletePushDevice = (db: DatabaseHandle, id: number) =>
  db.deleteFrom('push_device').where('id', '=', id).execute()

export const deletePushDevicesOfSession = (db: DatabaseHandle, sessionId: string) =>
  db.deleteFrom('push_device').where('session_id', '=', sessionId).execute()

export async function deletePushDevicesOfUser(
  db: DatabaseHandle,
  userId: number,
  exceptSessionId: string | null,
): Promise<void> {
  const query = db.deleteFrom('push_device').where('user_id', '=', userId)
  await (exceptSessionId === null ? query : query.where('session_id', '!=', exceptSessionId)).execute()
}

/** Devices of sessions that have not ended. A device of an ended session gets nothing. */
const selectActiveDevices = (db: DatabaseHandle, now: number) =>
  db
    .selectFrom('push_device')
    .innerJoin('session', 'session.id', 'push_device.session_id')
    .selectAll('push_device')
    .where('session.ended', 'is', null)
    .where('session.end_time', '>', now)

export const findActivePushDevice = (db: DatabaseHandle, id: number, now: number) =>
  findRow(selectActiveDevices(db, now).where('push_device.id', '=', id))

/** Requests a message to each browser of the user, in the transaction that creates the notification. */
export async function requestPushes(
  db: DatabaseHandle,
  { userId, notificationId, now }: { userId: number; notificationId: number; now: number },
): Promise<void> {
  const devices = await selectActiveDevices(db, now).where('push_device.user_id', '=', userId).execute()
  for (const { id: deviceId, company_id: companyId } of devices) {
    const id = randomBytes(16).toString('hex')
    const input = { deviceId, notificationId }
    const job = { id, companyId, userId: 0, intent: id, kind: pushJob, progressKey: '', input }
    await tryInsertJob(db, { ...job, now, deadline: now + dayMs })
  }
}

/** Deletes devices whose sessions have ended, for example because they expired. */
export async function deleteEndedPushDevices(db: DatabaseHandle, now: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('push_device')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('session')
            .select('session.id')
            .whereRef('session.id', '=', 'push_device.session_id')
            .where('session.ended', 'is', null)
            .where('session.end_time', '>', now),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
