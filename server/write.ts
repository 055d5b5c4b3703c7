/**
 * The one way a write is carried out (protocol 4): begin, role and tenant, the claim, names, permission, the service, the
 * answer's bytes, ledger and trail, commit. A batch calls it per item.
 *
 * Where it fails, all of it is taken back, and a second transaction keeps the refusal (protocol 6). In both the claim comes
 * first, and what was told before is told again instead.
 */
import { sql } from 'kysely'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/users.ts'
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import {
  type Claim,
  findIntents,
  findTold,
  isAtWork,
  isTold,
  type LedgerRow,
  type Owner,
  settle,
  type Settled,
  voidIntentRow,
} from '#server/db/ledger.ts'
import { inScope, type Word } from '#server/db/scope.ts'
import { settleWithTrail } from '#server/db/settled.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { Answer, Context, Handle, House } from '#server/house.ts'
import { ProblemError, unavailable } from '#server/problem.ts'
import { type Act, effect, isKept, type Made, refusalOf, type Write } from '#server/write/effect.ts'
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
  /** What the caller was found to be before this request; null: it was looked up for it. */
  word: Word | null
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

/** Every named problem comes back as an answer; thrown is only a word that is outdated, and what nobody foresaw. */
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

async function attempt(house: House, request: WriteRequest, service: Act): Promise<Carried> {
  if (!house.database.hasRoom()) throw storageFull()
  const write = writeOf(house, request, service)
  const claim = claimOf(write)
  const run = (looks: boolean, work: (db: Handle) => Promise<Kept>) =>
    inScope(house, { ...write.scope, claim: claim && { ...claim, looks } }, work).then(carriedBy)
  const told = (error: unknown, claimed: Claim) => {
    if (isAtWork(error)) throw inProgress()
    if (!isTold(error)) throw error
    return inScope(house, write.scope, (db) => repeat(db, write, claimed))
  }
  const carryThrough = () => run(false, (db) => act(db, write, claim))
  const carried = carryThrough()
    .catch((error: unknown) => {
      // No refusal is told on a recalled row.
      if (isRefusal(error) && write.hasRecalled) return carryThrough()
      throw error
    })
    .catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      return run(true, (db) => refuse(db, write, claim, error))
    })
  return claim === null ? carried : carried.catch((error: unknown) => told(error, claim))
}

/** Without the database nothing can be told or kept either. */
const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.code !== 'UNAVAILABLE'

function writeOf(house: House, request: WriteRequest, service: Act): Write {
  const { caller, word } = request
  return {
    house,
    request,
    service,
    scope: caller ? { role: 'portal_app', companyId: caller.companyId, word } : { role: 'portal_system' },
    owner: caller ?? { companyId: 0, userId: 0 },
    intent: request.key === null ? null : (request.intent ?? request.key),
    ifMatch: readIfMatch(request.ifMatch),
    now: house.clock(),
    hasRecalled: false,
  }
}

const storageFull = () => new ProblemError('STORAGE_FULL', null, 60)

/** Null: the write is not kept in the ledger. */
function claimOf({ house, request, owner, intent, now }: Write): Claim | null {
  const { key, path, endpoint } = request
  if (key === null || intent === null || endpoint.secret) return null
  const { method } = endpoint
  const print = fingerprint(house.config.tokenKey, { ...request, method })
  return { owner, key, intent, fingerprint: print, method, path, now }
}

async function repeat(db: Handle, write: Write, claim: Claim): Promise<Carried> {
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

interface Kept {
  made: Made
  /** Null: not kept in the ledger. */
  settled: Settled | null
}

/** The effect with its trail and its outcome in the ledger: all of it or nothing. */
async function act(db: Handle, write: Write, claim: Claim | null): Promise<Kept> {
  return keep(db, write, claim, await effect(db, write))
}

/** The refusal with its trail, where it is one to be kept. */
async function refuse(db: Handle, write: Write, claim: Claim | null, problem: ProblemError): Promise<Kept> {
  // Also one that nobody keeps is told only where nothing was told before.
  if (claim && !isKept(problem, write, claim)) await sql`select 1`.execute(db)
  return keep(db, write, claim, refusalOf(problem, write, claim))
}

async function keep(db: Handle, write: Write, claim: Claim | null, made: Made): Promise<Kept> {
  const { outcome, notes } = made
  const entry = trailEntry(write, outcome.state === 'done' ? 0 : -1)
  const [note] = notes
  if (claim && note && notes.length === 1)
    return { made, settled: await settleWithTrail(db, claim, outcome, entry, note) }
  await addToTrail(db, entry, notes)
  return { made, settled: claim && (await settle(db, claim, outcome)) }
}

/** Once it is committed: only then the ledger has said which row it is. */
function carriedBy({ made: { outcome, learn }, settled }: Kept): Carried {
  for (const each of learn) each()
  const { status, headers, body, state } = outcome
  const [row] = settled ?? []
  return { status, headers: { ...headers, ...(row ? outcomeOf({ id: row.id, state }) : {}) }, body }
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
