/** Limits in ms: for a statement, for waiting for a lock, for waiting for a connection, and for an idle transaction. */
export interface TransactionTimeouts {
  statement: number
  lock: number
  queue: number
  idle: number
}

/** The limits of the embedded database. PostgreSQL has the same ones by default. */
export const transactionTimeoutsMs: TransactionTimeouts = { statement: 20_000, lock: 2000, queue: 5000, idle: 30_000 }
