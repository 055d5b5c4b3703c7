/** Strict transactions: a stored write is on the disk before its promise resolves. Retries once when the database was closed
 * or full. */
import { Dexie, type Transaction } from 'dexie'
import type { UserDatabase } from '#local/storage/database.ts'
import { countInterruptions, noteDatabaseLost } from '#local/storage/open-transactions.ts'
import { unlessFull, isClosed, isFull, isOpening } from '#local/storage/storage-errors.ts'

/**
 * Runs one transaction; once more if the connection had been closed under it (a browser may, at any time), and again
 * each time lists have made way when the disk is full: what waits outranks what can be fetched again.
 */
export const transact = <T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> =>
  withRetry(db, () => attempted(db, tables, act))

/** For what may stay unwritten: false where there is no room, and nothing makes way for it. */
export const transactUnlessFull = (
  db: Dexie,
  tables: readonly string[],
  act: () => Promise<unknown>,
): Promise<boolean> => unlessFull(attempted(db, tables, act))

/** Reads of one moment, once more if the connection had been closed under it. */
export const readTogether = <T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> =>
  withRetry(db, () => db.transaction('r', tables, act))

/** Once more if the connection had been closed under it, or the page had been left meanwhile and has come back. */
export async function withRetry<T>(db: Dexie, attempt: () => PromiseLike<T>): Promise<T> {
  const interruptions = countInterruptions()
  try {
    return await attempt()
  } catch (error) {
    if (isFull(error) && db.tables.some(({ name }) => name === 'listStats')) {
      const { retryAfterEviction: retryInRoom } = await import('#local/storage/eviction.ts')
      // Only a user's database has that table.
      return await retryInRoom(db as UserDatabase, attempt, error)
    }
    if (countInterruptions() > interruptions) return await attempt()
    if (!isClosed(error)) throw error
    try {
      // Whoever met it first may be opening it again already.
      if (!isOpening(error)) db.close({ disableAutoOpen: false })
      await db.open()
      const result = await attempt()
      noteDatabaseLost(false)
      return result
    } catch (second) {
      if (isClosed(second)) noteDatabaseLost(true)
      throw second
    }
  }
}

/** A disk that is full aborts the transaction; its requests say only that, and the reason stands at the transaction. */
async function attempted<T>(db: Dexie, tables: readonly string[], act: () => Promise<T>): Promise<T> {
  let under: Transaction | undefined
  try {
    return await db.transaction('rw', tables, async (transaction) => {
      under = transaction
      return await act()
    })
  } catch (error) {
    const reason = under?.idbtrans?.error
    throw isFull(reason) ? reason : error
  }
}
