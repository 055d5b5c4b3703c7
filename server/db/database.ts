import type { Kysely, Transaction } from 'kysely'
import type { TransactionTimeouts } from '#server/db/timeouts.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

export type DatabaseHandle = Transaction<DatabaseTables>

export interface Database {
  engine: 'embedded' | 'postgres'
  appliedMigrations: readonly string[]
  /** Maximum number of connections for transactions. */
  poolSize: number
  timeoutsMs: TransactionTimeouts
  /** Only for `transaction.ts` and for work on the whole database. Other code gets a database handle with a role. */
  kysely: Kysely<DatabaseTables>
  /** Returns false if less disk space is free than the limit. The embedded engine would loop for ever on a full disk. */
  hasFreeSpace(): boolean
  /** Writes a consistent copy of the whole database. Null for PostgreSQL, which has its own tools. */
  dumpTo: ((path: string) => Promise<void>) | null
  /** Sends a message to all listeners of the channel on every node (LISTEN/NOTIFY, or within the process if embedded). */
  announce(channel: string, message: string): Promise<void>
  /**
   * Calls the listener for each message. After an interruption, in which messages may be lost, calls `onMissed` once. Returns an unsubscribe
   * function.
   */
  listen(channel: string, listener: (message: string) => void, onMissed?: () => void): () => void
  /** Closes connections after their transactions, because the server accepts no writes any more. New ones may go to another host. */
  discardConnections(): void
  close(): Promise<void>
}
