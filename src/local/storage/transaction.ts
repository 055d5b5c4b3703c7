/**
 * Runs strict transactions: a stored write is on disk before its promise resolves. They are retried if the database was closed or the disk
 * is full.
 */
import { Dexie, type Transaction } from 'dexie'
import type { UserDatabase } from '#local/storage/database.ts'
import { countInterruptions, setDatabaseLost } from '#local/storage/open-transactions.ts'
import { resolveUnlessFull, isClosedError, isFullError, isOpenError } from '#local/storage/storage-errors.ts'

/**
 * Runs one transaction. Retries once if the browser closed the connection, which can happen at any time. On a full disk it retries after
 * each eviction, because waiting writes are more important than data that can be fetched again.
 */
export const transact = <T>(db: Dexie, tables: readonly string[], action: () => Promise<T>): Promise<T> =>
  withRetry(db, () => runTransaction(db, tables, action))

/** For optional writes: returns false if there is no space, and evicts nothing. */
export const transactUnlessFull = (
  db: Dexie,
  tables: readonly string[],
  action: () => Promise<unknown>,
): Promise<boolean> => resolveUnlessFull(runTransaction(db, tables, action))

export const readInTransaction = <T>(db: Dexie, tables: readonly string[], action: () => Promise<T>): Promise<T> =>
  withRetry(db, () => db.transaction('r', tables, action))

/** Retries once if the connection was closed, or the page was left meanwhile and restored. */
export async function withRetry<T>(db: Dexie, attempt: () => PromiseLike<T>): Promise<T> {
  const previousInterruptionCount = countInterruptions()
  try {
    return await attempt()
  } catch (error) {
    if (isFullError(error) && db.tables.some(({ name }) => name === 'listStats')) {
      const { retryAfterEviction } = await import('#local/storage/eviction.ts')
      // Only a user's database has lists that can be evicted.
      return await retryAfterEviction(db as UserDatabase, attempt, error)
    }
    if (countInterruptions() > previousInterruptionCount) return await attempt()
    if (!isClosedError(error)) throw error
    try {
      // Another caller may already be opening the database.
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

/**
 * Runs one transaction. If the disk is full, it is aborted and its requests report only the abort, so the reason is read from the
 * transaction's error.
 */
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
