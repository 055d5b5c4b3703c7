/** What others have left on this device: that much may be told to whoever uses it, and no more (protocol 30). */
import { type Device, thisDevice } from '#local/storage/device.ts'
import { countIn } from '#local/outbox/counters.ts'
import { readSession } from '#local/session/session.ts'

/** How many unsent writes of users other than the session's lie here. */
export async function countOfOthers(device: Device = thisDevice()): Promise<number> {
  const session = await readSession(device)
  const all = await device.directory.occupants.toArray()
  const others = all.filter(({ companyId, userId }) => companyId !== session?.companyId || userId !== session.userId)
  const counts = await Promise.all(others.map((one) => countIn(device.of(one))))
  return counts.reduce((sum, { waiting }) => sum + waiting, 0)
}
