/** The last answers of `read` endpoints, for who must show something before the request pipeline has asked. */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import type { Subject } from '#local/storage/records.ts'

/** What the server last said at this path to this user; null: nothing is kept. */
export async function readCachedResponse(
  path: string,
  subject: Subject,
  device: Device = getThisDevice(),
): Promise<unknown> {
  const response = await device.getDatabase(subject).responses.get(path)
  return response ? JSON.parse(response.body) : null
}
