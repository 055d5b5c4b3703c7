/** Defines the state of one running history: all participants, and helpers that read the disk. */
import type { SessionRecord } from '#local/storage/device.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { OutboxEntry, Receipt, SealedWrites } from '#local/storage/records.ts'
import type { ModelBrowser, ModelTab } from '#tests/outbox-model/browser.ts'
import type { Decision } from '#tests/outbox-model/model-actions.ts'
import type { GuaranteeChecker } from '#tests/outbox-model/guarantees.ts'
import type { ModelServer } from '#tests/outbox-model/server.ts'
import type { Clock } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'

export const users = [1, 2] as const

export interface Simulation {
  clock: Clock
  server: ModelServer
  browser: ModelBrowser
  guarantees: GuaranteeChecker
  /** Intents of forms whose write was refused, and which have not been sent again yet. */
  forms: string[]
  /** Work that was started and has not ended, usually because it waits for the clock. */
  pending: Set<Promise<unknown>>
  newId: () => string
}

export const getTab = ({ browser }: Simulation, index: number): ModelTab => browser.tabs[index] as ModelTab
export const getDatabaseName = (userId: number) => `portal-${companyId}-${userId}`
export const readOutbox = ({ browser }: Simulation, userId: number) =>
  browser.disk.read<OutboxEntry>(getDatabaseName(userId), 'outbox').toSorted((a, b) => a.seq - b.seq)
export const readReceipts = ({ browser }: Simulation, userId: number) =>
  browser.disk.read<Receipt>(getDatabaseName(userId), 'receipts')
export const readSeals = ({ browser }: Simulation, userId: number) =>
  browser.disk.read<SealedWrites>(getDatabaseName(userId), 'meta').filter(({ name }) => name.startsWith('sealed:'))
export const readRowIds = ({ browser }: Simulation, userId: number) =>
  new Set(browser.disk.read<StoredRow>(getDatabaseName(userId), 'users').map(({ id }) => id))

/** Returns the signed-in user as stored on the disk, or null. */
export function findSignedInUser({ browser }: Simulation): number | null {
  const session = browser.disk.read<SessionRecord>('portal-device', 'session')[0]
  return session?.subject && !session.signedOut ? session.subject.userId : null
}

/**
 * Returns true for an entry that only its user can continue: a parked write, or a write to a row that the server has not created (the form
 * of the creation may be closed). All other entries must be sent without a user.
 */
export function waitsForUser({ server, guarantees }: Simulation, { intent, state }: OutboxEntry): boolean {
  const row = guarantees.intendedWrites.get(intent)?.row
  const isCreated = typeof row === 'number' || server.effects.some((effect) => effect.intent === row)
  return isParked(state) || (!isCreated && row !== intent)
}

export const isParked = (state: OutboxEntry['state']) => ['refused', 'asks', 'conflict'].includes(state)

/** Returns a decision about a parked entry. After some rounds it drops the entry, so that the simulation ends. */
export function chooseDecision({ state }: OutboxEntry, round: number): Decision {
  if (round > 6) return 'drop'
  if (state === 'conflict') return round > 3 ? 'keepServerValues' : 'keepOwnValues'
  return state === 'asks' ? 'confirm' : 'fix'
}

let simulationCount = 0

/**
 * Creates ids that no other simulation uses. Some data is stored in a module and not on the device, such as the key of a write without a
 * response. With the same ids it would affect the next simulation.
 */
export function createIdSource(): () => string {
  const prefix = String(++simulationCount).padStart(8, '0')
  let idCount = 0
  return () => `${prefix}-0000-4000-8000-${String(++idCount).padStart(12, '0')}`
}
