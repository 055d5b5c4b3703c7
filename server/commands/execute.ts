/**
 * The one way a write is carried out (protocol 4): begin, role and tenant, the claim, names, permission, the use case, the
 * answer's bytes, idempotency store and trail, commit. A batch calls it per item.
 *
 * Where it fails, all of it is taken back, and a second transaction keeps the refusal (protocol 6). In both the claim comes
 * first, and what was told before is told again instead.
 */
import { sql } from 'kysely'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { Act, StoredResponse, Made, Write, WriteRequest } from '#server/commands/command.ts'
import type { Handle } from '#server/db/handle.ts'
import {
  type Claim,
  findIntents,
  findAnswered,
  isAtWork,
  isAnswered,
  type IdempotencyRow,
  type Owner,
  settle,
  voidIntentRow,
} from '#server/db/idempotency.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { settleWithTrail } from '#server/db/record-outcome.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Answer, UseCaseContext, AppContext } from '#server/context/context.ts'
import { OutsideCallNeeded } from '#server/context/outside-call.ts'
import { ProblemError, unavailable } from '#server/problems/problem-error.ts'
import { runUseCase, refusalOf } from '#server/commands/handler.ts'
import { fingerprint } from '#server/commands/fingerprint.ts'
import { readIfMatch } from '#server/commands/references.ts'
import { inProgress, outcomeOf, problemAnswer, replay, replayIntent } from '#server/commands/replay.ts'

const maxOutsideCalls = 3

/** Every named problem comes back as an answer; thrown is only what nobody foresaw. */
export async function executeWrite<E extends Endpoint>(
  app: AppContext,
  request: WriteRequest<E>,
  useCase: (context: UseCaseContext, input: ParsedInputOf<E>) => Promise<Answer<OutputOf<E>>>,
): Promise<StoredResponse> {
  // The endpoint's own types met in the caller; from here on it is any write.
  const carried = await attempt(app, request as unknown as WriteRequest, useCase as unknown as Act).catch(
    (error: unknown) => answerOf(asProblem(error), request.language),
  )
  return request.key === null ? carried : { ...carried, headers: { [names.key]: request.key, ...carried.headers } }
}

/** These follow from the bytes alone: the same request can never end otherwise, although the idempotency store has no row of it. */
const bySchema: readonly ProblemCode[] = ['VALIDATION_ERROR', 'IDEMPOTENCY_MISMATCH']

function answerOf(problem: ProblemError, language: Language): StoredResponse {
  const answer = problemAnswer(problem, language)
  if (!bySchema.includes(problem.code)) return answer
  return { ...answer, headers: { ...answer.headers, [names.outcome]: 'refused; schema' } }
}

/** GET /api/request/~{intent} (protocol 13). Throws INTENT_UNKNOWN. */
export function readOutcome(
  app: AppContext,
  caller: Caller,
  intent: string,
  language: Language,
): Promise<StoredResponse> {
  return inTransaction(app, { role: 'portal_app', companyId: caller.companyId }, async (db) =>
    replay(await rowOf(db, caller, intent), language),
  )
}

/** DELETE /api/request/~{intent}: 200 `{void: true}`, or the outcome when it is too late (protocol 13). */
export async function voidIntent(
  app: AppContext,
  caller: Caller,
  intent: string,
  language: Language,
): Promise<StoredResponse> {
  if (!app.database.hasFreeSpace()) throw storageFull()
  const isVoid = { status: 200, headers: {}, body: JSON.stringify({ void: true }) }
  return inTransaction(
    app,
    { role: 'portal_app', companyId: caller.companyId },
    async (db): Promise<StoredResponse> => {
      if (await voidIntentRow(db, caller, intent, app.clock()).catch(asInProgress)) return isVoid
      const row = await rowOf(db, caller, intent)
      return row.state === 'void' ? isVoid : replay(row, language)
    },
  )
}

async function rowOf(db: Handle, owner: Owner, intent: string): Promise<IdempotencyRow> {
  const row = (await findIntents(db, owner, [intent])).get(intent)
  if (row) return row
  throw new ProblemError('INTENT_UNKNOWN')
}

