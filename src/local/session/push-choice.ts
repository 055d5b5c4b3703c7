/** Whether the signed-in user wants push messages in this browser. Stays after a sign-out, for the user's next session. */
import { getMetaRecord } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findUserDatabase, readActiveSession } from '#local/session/session.ts'

/** `registered`: the server has also registered this browser, in the current session. */
export type PushSelection = 'none' | 'chosen' | 'registered'

export async function readPushSelection(device: Device = getThisDevice()): Promise<PushSelection> {
  const session = await readActiveSession(device)
  const choice = session && (await getMetaRecord(device.getDatabase(session), 'push'))
  if (!choice) return 'none'
  return choice.registeredIn === session.generation ? 'registered' : 'chosen'
}

/** Called when the server has registered this browser for the current session. */
export async function storePushRegistration(device: Device = getThisDevice()): Promise<void> {
  const session = await readActiveSession(device)
  if (session) await device.getDatabase(session).meta.put({ name: 'push', registeredIn: session.generation })
}

export async function deletePushSelection(device: Device = getThisDevice()): Promise<void> {
  const db = await findUserDatabase(device)
  await db?.meta.delete('push')
}
