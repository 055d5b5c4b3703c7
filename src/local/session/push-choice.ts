/** Whether the signed-in user wants push messages in this browser. Stays after a sign-out, for the user's next session. */
import { getMetaRecord } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findUserDatabase } from '#local/session/session.ts'

export async function isPushChosen(device: Device = getThisDevice()): Promise<boolean> {
  const db = await findUserDatabase(device)
  return db !== null && (await getMetaRecord(db, 'push')) !== undefined
}

export async function storePushChoice(isChosen: boolean, device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  if (isChosen) await db?.meta.put({ name: 'push' })
  else await db?.meta.delete('push')
}
