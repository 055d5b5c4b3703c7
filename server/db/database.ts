/** The database as services see it: a handle that carries role and tenant, and the engine behind it. */
import type { Kysely, Transaction } from 'kysely'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

export type DatabaseHandle = Transaction<DatabaseTables>

export interface Database {
  engine: 'embedded' | 'postgres'
  /** Names of the migrations that this process has run. */
  appliedMigrations: readonly string[]
  /** For `transaction.ts` and what is done to the database as a whole: everything else gets a handle that carries a role and a tenant. */
  kysely: Kysely<DatabaseTables>
  /** False below the free-space mark: the embedded engine spins for ever on a full disk. */
  hasFreeSpace(): boolean
  /** Writes a consistent copy of everything; null where the database has tools of its own. */
  dumpTo: ((path: string) => Promise<void>) | null
  /** Says to every node that a company's rows changed (LISTEN/NOTIFY; in process when embedded). */
  announce(channel: string, message: string): Promise<void>
  listen(channel: string, listener: (message: string) => void): () => void
  close(): Promise<void>
}
