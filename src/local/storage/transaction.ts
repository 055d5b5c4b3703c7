/** Strict transactions: a stored write is on the disk before its promise resolves. Retries once when the database was closed
 * or full. */
import { Dexie, type Transaction } from 'dexie'
import type { UserDatabase } from '#local/storage/database.ts'
import { countInterruptions, setDatabaseLost } from '#local/storage/open-transactions.ts'
import { resolveUnlessFull, isClosedError, isFullError, isOpenError } from '#local/storage/storage-errors.ts'

/**
 * Runs one transaction; once more if the connection had been closed under it (a browser may, at any time), and again
 * each time lists have made way when the disk is full: what waits outranks what can be fetched again.
 */
export const transact = <T>(db: Dexie, tables: readonly string[], action: () => Promise<T>): Promise<T> =>
  withRetry(db, () => runTransaction(db, tables, action))

/** For what may stay unwritten: false where there is no room, and nothing makes way for it. */
export const transactUnlessFull = (
  db: Dexie,
  tables: readonly string[],
  action: () => Promise<unknown>,
): Promise<boolean> => resolveUnlessFull(runTransaction(db, tables, action))

/** Reads of one moment, once more if the connection had been closed under it. */
export const readInTransaction = <T>(db: Dexie, tables: readonly string[], action: () => Promise<T>): Promise<T> =>
  withRetry(db, () => db.transaction('r', tables, action))

/** Once more if the connection had been closed under it, or the page had been left meanwhile and has come back. */
export async function withRetry<T>(db: Dexie, attempt: () => PromiseLike<T>): Promise<T> {
  const previousInterruptionCount = countInterruptions()
  try {
    return await attempt()
  } catch (error) {
    if (isFullError(error) && db.tables.some(({ name }) => name === 'listStats')) {
      const { retryAfterEviction } = await import('#local/storage/eviction.ts')
      // Only a user's database has that table.
      return await retryAfterEviction(db as UserDatabase, attempt, error)
    }
    if (countInterruptions() > previousInterruptionCount) return await attempt()
    if (!isClosedError(error)) throw error
    try {
      // Whoever met it first may be opening it again already.
      if (!isOpenError(error)) db.close({ disableAutoOpen: false })
      await db.open()
      const result = await attempt()
      setDatabaseLost(false)
      return result
    } catch (retryError) {
      if (isClosedError(retryError)) setDatabaseLost(true)
      throw retryError
    }
  }
}

/** A disk that is full aborts the transaction; its requests say only that, and the reason stands at the transaction. */
async function runTransaction<T>(db: Dexie, tables: readonly string[], action: () => Promise<T>): Promise<T> {
  let currentTransaction: Transaction | undefined
  try {
    return await db.transaction('rw', tables, async (transaction) => {
      currentTransaction = transaction
      return await action()
    })
  } catch (error) {
    const abortReason = currentTransaction?.idbtrans?.error
    throw isFullError(abortReason) ? abortReason : error
  }
}
