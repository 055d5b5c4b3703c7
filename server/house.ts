/** What the server is built from: everything that differs between a start, a test and another machine is in here. */
import type { Kysely, Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { Caller } from '#domain/access.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import type { Config } from '#server/config.ts'
import type { RecentCounts } from '#server/db/recent-counts.ts'
import type { RecentRows } from '#server/db/recent.ts'
import type { Tables } from '#server/db/tables.ts'
import type { KnownUser } from '#server/db/users.ts'
import type { Payments } from '#server/payments.ts'

export type Handle = Transaction<Tables>

export interface Database {
  engine: 'embedded' | 'postgres'
  /** For `scope.ts` alone: everything else gets a handle that carries a role and a tenant. */
  kysely: Kysely<Tables>
  /** Of this process, and maybe outdated. */
  recentUsers: RecentRows<KnownUser>
  recentCounts: RecentCounts
  /** False below the free-space mark: the embedded engine spins for ever on a full disk. */
  hasRoom(): boolean
  /** Writes a consistent copy of everything; null where the database has tools of its own. */
  dumpTo: ((path: string) => Promise<void>) | null
  /** Says to every node that a company's rows changed (LISTEN/NOTIFY; in process when embedded). */
  announce(channel: string, message: string): Promise<void>
  listen(channel: string, hear: (message: string) => void): () => void
  close(): Promise<void>
}

export interface House {
  config: Config
  database: Database
  log: Logger
  /** Epoch ms. */
  clock: () => number
  payments: Payments
}

/** A row in the trail; the writer adds who, when and by which write. */
export interface TrailNote {
  code: 'company' | 'user' | 'order' | 'service' | 'backup' | 'price' | 'module' | 'automodule' | 'app' | 'system'
  operation: string
  info: Record<string, unknown>
}

/** What a service is handed. It never begins a transaction and never reads the clock. */
export interface Context {
  db: Handle
  house: House
  caller: Caller
  /** Epoch ms, one for the whole call. */
  now: number
  requestId: string
  /** The intent of a keyed write, null otherwise. */
  intent: string | null
  /** If-Match as sent, quotes off: a version or `~{intent}`; null when none was sent. */
  ifMatch: number | `~${string}` | null
  /** Adds to the trail, in the same transaction. */
  note(note: TrailNote): Promise<void>
  /**
   * Says which row a write left, and takes the next change number for it. Call it after the row's own checks and before
   * the row is written: the number goes into the row.
   */
  nextChange(companyId: number): Promise<number>
  /** The row in the version that If-Match names, as this process last saw it: only for what is then written of that version. */
  recall<R extends { id: number; row_version: number }>(rows: RecentRows<R>, id: number): R | null
  /** Run when what was done is committed. */
  whenDone(learn: () => void): void
  /** What `~{intent}` will name, and the version the row has now. */
  left(kind: string, rowId: number, rowVersion: number): void
}

export interface Answer<O> {
  status?: number
  body: O
  headers?: Record<string, string>
}

export type Service<E extends Endpoint> = (context: Context, input: InputOf<E>) => Promise<Answer<OutputOf<E>>>
