/**
 * The loss alarm (requirement 48). The database counts the writes that were ever recorded in it; a small text outside of
 * it, a cookie, repeats that count and says how many wait. A database that has counted less than the cookie is not the
 * one that the cookie speaks of: the browser took it away, or an older state of it came back.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { type Count, countIn, madeIn } from '#local/outbox/counters.ts'
import { readSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * Compares the two and keeps what it finds until the user has seen it. The writes that are missing; 0: none. Fewer may
 * be told than were lost, if the cookie was written before the last of them; never more than were once there.
 */
export async function compareCounts(db: UserDatabase, told: Count | undefined, now: number): Promise<number> {
  if (!told) return 0
  return await transact(db, ['outbox', 'directCalls', 'meta'], async () => {
    if ((await madeIn(db)) >= told.made) return 0
    const { waiting } = await countIn(db)
    const writes = Math.max(0, told.waiting - waiting)
    // From here on this database is the one that is counted.
    await db.meta.put({ name: 'write-counter', count: told.made })
    if (writes > 0) await db.meta.put({ name: 'loss', writes, noticedAt: now })
    return writes
  })
}

/** How many unsent writes of the session's user are gone from this device, until they were acknowledged; null: none. */
export async function readLoss(device: Device = thisDevice()): Promise<{ writes: number; noticedAt: number } | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const loss = await device.of(session).meta.get('loss')
  return loss?.name === 'loss' ? { writes: loss.writes, noticedAt: loss.noticedAt } : null
}

/** The user has seen it. */
export async function forgetLoss(db: UserDatabase): Promise<void> {
  await db.meta.delete('loss')
}
