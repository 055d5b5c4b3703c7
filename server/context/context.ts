/** What the server is built from: everything that differs between a start, a test and another machine is in here. */
import type { Logger } from 'pino'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { Caller } from '#domain/access.ts'
import type { BackupDestinations } from '#server/context/backup-destinations.ts'
import type { Config } from '#server/config/config.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import type { PaymentMethods } from '#server/context/payment-methods.ts'

export interface AppContext {
  config: Config
  database: Database
  log: Logger
  /** Epoch ms. */
  clock: () => number
  payments: PaymentMethods
  /** What runs the hosted services. */
  hosting: HostingDriver
  /** Where their data is backed up to. */
  backups: BackupDestinations
  /** Outside the database: the newest checkpoints of the audit trail. */
  checkpointStore: CheckpointStore
}

/** What a use case is handed. It never begins a transaction and never reads the clock. */
export interface UseCaseContext {
  db: DatabaseHandle
  app: AppContext
  caller: Caller
  /** The session that asks; null where nobody is signed in. */
  sessionId: string | null
  /** Epoch ms, one for the whole call. */
  now: number
  requestId: string
  /** The intent of a keyed write, null otherwise. */
  intent: string | null
  /** Of a call with `stepUp: 'row'`: throws STEP_UP_REQUIRED where the password was not given lately (S-48). */
  requirePassword(): void
  /** If-Match as sent, quotes off: a version or `~{intent}`; null when none was sent. */
  ifMatch: number | `~${string}` | null
  /** Adds to the trail, in the same transaction. */
  audit(entry: AuditEntry): Promise<void>
  /**
   * Says which row a write left, and takes the next change number for it. Call it after the row's own checks and before
   * the row is written: the number goes into the row.
   */
  takeNextChangeNumber(companyId: number): Promise<number>
  /** Run when what was done is committed. */
  afterCommit(callback: () => void): void
  /** What `~{intent}` will name, and the version the row has now. */
  setResultRow(kind: string, rowId: number, rowVersion: number): void
}

export interface UseCaseResponse<O> {
  status?: number
  body: O
  headers?: Record<string, string>
}

export type UseCase<E extends Endpoint> = (
  context: UseCaseContext,
  input: ParsedInputOf<E>,
) => Promise<UseCaseResponse<OutputOf<E>>>

/** A list's rows: a page of them, what changed since a number, and all of them in pieces by id for the stream. */
export interface ListUseCase<E extends Endpoint> {
  /** The latest change number of its rows. */
  readLatestChange: (context: UseCaseContext, input: ParsedInputOf<E>) => Promise<number>
  readPage: UseCase<E>
  /** Throws GONE where the number is older than what is remembered. */
  readChanges: (
    context: UseCaseContext,
    input: ParsedInputOf<E>,
    since: number | null,
  ) => Promise<RowChanges<{ id: number }>>
  readRowsAfter: (
    context: UseCaseContext,
    input: ParsedInputOf<E>,
    id: number,
    limit: number,
  ) => Promise<{ id: number }[]>
}
