/** Reads waiting writes for the pages. The code that changes them is in other files, which pages need not load. */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSession } from '#local/session/session.ts'
import type { WaitingState, OutboxEntry } from '#local/storage/records.ts'

export type EntryView = Pick<
  OutboxEntry,
  | 'intent'
  | 'key'
  | 'queueKey'
  | 'dependsOn'
  | 'endpoint'
  | 'table'
  | 'target'
  | 'action'
  | 'state'
  | 'since'
  | 'attempts'
  | 'problem'
  | 'base'
  | 'input'
>

const parkedStates: readonly WaitingState[] = ['refused', 'asks', 'conflict']
/** Returns true if the entry waits for its user's decision and blocks its queue key. */
export const isParked = ({ state }: Pick<OutboxEntry, 'state'>) => parkedStates.includes(state)

export async function countWaiting(device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await device.getDatabase(session).outbox.count()) + (await countLocked(device))
}

/** Counts the writes of an expired session, which cannot be read before its user logs in again (decision 83). */
export async function countLocked(device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await readSealedWrites(device.getDatabase(session))).filter(({ order }) => order !== undefined).length
}

export async function readEntries(device: Device = getThisDevice()): Promise<EntryView[]> {
  const session = await readSession(device)
  return session && !session.signedOut ? await device.getDatabase(session).outbox.orderBy('seq').toArray() : []
}
