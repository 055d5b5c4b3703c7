/**
 * Detects lost writes (requirement 48). The database counts the writes ever recorded in it. A cookie outside of it repeats that count and
 * the number of waiting writes. If the database has counted less than the cookie, the browser has deleted the database or restored an older
 * state.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import {
  type WriteCount,
  countWrites,
  type KindCounts,
  readRecordedCount,
  findMissingKinds,
} from '#local/outbox/counters.ts'
import { readSession } from '#local/session/session.ts'
import type { Subject } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Compares the counts and stores the difference until the user has seen it. Returns the number of missing writes. The number can be too low
 * if the cookie was written before the last writes, but it is never too high.
 */
export async function compareCounts(
  db: UserDatabase,
  cookieCount: WriteCount | undefined,
  now: number,
): Promise<number> {
  if (!cookieCount) return 0
  return await transact(db, ['outbox', 'directCalls', 'meta'], async () => {
    if ((await readRecordedCount(db)) >= cookieCount.recordedCount) return 0
    const { waitingCount, kinds: presentKinds = {} } = await countWrites(db)
    const writes = Math.max(0, cookieCount.waitingCount - waitingCount)
    await db.meta.put({ name: 'write-counter', count: cookieCount.recordedCount })
    const kinds = findMissingKinds(cookieCount.kinds ?? {}, presentKinds)
    if (writes > 0) await db.meta.put({ name: 'loss', writes, kinds, noticedAt: now })
    return writes
  })
}

export interface DataLoss {
  writes: number
  kinds: KindCounts
  noticedAt: number
}

/** Returns the lost unsent writes of the session's user until they are acknowledged. Returns null if no writes were lost. */
export async function readDataLoss(device: Device = getThisDevice()): Promise<DataLoss | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const loss = await device.getDatabase(session).meta.get('loss')
  if (loss?.name !== 'loss') return null
  const { writes, kinds = {}, noticedAt } = loss
  return { writes, kinds, noticedAt }
}

/**
 * Opens the session's database again after the browser deleted only this database. The session is still valid, so it continues with an
 * empty database, and the pages read their data again. Returns false if the database is already open, and `not theirs` if there is no
 * session or it belongs to another user.
 */
export async function reopenDeletedDatabase(device: Device, subject: Subject): Promise<boolean | 'not theirs'> {
  const session = await readSession(device)
  const isSameUser = session?.companyId === subject.companyId && session.userId === subject.userId
  if (!session || !isSameUser || session.signedOut) return 'not theirs'
  const db = device.getDatabase(subject)
  if (await db.meta.get('session-generation')) return false
  const tables = db.tables.map(({ name }) => name)
  return await transact(db, tables, async () => {
    // Meanwhile a sign-in or another page may have opened it.
    if (await db.meta.get('session-generation')) return false
    // The database is empty. Clearing it notifies live queries that read from the deleted one.
    if ((await db.outbox.count()) === 0) for (const table of db.tables) await table.clear()
    await db.meta.put({ name: 'session-generation', open: true, generation: session.generation })
    return true
  })
}

/** Calls `notify` after the database was deleted or its connection closed while in use. Returns an unsubscribe function. */
export function subscribeToDeletion(db: UserDatabase, notify: () => void): () => void {
  const onVersionChange = ({ newVersion }: IDBVersionChangeEvent) => {
    // The deletion continues once Dexie has closed this connection, which it does after this event.
    if (newVersion === null) setTimeout(notify)
  }
  const onClose = () => void setTimeout(notify)
  db.on('versionchange', onVersionChange)
  db.on('close', onClose)
  return () => {
    db.on('versionchange').unsubscribe(onVersionChange)
    db.on('close').unsubscribe(onClose)
  }
}

export async function deleteDataLoss(db: UserDatabase): Promise<void> {
  await db.meta.delete('loss')
}
