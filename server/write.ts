/**
 * The one way a write is carried out (protocol 4): begin, role and tenant, ledger, names, permission, savepoint, the
 * service, the answer's bytes, commit. A batch calls it per item.
 */
import { sql } from 'kysely'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/users.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import {
  claimKey,
  findIntents,
  findTold,
  type LedgerRow,
  type Owner,
  settle,
  voidIntentRow,
} from '#server/db/ledger.ts'
import { inScope } from '#server/db/scope.ts'
import { settleWithTrail } from '#server/db/settled.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { Answer, Context, Handle, House } from '#server/house.ts'
import { ProblemError, unavailable } from '#server/problem.ts'
import { type Act, effect, type Made, refusalOf, type Write } from '#server/write/effect.ts'
import { fingerprint } from '#server/write/fingerprint.ts'
import { readIfMatch } from '#server/write/names.ts'
import { inProgress, outcomeOf, problemAnswer, tellAgain, tellDone } from '#server/write/told.ts'

export interface WriteRequest<E extends Endpoint = Endpoint> {
  endpoint: E
  /** As sent, with its query. */
  path: string
  key: string | null
  intent: string | null
  forUser: string | null
  /** The raw header. */
  ifMatch: string | null
  /** The intent it must not overtake; batches only. */
  after: string | null
  /** As received, parsed, before unknown fields are stripped: what the print is made of. */
  body: unknown
  caller: Caller | null
  requestId: string
  /** Of the words in an error answer. */
  language: Language
  /** Throws FORBIDDEN or NOT_FOUND. Run after the ledger, so that a repeat after a lost role is still answered. */
  permit: () => void
  input: InputOf<E>
}

/** An answer whose bytes are final. */
export interface Carried {
  status: number
  headers: Record<string, string>
  /** Exact bytes; null: none. */
  body: string | null
}

/** Every named problem comes back as an answer; only what nobody foresaw is thrown. */
export async function carryOut<E extends Endpoint>(
  house: House,
  request: WriteRequest<E>,
  service: (context: Context, input: InputOf<E>) => Promise<Answer<OutputOf<E>>>,
): Promise<Carried> {
  // The endpoint's own types met in the caller; from here on it is any write.
  const carried = await attempt(house, request as unknown as WriteRequest, service as unknown as Act).catch(
    (error: unknown) => answerOf(asProblem(error), request.language),
  )
  return request.key === null ? carried : { ...carried, headers: { [names.key]: request.key, ...carried.headers } }
}

/** These follow from the bytes alone: the same request can never end otherwise, although the ledger has no row of it. */
const bySchema: readonly ProblemCode[] = ['VALIDATION_ERROR', 'IDEMPOTENCY_MISMATCH']

function answerOf(problem: ProblemError, language: Language): Carried {
  const answer = problemAnswer(problem, language)
  if (!bySchema.includes(problem.code)) return answer
  return { ...answer, headers: { ...answer.headers, [names.outcome]: 'refused; schema' } }
}

/** GET /api/request/~{intent} (protocol 13). Throws INTENT_UNKNOWN. */
export function askWhatBecame(house: House, caller: Caller, intent: string, language: Language): Promise<Carried> {
  return inScope(house, { role: 'portal_app', companyId: caller.companyId }, async (db) =>
    tellAgain(await rowOf(db, caller, intent), language),
  )
}

/** DELETE /api/request/~{intent}: 200 `{void: true}`, or the outcome when it is too late (protocol 13). */
export async function voidIntent(house: House, caller: Caller, intent: string, language: Language): Promise<Carried> {
  if (!house.database.hasRoom()) throw storageFull()
  const isVoid = { status: 200, headers: {}, body: JSON.stringify({ void: true }) }
  return inScope(house, { role: 'portal_app', companyId: caller.companyId }, async (db): Promise<Carried> => {
    // Waits for a copy that is at work just now: one of the two is settled, the other sees it.
    if (await voidIntentRow(db, caller, intent, house.clock()).catch(asInProgress)) return isVoid
    const row = await rowOf(db, caller, intent)
    return row.state === 'void' ? isVoid : tellAgain(row, language)
  })
}

async function rowOf(db: Handle, owner: Owner, intent: string): Promise<LedgerRow> {
  const row = (await findIntents(db, owner, [intent])).get(intent)
  if (row) return row
  throw new ProblemError('INTENT_UNKNOWN')
}

