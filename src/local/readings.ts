/** The last answers of `read` endpoints, for who must show something before the corridor has asked. */
import type { Subject } from '#local/database.ts'
import { type Device, thisDevice } from '#local/device.ts'

/** What the server last said at this path to this user; null: nothing is kept. */
export async function readReading(path: string, subject: Subject, device: Device = thisDevice()): Promise<unknown> {
  const reading = await device.of(subject).readings.get(path)
  return reading ? JSON.parse(reading.body) : null
}
