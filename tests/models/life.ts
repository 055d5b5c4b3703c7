/** One history while it is lived: everything that takes part, and what the disk says of it. */
import type { Entry, Receipt, Sealed } from '#local/database.ts'
import type { SessionRecord } from '#local/device.ts'
import type { StoredRow } from '#local/kept.ts'
import type { Browser } from '#tests/models/browser.ts'
import type { Promised } from '#tests/models/promise.ts'
import type { ModelServer } from '#tests/models/server.ts'
import type { Clock } from '#tests/support/device.ts'
import { company } from '#tests/support/kept.ts'

export const users = [1, 2] as const

export interface Life {
  clock: Clock
  server: ModelServer
  browser: Browser
  promise: Promised
  /** Told what was wrong, and not sent again yet. */
  forms: string[]
  /** Begun and waiting for the clock. */
  pending: Set<Promise<unknown>>
  newId: () => string
}

export const nameOf = (userId: number) => `portal-${company}-${userId}`
export const outboxOf = ({ browser }: Life, userId: number) =>
  browser.disk.read<Entry>(nameOf(userId), 'outbox').toSorted((a, b) => a.seq - b.seq)
export const receiptsOf = ({ browser }: Life, userId: number) => browser.disk.read<Receipt>(nameOf(userId), 'receipts')
export const sealsOf = ({ browser }: Life, userId: number) =>
  browser.disk.read<Sealed>(nameOf(userId), 'meta').filter(({ name }) => name.startsWith('sealed:'))
export const rowsHere = ({ browser }: Life, userId: number) =>
  new Set(browser.disk.read<StoredRow>(nameOf(userId), 'users').map(({ id }) => id))

/** Who is signed in, as the disk says; null: nobody. */
export function whoIsHere({ browser }: Life): number | null {
  const session = browser.disk.read<SessionRecord>('portal-device', 'session')[0]
  return session?.subject && !session.signedOut ? session.subject.userId : null
}
