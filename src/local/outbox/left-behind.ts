/** Counts unsent and lost writes on this device. A visitor who is not signed in may see only these counts (protocol 30). */
import { unsentCountCookie } from '#contract/cookies.ts'
import { countWrites, readRecordedCount, parseCounts } from '#local/outbox/counters.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'

export interface LeftBehindCounts {
  waitingCount: number
  userCount: number
  /** Number of writes that the cookie counts in a database that no longer exists (requirement 48). */
  lostCount: number
}

/** `cookies` are those of the page. If they contain no count, the device is not read. */
export async function readLeftBehind(cookies: string, device: () => Device = getThisDevice): Promise<LeftBehindCounts> {
  const [, text] = new RegExp(`(?:^|; )${unsentCountCookie.name}=([^;]*)`).exec(cookies) ?? []
  const totals = { waitingCount: 0, userCount: 0, lostCount: 0 }
  for (const [subject, count] of Object.entries(parseCounts(text ?? null))) {
    const [companyId, userId] = subject.split(':').map(Number)
    const db = device().getDatabase({ companyId: companyId ?? 0, userId: userId ?? 0 })
    const [recordedCount, { waitingCount }] = await Promise.all([readRecordedCount(db), countWrites(db)])
    totals.waitingCount += waitingCount
    if (waitingCount > 0) totals.userCount += 1
    if (recordedCount < count.recordedCount) totals.lostCount += Math.max(0, count.waitingCount - waitingCount)
  }
  return totals
}
