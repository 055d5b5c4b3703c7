import { type Device, getThisDevice } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

/** Returns the last response to this user at this path, or null if nothing is stored. */
export async function readCachedResponse(
  path: string,
  subject: Subject,
  device: Device = getThisDevice(),
): Promise<unknown> {
  const response = await device.getDatabase(subject).responses.get(path)
  return response ? JSON.parse(response.body) : null
}
