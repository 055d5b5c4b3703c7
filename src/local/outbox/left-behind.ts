/** What a visitor may be told of this device: how many unsent writes lie here and how many are gone, and no more (protocol 30). */
import { tallyCookie } from '#contract/cookies.ts'
import { countIn, madeIn, readCounts } from '#local/outbox/counters.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'

export interface LeftBehind {
  waiting: number
  /** Whose those are that wait: so many users'. */
  users: number
  /** The cookie speaks of a database that is not here any more (requirement 48). */
  lost: number
}

/** `cookies`: those of the page. A device of which they say nothing is not looked at. */
export async function readLeftBehind(cookies: string, device: () => Device = thisDevice): Promise<LeftBehind> {
  const [, text] = new RegExp(`(?:^|; )${tallyCookie.name}=([^;]*)`).exec(cookies) ?? []
  const left = { waiting: 0, users: 0, lost: 0 }
  for (const [subject, told] of Object.entries(readCounts(text ?? null))) {
    const [companyId, userId] = subject.split(':').map(Number)
    const db = device().of({ companyId: companyId ?? 0, userId: userId ?? 0 })
    const [made, { waiting }] = await Promise.all([madeIn(db), countIn(db)])
    left.waiting += waiting
    if (waiting > 0) left.users += 1
    if (made < told.made) left.lost += Math.max(0, told.waiting - waiting)
  }
  return left
}
