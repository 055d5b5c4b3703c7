/**
 * Room that is set aside for sending what waits. When the disk is full and no list is left to make way, it is given up, so
 * that waiting writes go by the usual steps; a new write never takes it, or nothing could be sent any more.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isFull } from '#local/storage/storage-errors.ts'
import { transact, transactUnlessFull } from '#local/storage/transaction.ts'

/** Bytes: claims and receipts of a hundred writes. Browsers keep a value of this size as a file, whose room is free at once. */
const size = 262_144

/** Sets it aside where there is none and where there is room. */
export async function keepReserve(db: UserDatabase): Promise<void> {
  if ((await readReserve(db)) > 0) return
  await transactUnlessFull(db, ['meta'], () => db.meta.put({ name: 'reserve', bytes: new Uint8Array(size) }))
}

/** `transact` for a step of sending what waits: with nothing else left to make way it takes the reserve. */
export async function transactToSend<T>(
  db: UserDatabase,
  tables: readonly string[],
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await transact(db, tables, act)
  } catch (error) {
    if (!isFull(error) || (await readReserve(db)) === 0) throw error
    await db.meta.delete('reserve')
    return await transact(db, tables, act)
  }
}

const readReserve = (db: UserDatabase) => db.meta.where('name').equals('reserve').count()
