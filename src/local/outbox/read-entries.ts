/** Waiting writes as the screens read them; what moves them is in outbox.ts, which no page has to carry. */
import { type Device, thisDevice } from '#local/storage/device.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
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

const parked: readonly WaitingState[] = ['refused', 'asks', 'conflict']
/** It waits for its user's decision, and holds its lane. */
export const isParked = ({ state }: Pick<OutboxEntry, 'state'>) => parked.includes(state)

/** Writes of the session's user that the server has not accepted yet, those waiting for a decision or locked included. */
export async function countWaiting(device: Device = thisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await device.of(session).outbox.count()) + (await countLocked(device))
}

/** Writes of a session that has lapsed, which nothing here can read before its user has logged in again (decision 83). */
export async function countLocked(device: Device = thisDevice()): Promise<number> {
  const session = await readSession(device)
  if (!session || session.signedOut) return 0
  return (await sealsIn(device.of(session))).filter(({ order }) => order !== undefined).length
}

/** The same, in the order they were made. */
export async function readEntries(device: Device = thisDevice()): Promise<EntryView[]> {
  const session = await readSession(device)
  return session && !session.signedOut ? await device.of(session).outbox.orderBy('seq').toArray() : []
}
