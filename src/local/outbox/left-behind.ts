/** What a visitor may be told of this device: how many unsent writes lie here and how many are gone, and no more (protocol 30). */
import { unsentCountCookie } from '#contract/cookies.ts'
import { countWrites, readRecordedCount, parseCounts } from '#local/outbox/counters.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'

export interface LeftBehindCounts {
  waitingCount: number
  /** Whose those are that wait: so many users'. */
  userCount: number
  /** The cookie speaks of a database that is not here any more (requirement 48). */
  lostCount: number
}

/** `cookies`: those of the page. A device of which they say nothing is not looked at. */
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
