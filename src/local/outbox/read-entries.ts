/** Waiting writes as the screens read them; what moves them is in outbox.ts, which no page has to carry. */
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSession } from '#local/session/session.ts'
import type { WaitingState, OutboxEntry } from '#local/storage/records.ts'

/** An entry as the screens see it. */
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
/** It waits for its user's decision, and holds its lane. */
export const isParked = ({ state }: Pick<OutboxEntry, 'state'>) => parkedStates.includes(state)

/** Writes of the session's user that the server has not accepted yet, those waiting for a decision or locked included. */
export async function countWaiting(device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await device.getDatabase(session).outbox.count()) + (await countLocked(device))
}

/** Writes of a session that has lapsed, which nothing here can read before its user has logged in again (decision 83). */
export async function countLocked(device: Device = getThisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await readSealedWrites(device.getDatabase(session))).filter(({ order }) => order !== undefined).length
}

/** The same, in the order they were made. */
export async function readEntries(device: Device = getThisDevice()): Promise<EntryView[]> {
  const session = await readSession(device)
  return session && !session.signedOut ? await device.getDatabase(session).outbox.orderBy('seq').toArray() : []
}
