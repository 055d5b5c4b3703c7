/** The last answers of `read` endpoints, for who must show something before the corridor has asked. */
import { type Device, thisDevice } from '#local/device.ts'
import { readSession } from '#local/session.ts'

/** What the server last said at this path to the session's user; null: nothing is kept, or nobody is signed in. */
export async function readReading(path: string, device: Device = thisDevice()): Promise<unknown> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const reading = await device.of(session).readings.get(path)
  return reading ? JSON.parse(reading.body) : null
}
