/**
 * Runs transactions. This is the only way to get a database handle. All work, including reads, runs in a transaction with a role and a
 * tenant, so that row-level security protects every query in addition to its conditions (N-10, N-11). The role ends with the transaction,
 * so a pooled connection keeps no state.
 */
import { CompiledQuery } from 'kysely'
import { setTimeout as wait } from 'node:timers/promises'
import { type SealKeyConfig, setSealKeys } from '#server/db/audit/entry-seals.ts'
import { runInTurn } from '#server/db/company-turns.ts'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import type { IntentKey } from '#server/db/idempotency-store.ts'
import { getSqlState, isConnectionError, readOnlyState } from '#server/db/sql-state.ts'
import type { TransactionTimeouts } from '#server/db/timeouts.ts'
import { ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'

export interface DatabaseOwner {
  database: Database
  config: SealKeyConfig
}

export type TransactionScope =
  /** Rows of one company. Callers without a session have company 0, which has no rows. */
  | { role: 'portal_app'; companyId: number; claim?: IntentClaim | null }
  /** Rows of all companies. For the token call, /public, jobs, and calls in which the provider's staff name a company. */
  | { role: 'portal_system'; claim?: IntentClaim | null }

const systemScope = { role: 'portal_system' } as const

/**
 * Lock of the intent that the transaction takes first. With `checksOutcome`, the transaction fails before any work if the key is stored or
 * the intent is settled (`isDuplicateError`).
 */
export type IntentClaim = IntentKey & { checksOutcome: boolean }

/** `reading` runs a read-only transaction. */
export type TransactionMode = 'reading' | 'writing'

const maxRetries = 3

/**
 * Runs the work in one READ COMMITTED transaction and commits it. After a serialization failure or deadlock it runs the work again, at most
 * three times, so the work must have no effect except through its handle (protocol 27). Throws UNAVAILABLE (503) if the database cannot be
 * reached within its limit (5 s by default), accepts no writes, or stops responding, and if other transactions of the company take too long.
 * If the response to a commit is missing, nobody knows whether the work took effect: a repeated write with the same key finds out.
 */
export async function runInTransaction<T>(
  app: DatabaseOwner,
  scope: TransactionScope,
  work: (db: DatabaseHandle) => Promise<T>,
  mode: TransactionMode = 'writing',
): Promise<T> {
  return runWithRetries(app.database, mode, () => runInScope(app, scope, work, mode))
}

export const readAsSystem = <T>(app: DatabaseOwner, work: (db: DatabaseHandle) => Promise<T>): Promise<T> =>
  runInTransaction(app, systemScope, work, 'reading')

export const writeAsSystem = <T>(app: DatabaseOwner, work: (db: DatabaseHandle) => Promise<T>): Promise<T> =>
  runInTransaction(app, systemScope, work)

export const runForCompany = <T>(
  app: DatabaseOwner,
  { companyId }: { companyId: number },
  work: (db: DatabaseHandle) => Promise<T>,
  mode?: TransactionMode,
): Promise<T> => runInTransaction(app, { role: 'portal_app', companyId }, work, mode)

/** Runs one statement without a transaction. Only for database functions that run as portal_app or portal_system. */
export const runSingleStatement = <T>(app: DatabaseOwner, execute: (db: QueryExecutor) => Promise<T>): Promise<T> =>
  runWithRetries(app.database, 'writing', () => execute(app.database.kysely))

/** Executes compiled queries, but cannot build statements on tables. */
export type QueryExecutor = Pick<DatabaseHandle, 'executeQuery'>

async function runWithRetries<T>(database: Database, mode: TransactionMode, run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (error instanceof ProblemError) throw error
      if (isConnectionError(error)) throw createUnavailableProblem(5)
      if (mode === 'writing' && getSqlState(error) === readOnlyState) {
        // The server has become a standby. The next connection goes to the server that took over.
        database.discardConnections()
        throw createUnavailableProblem(5)
      }
      if (!isRetryable(error) || attempt === maxRetries) throw error
      await wait(20 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}

const runInScope = <T>(
  app: DatabaseOwner,
  scope: TransactionScope,
  work: (db: DatabaseHandle) => Promise<T>,
  mode: TransactionMode,
): Promise<T> =>
  scope.role === 'portal_app' && scope.companyId !== 0
    ? runInTurn(
        app.database,
        scope.companyId,
        { waitMs: app.database.timeoutsMs.queue, createTimeoutError: () => createUnavailableProblem(2) },
        () => beginTransaction(app, scope, work, mode),
      )
    : beginTransaction(app, scope, work, mode)

function beginTransaction<T>(
  app: DatabaseOwner,
  scope: TransactionScope,
  work: (db: DatabaseHandle) => Promise<T>,
  mode: TransactionMode,
): Promise<T> {
  const transaction = app.database.kysely.transaction().setIsolationLevel('read committed')
  // A writing transaction does not set its access mode: that would override a server that was set to read-only for a switch of the primary.
  const builder = mode === 'reading' ? transaction.setAccessMode('read only') : transaction
  return builder.execute(async (db) => {
    setSealKeys(db, app.config)
    await applyScope(db, scope, app.database.timeoutsMs)
    return work(db)
  })
}

/**
 * Sets the role, the tenant and the timeouts, and takes the claim, in one statement: `set_config(..., true)` is SET LOCAL, also for `role`.
 */
async function applyScope(db: DatabaseHandle, scope: TransactionScope, timeouts: TransactionTimeouts): Promise<void> {
  const companyId = scope.role === 'portal_app' ? String(scope.companyId) : ''
  const { claim } = scope
  const timeoutValues = [timeouts.lock, timeouts.statement, timeouts.idle].map((ms) => `${ms}ms`)
  const values = [scope.role, companyId, ...timeoutValues, ...(claim ? toClaimValues(claim) : [])]
  const text = scopeStatements[claim ? (claim.checksOutcome ? 'look' : 'take') : 'none']
  await db.executeQuery(CompiledQuery.raw(text, values))
}

const toClaimValues = ({ owner, key, intent, checksOutcome }: IntentClaim) => [
  owner.companyId,
  owner.userId,
  intent,
  ...(checksOutcome ? [key] : []),
]

// Timeouts are set in every transaction, because a pooler may use another connection each time.
const settingsStatement = `select set_config('role', $1, true), set_config('app.company', $2, true),
  set_config('lock_timeout', $3, true), set_config('statement_timeout', $4, true),
  set_config('idle_in_transaction_session_timeout', $5, true)`

const scopeStatements = {
  none: settingsStatement,
  take: `${settingsStatement}, take_intent($6, $7, $8)`,
  look: `${settingsStatement}, claim_intent($6, $7, $9, $8)`,
}

const isRetryable = (error: unknown) => ['40001', '40P01'].includes(getSqlState(error) ?? '')