async function attempt(app: AppContext, request: WriteRequest, useCase: Act): Promise<StoredResponse> {
  if (!app.database.hasFreeSpace()) throw storageFull()
  const write = writeOf(app, request, useCase)
  const claim = claimOf(write)
  const run = (looks: boolean, work: (db: Handle) => Promise<Kept>) =>
    inTransaction(app, { ...write.scope, claim: claim && { ...claim, looks } }, work).then(carriedBy)
  const told = (error: unknown, claimed: Claim) => {
    if (isAtWork(error)) throw inProgress()
    if (!isAnswered(error)) throw error
    return inTransaction(app, write.scope, (db) => repeat(db, write, claimed))
  }
  const carried = actAfterCalls(app, () => run(false, (db) => act(db, write, claim))).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    return run(true, (db) => refuse(db, write, claim, error))
  })
  return claim === null ? carried : carried.catch((error: unknown) => told(error, claim))
}

/** Each round begins anew after what had to be asked outside: what has changed meanwhile is met by the write's own checks. */
async function actAfterCalls<T>(app: AppContext, run: () => Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof OutsideCallNeeded)) throw error
      if (round === maxOutsideCalls) throw error.unsettled
      await error.run(app)
    }
  }
}

/** Without the database nothing can be told or kept either. */
const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.code !== 'UNAVAILABLE'

function writeOf(app: AppContext, request: WriteRequest, useCase: Act): Write {
  const { caller } = request
  return {
    app,
    request,
    useCase,
    scope: caller ? { role: 'portal_app', companyId: caller.companyId } : { role: 'portal_system' },
    owner: caller ?? { companyId: 0, userId: 0 },
    intent: request.key === null ? null : (request.intent ?? request.key),
    ifMatch: readIfMatch(request.ifMatch),
    now: app.clock(),
  }
}

const storageFull = () => new ProblemError('STORAGE_FULL', null, 60)

/** Null: the write is not kept in the idempotency store. */
function claimOf({ app, request, owner, intent, now }: Write): Claim | null {
  const { key, path, endpoint } = request
  if (key === null || intent === null || endpoint.secret) return null
  const { method } = endpoint
  const print = fingerprint(app.config.tokenKey, { ...request, method })
  return { owner, key, intent, fingerprint: print, method, path, now }
}

async function repeat(db: Handle, write: Write, claim: Claim): Promise<StoredResponse> {
  const { language } = write.request
  const row = await findAnswered(db, write.owner, claim.key, claim.intent)
  // Swept between the two statements: the next try finds the place free.
  if (!row) throw inProgress()
  if (row.key !== claim.key) return replayIntent(row, language)
  if (row.fingerprint !== claim.fingerprint) throw new ProblemError('IDEMPOTENCY_MISMATCH')
  const told = replay(row, language)
  return told.status === 412 ? withCurrent(db, write, told) : told
}

/**
 * A replayed 412 shows the row as it is now (protocol 6). Versions only grow, so the use case finds the conflict again;
 * whatever else it would do is rolled back.
 */
async function withCurrent(db: Handle, write: Write, told: StoredResponse): Promise<StoredResponse> {
  await sql`savepoint effect`.execute(db)
  const problem = await runUseCase(db, write).then(
    () => null,
    (error: unknown) => error,
  )
  await sql`rollback to savepoint effect`.execute(db)
  if (!(problem instanceof ProblemError) || problem.code !== 'VERSION_CONFLICT') return told
  return { ...told, body: problemAnswer(problem, write.request.language).body }
}

interface Kept {
  made: Made
  /** The idempotency store's row; null: not kept there. */
  settled: number | null
}

/** The effect with its trail and its outcome in the idempotency store: all of it or nothing. */
async function act(db: Handle, write: Write, claim: Claim | null): Promise<Kept> {
  return keep(db, write, claim, await runUseCase(db, write))
}

/** The refusal with its trail, where it is one to be kept. */
const refuse = async (db: Handle, write: Write, claim: Claim | null, problem: ProblemError): Promise<Kept> =>
  keep(db, write, claim, await refusalOf(db, problem, write, claim))

async function keep(db: Handle, write: Write, claim: Claim | null, made: Made): Promise<Kept> {
  const { outcome, notes } = made
  const entry = trailEntry(write, outcome.state === 'done' ? 0 : -1)
  const [note] = notes
  if (claim && note && notes.length === 1 && note.company === undefined)
    return { made, settled: await settleWithTrail(db, claim, outcome, entry, note) }
  await addToTrail(db, entry, notes)
  return { made, settled: claim && (await settle(db, claim, outcome)) }
}

/** Once it is committed. */
function carriedBy({ made: { outcome, learn }, settled }: Kept): StoredResponse {
  for (const each of learn) each()
  const { status, headers, body, state } = outcome
  return { status, headers: { ...headers, ...(settled === null ? {} : outcomeOf({ id: settled, state })) }, body }
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
