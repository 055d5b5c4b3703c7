/**
 * Room that is set aside for sending what waits. When the disk is full and no list is left to make way, it is given up, so
 * that waiting writes go by the usual steps; a new write never takes it, or nothing could be sent any more.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isFullError } from '#local/storage/storage-errors.ts'
import { transact, transactUnlessFull } from '#local/storage/transaction.ts'

/** Bytes: claims and receipts of a hundred writes. */
const reserveBytes = 262_144
/** As many random bytes as a browser gives at once. */
const maxRandomBytes = 65_536

/** Sets it aside where there is none and where there is room. */
export async function storeReserve(db: UserDatabase): Promise<void> {
  if ((await countReserve(db)) > 0) return
  const bytes = new Uint8Array(reserveBytes)
  // Browsers compress what they store: zeros would take no space that could be given up.
  for (let i = 0; i < reserveBytes; i += maxRandomBytes) crypto.getRandomValues(bytes.subarray(i, i + maxRandomBytes))
  await transactUnlessFull(db, ['meta'], () => db.meta.put({ name: 'reserve', bytes }))
}

/** `transact` for a step of sending what waits: with nothing else left to make way it takes the reserve. */
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