/** An intent that another request of it settled in the meantime is found settled the second time. */
async function attempt(house: House, request: WriteRequest, service: Act): Promise<Carried> {
  if (!house.database.hasRoom()) throw storageFull()
  const write = writeOf(house, request, service)
  const run = () => inScope(house, write.scope, (db) => inOrder(db, write))
  return run().catch((error: unknown) => {
    if (isIntentTaken(error)) return run()
    throw error
  })
}

function writeOf(house: House, request: WriteRequest, service: Act): Write {
  const { caller } = request
  return {
    house,
    request,
    service,
    scope: caller ? { role: 'portal_app', companyId: caller.companyId } : { role: 'portal_system' },
    owner: caller ?? { companyId: 0, userId: 0 },
    intent: request.key === null ? null : (request.intent ?? request.key),
    ifMatch: readIfMatch(request.ifMatch),
    now: house.clock(),
  }
}

const storageFull = () => new ProblemError('STORAGE_FULL', null, 60)

const isIntentTaken = (error: unknown) =>
  sqlState(error) === '23505' && (error as { constraint?: string }).constraint === 'ledger_intent'

async function inOrder(db: Handle, write: Write): Promise<Carried> {
  const { request, owner, intent } = write
  const { key, endpoint } = request
  if (key === null || intent === null || endpoint.secret) return act(db, write, null)
  const print = fingerprint(write.house.config.tokenKey, { ...request, method: endpoint.method })
  const claim = { owner, key, intent, fingerprint: print, method: endpoint.method, path: request.path, now: write.now }
  const id = await claimKey(db, claim).catch(asInProgress)
  return id === null ? repeat(db, write, claim) : act(db, write, id)
}

async function repeat(db: Handle, write: Write, claim: { key: string; intent: string; fingerprint: string }) {
  const { language } = write.request
  const row = await findTold(db, write.owner, claim.key, claim.intent)
  // Swept between the two statements: the next try finds the place free.
  if (!row) throw inProgress()
  if (row.key !== claim.key) return tellDone(row, language)
  if (row.fingerprint !== claim.fingerprint) throw new ProblemError('IDEMPOTENCY_MISMATCH')
  const told = tellAgain(row, language)
  return told.status === 412 ? withCurrent(db, write, told) : told
}

/**
 * A replayed 412 shows the row as it is now (protocol 6). Versions only grow, so the service finds the conflict again;
 * whatever else it would do is rolled back.
 */
async function withCurrent(db: Handle, write: Write, told: Carried): Promise<Carried> {
  await sql`savepoint effect`.execute(db)
  const problem = await effect(db, write).then(
    () => null,
    (error: unknown) => error,
  )
  await sql`rollback to savepoint effect`.execute(db)
  if (!(problem instanceof ProblemError) || problem.code !== 'VERSION_CONFLICT') return told
  return { ...told, body: problemAnswer(problem, write.request.language).body }
}

/** The effect, or its refusal, with its trail and its outcome in the ledger: all of it or nothing. */
async function act(db: Handle, write: Write, ledgerId: number | null): Promise<Carried> {
  await sql`savepoint effect`.execute(db)
  const made = await effect(db, write).catch(async (error: unknown) => {
    const refused = refusalOf(error, write, ledgerId)
    await sql`rollback to savepoint effect`.execute(db)
    return refused
  })
  await keep(db, write, ledgerId, made)
  const { status, headers, body, state } = made.outcome
  const outcome = ledgerId === null ? {} : outcomeOf({ id: ledgerId, state })
  return { status, headers: { ...headers, ...outcome }, body }
}

async function keep(db: Handle, write: Write, ledgerId: number | null, { outcome, notes }: Made): Promise<void> {
  const entry = trailEntry(write, outcome.state === 'done' ? 0 : -1)
  const [note] = notes
  if (ledgerId !== null && note && notes.length === 1) return settleWithTrail(db, ledgerId, outcome, entry, note)
  await addToTrail(db, entry, notes)
  if (ledgerId !== null) await settle(db, ledgerId, outcome)
}

const trailEntry = ({ owner, request, now, intent }: Write, status: 0 | -1) => ({
  companyId: owner.companyId,
  userId: request.caller?.userId ?? null,
  now,
  status,
  intent,
  requestId: request.requestId,
})

/** 55P03: a duplicate did not finish in time (protocol 5). */
function asInProgress(error: unknown): never {
  throw sqlState(error) === '55P03' ? inProgress() : error
}

/** Named problems, and what the database says about being busy; all else is thrown on. */
function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (['55P03', '57014'].includes(sqlState(error) ?? '')) return unavailable(2)
  throw error
}
