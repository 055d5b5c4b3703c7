/**
 * Room that is set aside for sending what waits. When the disk is full and no list is left to make way, it is given up, so
 * that waiting writes go by the usual steps; a new write never takes it, or nothing could be sent any more.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { transactIfRoom } from '#local/storage/transaction.ts'

/** Bytes: claims and receipts of a hundred writes. Browsers keep a value of this size as a file, whose room is free at once. */
const size = 262_144

/** Sets it aside where there is none and where there is room. */
export async function keepReserve(db: UserDatabase): Promise<void> {
  if ((await readReserve(db)) > 0) return
  await transactIfRoom(db, ['meta'], () => db.meta.put({ name: 'reserve', bytes: new Uint8Array(size) }))
}

/** False: there was none. */
export async function spendReserve(db: UserDatabase): Promise<boolean> {
  if ((await readReserve(db)) === 0) return false
  await db.meta.delete('reserve')
  return true
}

const readReserve = (db: UserDatabase) => db.meta.where('name').equals('reserve').count()
