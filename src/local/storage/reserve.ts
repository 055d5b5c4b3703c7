/**
 * Reserves space for sending waiting writes. If the disk is full and no list can be evicted, the space is freed, so that waiting writes can
 * be sent. A new write never uses it, because then nothing could be sent any longer.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isFullError } from '#local/storage/storage-errors.ts'
import { transact, transactUnlessFull } from '#local/storage/transaction.ts'

/** Size of the reserve in bytes: enough for claims and receipts of a hundred writes. */
const reserveBytes = 262_144
/** Maximum number of random bytes per call in browsers. */
const maxRandomBytes = 65_536

export async function storeReserve(db: UserDatabase): Promise<void> {
  if ((await countReserve(db)) > 0) return
  const bytes = new Uint8Array(reserveBytes)
  // Random bytes, because browsers compress stored data: zeros would take no space that could be freed.
  for (let i = 0; i < reserveBytes; i += maxRandomBytes) crypto.getRandomValues(bytes.subarray(i, i + maxRandomBytes))
  await transactUnlessFull(db, ['meta'], () => db.meta.put({ name: 'reserve', bytes }))
}

/** Like `transact`, but for sending: if nothing else can be evicted, it frees the reserve. */
export async function transactToSend<T>(
  db: UserDatabase,
  tables: readonly string[],
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await transact(db, tables, action)
  } catch (error) {
    if (!isFullError(error) || (await countReserve(db)) === 0) throw error
    await db.meta.delete('reserve')
    return await transact(db, tables, action)
  }
}

const countReserve = (db: UserDatabase) => db.meta.where('name').equals('reserve').count()
