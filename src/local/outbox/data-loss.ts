/**
 * The loss alarm (requirement 48). The database counts the writes that were ever recorded in it; a small text outside of
 * it, a cookie, repeats that count and says how many wait. A database that has counted less than the cookie is not the
 * one that the cookie speaks of: the browser took it away, or an older state of it came back.
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
 * Compares the two and keeps what it finds until the user has seen it. The writes that are missing; 0: none. Fewer may
 * be told than were lost, if the cookie was written before the last of them; never more than were once there.
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
    // From here on this database is the one that is counted.
    await db.meta.put({ name: 'write-counter', count: cookieCount.recordedCount })
    const kinds = findMissingKinds(cookieCount.kinds ?? {}, presentKinds)
    if (writes > 0) await db.meta.put({ name: 'loss', writes, kinds, noticedAt: now })
    return writes
  })
}

export interface DataLoss {
  writes: number
  /** What they were about, as far as it is known. */
  kinds: KindCounts
  noticedAt: number
}

/** Unsent writes of the session's user that are gone from this device, until they were acknowledged; null: none. */
export async function readDataLoss(device: Device = getThisDevice()): Promise<DataLoss | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const loss = await device.getDatabase(session).meta.get('loss')
  if (loss?.name !== 'loss') return null
  const { writes, kinds = {}, noticedAt } = loss
  return { writes, kinds, noticedAt }
}

/**
 * A browser may take away a user's database alone. The session is still theirs, so they go on with an empty one: it is opened for them
 * again, and what is on screens of the one that is gone is read again. `not theirs`: it is nobody's session, or another user's.
 */
export async function reopenDeletedDatabase(device: Device, subject: Subject): Promise<boolean | 'not theirs'> {
  const session = await readSession(device)
  const isSameUser = session?.companyId === subject.companyId && session.userId === subject.userId
  if (!session || !isSameUser || session.signedOut) return 'not theirs'
  const db = device.getDatabase(subject)
  if (await db.meta.get('session-generation')) return false
  const tables = db.tables.map(({ name }) => name)
  return await transact(db, tables, async () => {
    // Between the two a sign-in, or another page, may have opened it.
    if (await db.meta.get('session-generation')) return false
    // It is empty; clearing it is what live queries over the former one hear of.
    if ((await db.outbox.count()) === 0) for (const table of db.tables) await table.clear()
    await db.meta.put({ name: 'session-generation', open: true, generation: session.generation })
    return true
  })
}

/** Calls back after the database was deleted, or its connection was taken away, while it was in use. Answers how to stop. */
export function subscribeToDeletion(db: UserDatabase, notify: () => void): () => void {
  const onVersionChange = ({ newVersion }: IDBVersionChangeEvent) => {
    // The deletion goes on once this connection is closed, which Dexie does after this.
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

/** The user has seen it. */
export async function deleteDataLoss(db: UserDatabase): Promise<void> {
  await db.meta.delete('loss')
}
