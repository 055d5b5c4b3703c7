/** One history while it is lived: everything that takes part, and what the disk says of it. */
import type { SessionRecord } from '#local/storage/device.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { OutboxEntry, Receipt, Sealed } from '#local/storage/records.ts'
import type { Browser } from '#tests/outbox-model/browser.ts'
import type { Decision } from '#tests/outbox-model/operations.ts'
import type { Promised } from '#tests/outbox-model/guarantees.ts'
import type { ModelServer } from '#tests/outbox-model/server.ts'
import type { Clock } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'

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
  browser.disk.read<OutboxEntry>(nameOf(userId), 'outbox').toSorted((a, b) => a.seq - b.seq)
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

/** For a decision, or for a row whose form was closed; all else must go by itself. */
export function waitsForUser({ server, promise }: Life, { intent, state }: OutboxEntry): boolean {
  const row = promise.wishes.get(intent)?.row
  const isMade = typeof row === 'number' || server.effects.some((one) => one.intent === row)
  return isParked(state) || (!isMade && row !== intent)
}

export const isParked = (state: OutboxEntry['state']) => ['refused', 'asks', 'conflict'].includes(state)

/** Whoever cannot have it their way lets it be. */
export function wayOut({ state }: OutboxEntry, round: number): Decision {
  if (round > 6) return 'drop'
  if (state === 'conflict') return round > 3 ? 'keepTheirs' : 'keepMine'
  return state === 'asks' ? 'confirm' : 'mend'
}

let lives = 0

/** Of no life before: what a page remembers outside of the device, as the key of an unanswered write, is here the process's. */
export function idsOfALife(): () => string {
  const prefix = String(++lives).padStart(8, '0')
  let made = 0
  return () => `${prefix}-0000-4000-8000-${String(++made).padStart(12, '0')}`
}
