/**
 * The only way to a handle. Every piece of work, reads too, runs in a transaction that has put on its role and its tenant,
 * so that row-level security is a second fence behind every query (N-10, N-11). The role ends with the transaction: a
 * pooled connection carries nothing over.
 */
import { sql } from 'kysely'
import { setTimeout as wait } from 'node:timers/promises'
import type { Handle, House } from '#server/house.ts'
import { ProblemError, unavailable } from '#server/problem.ts'

export type Scope =
  /** One company's rows. 0 sees none: for callers without a session. */
  | { role: 'portal_app'; companyId: number }
  /** All rows: the token call, /public, jobs, and calls in which staff name a company. */
  | { role: 'portal_system' }

/** How long a statement may run, and how long one waits for the connection, in ms. */
export const limits = { statement: 20_000, lock: 2000, queue: 5000, idle: 30_000 }
const retries = 3

/**
 * Runs the work in one READ COMMITTED transaction and commits it. Serialization failures and deadlocks run it again,
 * three times at most, so the work must have no effect but through its handle (protocol 27).
 * Throws UNAVAILABLE (503) when the database cannot be reached within 5 s.
 */
export async function inScope<T>(house: House, scope: Scope, work: (db: Handle) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(house, scope, work)
    } catch (error) {
      if (isUnreachable(error)) throw unavailable(5)
      if (!isRetried(error) || attempt === retries) throw error
      await wait(20 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}

const once = <T>(house: House, scope: Scope, work: (db: Handle) => Promise<T>): Promise<T> =>
  house.database.kysely
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (db) => {
      await putOn(db, scope)
      return work(db)
    })

/** One statement: `set_config(..., true)` is SET LOCAL, and `role` is a setting like any other. */
async function putOn(db: Handle, scope: Scope): Promise<void> {
  const company = scope.role === 'portal_app' ? String(scope.companyId) : ''
  await sql`select set_config('role', ${scope.role}, true), set_config('app.company', ${company}, true),
    set_config('lock_timeout', ${`${limits.lock}ms`}, true), set_config('statement_timeout', ${`${limits.statement}ms`}, true),
    set_config('idle_in_transaction_session_timeout', ${`${limits.idle}ms`}, true)`.execute(db)
}

/** SQLSTATE of a database error. */
export const sqlState = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

const isRetried = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '')

// 08: connection, 53: out of connections or memory, 57P: shutting down or starting; the pool says its own in words.
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ProblemError) return false
  const state = sqlState(error) ?? ''
  if (/^(08|53|57P)/.test(state) || ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE'].includes(state)) return true
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered/.test(error.message)
}
