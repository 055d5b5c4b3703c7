/**
 * The only way to a handle. Every piece of work, reads too, runs in a transaction that has put on its role and its tenant,
 * so that row-level security is a second fence behind every query (N-10, N-11). The role ends with the transaction: a
 * pooled connection carries nothing over.
 */
import { CompiledQuery } from 'kysely'
import { setTimeout as wait } from 'node:timers/promises'
import { type SealKeyConfig, useSealKeys } from '#server/db/audit/entry-seals.ts'
import { inTurn } from '#server/db/company-turns.ts'
import type { Database, Handle } from '#server/db/handle.ts'
import type { Intent } from '#server/db/idempotency.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { ProblemError, unavailable } from '#server/problems/problem-error.ts'

/** What a transaction needs to know of the installation. */
export interface DatabaseOwner {
  database: Database
  config: SealKeyConfig
}

export type Scope =
  /** One company's rows. 0 sees none: for callers without a session. */
  | { role: 'portal_app'; companyId: number; claim?: Taking | null }
  /** All rows: the token call, /public, jobs, and calls in which staff name a company. */
  | { role: 'portal_system'; claim?: Taking | null }

/**
 * The intent is taken for the transaction. `looks`: where it was told before, the transaction fails at once (`isTold`),
 * as the idempotency store's indexes make it fail at the end of a write.
 */
export type Taking = Intent & { looks: boolean }

/** `reading`: writes nothing. The database holds it to that. */
export type Mode = 'reading' | 'writing'

/** How long a statement may run, and how long one waits for the connection, in ms. */
export const limits = { statement: 20_000, lock: 2000, queue: 5000, idle: 30_000 }
const retries = 3

/**
 * Runs the work in one READ COMMITTED transaction and commits it. Serialization failures and deadlocks run it again,
 * three times at most, so the work must have no effect but through its handle (protocol 27).
 * Throws UNAVAILABLE (503) when the database cannot be reached within 5 s.
 */
export async function inTransaction<T>(
  app: DatabaseOwner,
  scope: Scope,
  work: (db: Handle) => Promise<T>,
  mode: Mode = 'writing',
): Promise<T> {
  return persistently(() => once(app, scope, work, mode))
}

/**
 * One statement that is its own transaction, and puts on its role by itself: only a function of the database that runs as
 * a role of ours may be asked like this. Throws as `inScope` does.
 */
export const atOnce = <T>(app: DatabaseOwner, ask: (db: Asked) => Promise<T>): Promise<T> =>
  persistently(() => ask(app.database.kysely))

/** Can run what is compiled, and has no tables to write statements on. */
export type Asked = Pick<Handle, 'executeQuery'>

async function persistently<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (isUnreachable(error)) throw unavailable(5)
      if (!isRetried(error) || attempt === retries) throw error
      await wait(20 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}

const once = <T>(app: DatabaseOwner, scope: Scope, work: (db: Handle) => Promise<T>, mode: Mode): Promise<T> =>
  scope.role === 'portal_app' && scope.companyId !== 0
    ? inTurn(app.database, scope.companyId, { waitMs: limits.queue, late: () => unavailable(2) }, () =>
        begin(app, scope, work, mode),
      )
    : begin(app, scope, work, mode)

const begin = <T>(app: DatabaseOwner, scope: Scope, work: (db: Handle) => Promise<T>, mode: Mode): Promise<T> =>
  app.database.kysely
    .transaction()
    .setIsolationLevel('read committed')
    .setAccessMode(mode === 'reading' ? 'read only' : 'read write')
    .execute(async (db) => {
      useSealKeys(db, app.config)
      await putOn(db, scope)
      return work(db)
    })

/** One statement: `set_config(..., true)` is SET LOCAL, and `role` is a setting like any other. */
async function putOn(db: Handle, scope: Scope): Promise<void> {
  const company = scope.role === 'portal_app' ? String(scope.companyId) : ''
  const { claim } = scope
  const values = [scope.role, company, ...(claim ? claimed(claim) : [])]
  const text = texts[claim ? (claim.looks ? 'look' : 'take') : 'none']
  await db.executeQuery(CompiledQuery.raw(text, values))
}

const claimed = ({ owner, key, intent, looks }: Taking) => [
  owner.companyId,
  owner.userId,
  intent,
  ...(looks ? [key] : []),
]

// The limits with every transaction and not once for the connection: a pooler in between hands out another one each time.
const settings = `select set_config('role', $1, true), set_config('app.company', $2, true),
  set_config('lock_timeout', '${limits.lock}ms', true), set_config('statement_timeout', '${limits.statement}ms', true),
  set_config('idle_in_transaction_session_timeout', '${limits.idle}ms', true)`

const texts = {
  none: settings,
  take: `${settings}, take_intent($3, $4, $5)`,
  look: `${settings}, claim_intent($3, $4, $6, $5)`,
}

const isRetried = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '')

// 08: connection, 53: out of connections or memory, 57P: shutting down or starting; the pool says its own in words.
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ProblemError) return false
  const state = sqlState(error) ?? ''
  if (/^(08|53|57P)/.test(state) || ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE'].includes(state)) return true
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered/.test(error.message)
}
