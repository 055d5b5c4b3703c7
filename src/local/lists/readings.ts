/** The last answers of `read` endpoints, for who must show something before the request pipeline has asked. */
import { type Device, thisDevice } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

/** What the server last said at this path to this user; null: nothing is kept. */
export async function readReading(path: string, subject: Subject, device: Device = thisDevice()): Promise<unknown> {
  const reading = await device.of(subject).responses.get(path)
  return reading ? JSON.parse(reading.body) : null
}
