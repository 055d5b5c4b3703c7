/** Counts the unsent writes of other users. The current user may see only this count (protocol 30). */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { countWrites } from '#local/outbox/counters.ts'
import { readSession } from '#local/session/session.ts'

export async function countWritesOfOtherUsers(device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  const occupants = await device.directory.occupants.toArray()
  const otherUsers = occupants.filter(
    ({ companyId, userId }) => companyId !== session?.companyId || userId !== session.userId,
  )
  const counts = await Promise.all(otherUsers.map((user) => countWrites(device.getDatabase(user))))
  return counts.reduce((sum, { waitingCount }) => sum + waitingCount, 0)
}
