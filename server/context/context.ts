/** Types of the contexts. `AppContext` contains everything that differs between a normal start, a test and another machine. */
import type { Logger } from 'pino'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type { Caller } from '#domain/access.ts'
import type { BackupDestinations } from '#server/context/backup-destinations.ts'
import type { Config } from '#server/config/config.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import type { RowChanges } from '#server/db/list-query.ts'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import type { HostingDriver } from '#server/drivers/hosting/hosting-driver.ts'
import type { PaymentMethods } from '#server/context/payment-methods.ts'

export interface AppContext {
  config: Config
  database: Database
  log: Logger
  /** Epoch ms. */
  clock: () => number
  payments: PaymentMethods
  hosting: HostingDriver
  backups: BackupDestinations
  /** Uploads, published packages and archives of the audit trail. All nodes share it. */
  files: FileStore
  /** Stores the latest checkpoints of the audit trail outside the database. */
  checkpointStore: CheckpointStore
}

/** Context of a use case, which never begins a transaction and never reads the clock. */
export interface UseCaseContext {
  db: DatabaseHandle
  app: AppContext
  caller: Caller
  sessionId: string | null
  /** Epoch ms, the same during the whole call. */
  now: number
  requestId: string
  /** Intent of a write with a key, otherwise null. */
  intent: string | null
  /** For a call with `stepUp: 'row'`: throws STEP_UP_REQUIRED if the password was not entered recently (S-48). */
  requirePassword(): void
  /** If-Match as sent, without quotes: a version or `~{intent}`. Null if none was sent. */
  ifMatch: number | `~${string}` | null
  /** Adds an entry to the audit trail in the same transaction. */
  audit(entry: AuditEntry): Promise<void>
  /**
   * Takes the company's next change number. Call it after the row's own checks, because it locks the company's counter, and before writing
   * the row, which stores the number.
   */
  takeNextChangeNumber(companyId: number): Promise<number>
  afterCommit(callback: () => void): void
  /** Sets the row that `~{intent}` will refer to, and its current version. */
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

export interface ListUseCase<E extends Endpoint> {
  /** Null for a list without change numbers. */
  readLatestChange: (context: UseCaseContext, input: ParsedInputOf<E>) => Promise<number | null>
  readPage: UseCase<E>
  /** Throws GONE if the server no longer has all deletions after `since`. */
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
