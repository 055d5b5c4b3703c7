/**
 * The only way to a handle. Every piece of work, reads too, runs in a transaction that has put on its role and its tenant,
 * so that row-level security is a second fence behind every query (N-10, N-11). The role ends with the transaction: a
 * pooled connection carries nothing over.
 */
import { CompiledQuery } from 'kysely'
import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '#domain/access.ts'
import { behind, isStale } from '#server/db/client.ts'
import type { Intent } from '#server/db/ledger.ts'
import { sqlState } from '#server/db/sql-state.ts'
import type { Handle, House } from '#server/house.ts'
import { ProblemError, unavailable } from '#server/problem.ts'

export type Scope =
  /** One company's rows. 0 sees none: for callers without a session. */
  | { role: 'portal_app'; companyId: number; word?: Word | null; claim?: Taking | null }
  /** All rows: the token call, /public, jobs, and calls in which staff name a company. */
  | { role: 'portal_system'; claim?: Taking | null }

/**
 * The intent is taken for the transaction. `looks`: where it was told before, all that is asked next fails by that
 * (`isTold`), as the ledger's indexes do at the end of a write.
 */
export type Taking = Intent & { looks: boolean }

/** What the holder of a token was found to be before. Where that is no longer so, the transaction fails (`isOutdated`). */
export interface Word {
  tokenHash: string
  caller: Caller
  now: number
}

/** `reading`: writes nothing, so nobody has to wait for its end. The database holds it to that. */
export type Mode = 'reading' | 'writing'

/** How long a statement may run, and how long one waits for the connection, in ms. */
export const limits = { statement: 20_000, lock: 2000, queue: 5000, idle: 30_000 }
const retries = 3

/**
 * Runs the work in one READ COMMITTED transaction and commits it. Serialization failures and deadlocks run it again,
 * three times at most, so the work must have no effect but through its handle (protocol 27).
 * Throws UNAVAILABLE (503) when the database cannot be reached within 5 s.
 */
export async function inScope<T>(
  house: House,
  scope: Scope,
  work: (db: Handle) => Promise<T>,
  mode: Mode = 'writing',
): Promise<T> {
  return persistently(() => once(house, scope, work, mode))
}

/**
 * One statement that is its own transaction, and puts on its role by itself: only a function of the database that runs as
 * a role of ours may be asked like this. Throws as `inScope` does.
 */
export const atOnce = <T>(house: House, ask: (db: Asked) => Promise<T>): Promise<T> =>
  persistently(() => ask(house.database.kysely))

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

const once = <T>(house: House, scope: Scope, work: (db: Handle) => Promise<T>, mode: Mode): Promise<T> =>
  house.database.kysely
    .transaction()
    .setIsolationLevel('read committed')
    .setAccessMode(mode === 'reading' ? 'read only' : 'read write')
    .execute(async (db) => {
      await putOn(db, scope)
      return work(db)
    })

/**
 * One statement: `set_config(..., true)` is SET LOCAL, and `role` is a setting like any other. It is sent with the work's
 * first statement; should it fail, the transaction is lost and so is that statement.
 */
async function putOn(db: Handle, scope: Scope): Promise<void> {
  const company = scope.role === 'portal_app' ? String(scope.companyId) : ''
  const word = scope.role === 'portal_app' ? scope.word : null
  const { claim } = scope
  const values = [scope.role, company, ...(word ? said(word) : []), ...(claim ? claimed(claim) : [])]
  const text = texts[word ? 'word' : 'none'][claim ? (claim.looks ? 'look' : 'take') : 'none']
  await db.executeQuery(CompiledQuery.raw(text, values))
}

const claimed = ({ owner, key, intent, looks }: Taking) => [
  owner.companyId,
  owner.userId,
  intent,
  ...(looks ? [key] : []),
]

const said = ({ tokenHash, caller, now }: Word) => {
  const { userId, companyId, companyCode, admin, order, accessLevel } = caller
  return [tokenHash, userId, companyId, companyCode, admin, order, accessLevel, now]
}

/** The token has ended, or its holder's rights are others, since they were last looked up. */
export const isOutdated = (error: unknown) =>
  sqlState(error) === '28000' && (error as { constraint?: string }).constraint === 'holder'

// The limits with every transaction and not once for the connection: a pooler in between hands out another one each time.
const settings = `select set_config('role', $1, true), set_config('app.company', $2, true),
  set_config('lock_timeout', '${limits.lock}ms', true), set_config('statement_timeout', '${limits.statement}ms', true),
  set_config('idle_in_transaction_session_timeout', '${limits.idle}ms', true)`

/** With the settings, so that what follows in the same message is skipped where the word no longer holds. */
const holding = 'check_holder($3, $4, $5, $6, $7, $8, $9, $10)'
// In the order in which they are written: who asks, then what was told before.
const texts = {
  none: {
    none: `${settings} ${behind}`,
    take: `${settings}, take_intent($3, $4, $5) ${behind}`,
    look: `${settings}, claim_intent($3, $4, $6, $5) ${behind}`,
  },
  word: {
    none: `${settings}, ${holding} ${behind}`,
    take: `${settings}, ${holding}, take_intent($11, $12, $13) ${behind}`,
    look: `${settings}, ${holding}, claim_intent($11, $12, $14, $13) ${behind}`,
  },
}

const isRetried = (error: unknown) => ['40001', '40P01'].includes(sqlState(error) ?? '') || isStale(error)

// 08: connection, 53: out of connections or memory, 57P: shutting down or starting; the pool says its own in words.
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ProblemError) return false
  const state = sqlState(error) ?? ''
  if (/^(08|53|57P)/.test(state) || ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE'].includes(state)) return true
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered/.test(error.message)
}
