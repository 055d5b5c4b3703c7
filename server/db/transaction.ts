/**
 * The only way to a handle. Every piece of work, reads too, runs in a transaction that has put on its role and its tenant,
 * so that row-level security is a second fence behind every query (N-10, N-11). The role ends with the transaction: a
 * pooled connection carries nothing over.
 */
import { CompiledQuery } from 'kysely'
import { setTimeout as wait } from 'node:timers/promises'
import { type SealKeyConfig, setSealKeys } from '#server/db/audit/entry-seals.ts'
import { runInTurn } from '#server/db/company-turns.ts'
import type { Database, DatabaseHandle } from '#server/db/database.ts'
import type { IntentKey } from '#server/db/idempotency-store.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import { ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'

/** What a transaction needs to know of the installation. */
export interface DatabaseOwner {
  database: Database
  config: SealKeyConfig
}

export type TransactionScope =
  /** One company's rows. 0 sees none: for callers without a session. */
  | { role: 'portal_app'; companyId: number; claim?: IntentClaim | null }
  /** All rows: the token call, /public, jobs, and calls in which staff name a company. */
  | { role: 'portal_system'; claim?: IntentClaim | null }

const systemScope = { role: 'portal_system' } as const

/**
 * The intent is taken for the transaction. `checksOutcome`: where it was told before, the transaction fails at once (`isDuplicateError`),
 * as the idempotency store's indexes make it fail at the end of a write.
 */
export type IntentClaim = IntentKey & { checksOutcome: boolean }

/** `reading`: writes nothing. The database holds it to that. */
export type TransactionMode = 'reading' | 'writing'

/** How long a statement may run, and how long one waits for the connection, in ms. */
export const transactionTimeoutsMs = { statement: 20_000, lock: 2000, queue: 5000, idle: 30_000 }
const maxRetries = 3

/**
 * Runs the work in one READ COMMITTED transaction and commits it. Serialization failures and deadlocks run it again,
 * three times at most, so the work must have no effect but through its handle (protocol 27).
 * Throws UNAVAILABLE (503) when the database cannot be reached within 5 s.
 */
export async function runInTransaction<T>(
  app: DatabaseOwner,
  scope: TransactionScope,
  work: (db: DatabaseHandle) => Promise<T>,
  mode: TransactionMode = 'writing',
): Promise<T> {
  return runWithRetries(() => runInScope(app, scope, work, mode))
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

/**
 * One statement that is its own transaction, and puts on its role by itself: only a function of the database that runs as
 * a role of ours may be asked like this. Throws as `isInScope` does.
 */
export const runSingleStatement = <T>(app: DatabaseOwner, execute: (db: QueryExecutor) => Promise<T>): Promise<T> =>
  runWithRetries(() => execute(app.database.kysely))

/** Can run what is compiled, and has no tables to write statements on. */
export type QueryExecutor = Pick<DatabaseHandle, 'executeQuery'>

async function runWithRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (isUnreachable(error)) throw createUnavailableProblem(5)
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
        { waitMs: transactionTimeoutsMs.queue, createTimeoutError: () => createUnavailableProblem(2) },
        () => beginTransaction(app, scope, work, mode),
      )
    : beginTransaction(app, scope, work, mode)

const beginTransaction = <T>(
  app: DatabaseOwner,
  scope: TransactionScope,
  work: (db: DatabaseHandle) => Promise<T>,
  mode: TransactionMode,
): Promise<T> =>
  app.database.kysely
    .transaction()
    .setIsolationLevel('read committed')
    .setAccessMode(mode === 'reading' ? 'read only' : 'read write')
    .execute(async (db) => {
      setSealKeys(db, app.config)
      await applyScope(db, scope)
      return work(db)
    })

/** One statement: `set_config(..., true)` is SET LOCAL, and `role` is a setting like any other. */
async function applyScope(db: DatabaseHandle, scope: TransactionScope): Promise<void> {
  const companyId = scope.role === 'portal_app' ? String(scope.companyId) : ''
  const { claim } = scope
  const values = [scope.role, companyId, ...(claim ? toClaimValues(claim) : [])]
  const text = scopeStatements[claim ? (claim.checksOutcome ? 'look' : 'take') : 'none']
  await db.executeQuery(CompiledQuery.raw(text, values))
}

const toClaimValues = ({ owner, key, intent, checksOutcome }: IntentClaim) => [
  owner.companyId,
  owner.userId,
  intent,
  ...(checksOutcome ? [key] : []),
]

// The limits with every transaction and not once for the connection: a pooler in between hands out another one each time.
const settingsStatement = `select set_config('role', $1, true), set_config('app.company', $2, true),
  set_config('lock_timeout', '${transactionTimeoutsMs.lock}ms', true), set_config('statement_timeout', '${transactionTimeoutsMs.statement}ms', true),
  set_config('idle_in_transaction_session_timeout', '${transactionTimeoutsMs.idle}ms', true)`

const scopeStatements = {
  none: settingsStatement,
  take: `${settingsStatement}, take_intent($3, $4, $5)`,
  look: `${settingsStatement}, claim_intent($3, $4, $6, $5)`,
}

const isRetryable = (error: unknown) => ['40001', '40P01'].includes(getSqlState(error) ?? '')

// 08: connection, 53: out of connections or memory, 57P: shutting down or starting; the pool says its own in words.
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ProblemError) return false
  const state = getSqlState(error) ?? ''
  if (/^(08|53|57P)/.test(state) || ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE'].includes(state)) return true
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered/.test(error.message)
}
