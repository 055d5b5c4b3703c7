/**
 * Executes one write in one transaction (protocol 4): begin, role and tenant, claim, references, permission, use case, response bytes,
 * idempotency store and audit trail, commit. A batch calls it once per item.
 *
 * On a failure everything is rolled back, and a second transaction stores the refusal (protocol 6). Both transactions claim the intent
 * first; if the write already has a stored outcome, that outcome is returned.
 */
import { sql } from 'kysely'
import type { Endpoint, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import { getVerdict } from '#contract/verdict.ts'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type {
  WriteUseCase,
  StoredResponse,
  CompletedWrite,
  WriteCommand,
  WriteRequest,
} from '#server/commands/write-command.ts'
import { requireConsentOfRead } from '#server/db/accounts/acting-consents.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  type WriteClaim,
  findIntentRows,
  findStoredOutcome,
  isInProgressError,
  isDuplicateError,
  type IdempotencyRow,
  type WriteOwner,
  settleClaim,
  insertVoidIntent,
} from '#server/db/idempotency-store.ts'
import { insertNotification } from '#server/db/notifications/notifications.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { settleWithAuditEntry } from '#server/db/settle-with-audit-entry.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'
import { OutsideCallNeeded } from '#server/context/outside-call.ts'
import { ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'
import { addEntriesOfWrite, requireConsentOfWrite } from '#server/commands/acting-writes.ts'
import { runUseCase, createRefusal } from '#server/commands/run-use-case.ts'
import { createFingerprint } from '#server/commands/fingerprint.ts'
import { readIfMatch } from '#server/commands/references.ts'
import {
  createInProgressProblem,
  createOutcomeHeaders,
  createProblemResponse,
  replay,
  replayIntent,
} from '#server/commands/replay.ts'

const maxOutsideCalls = 3

/** Executes a write and returns named problems as responses. Throws only unexpected errors. */
export async function executeWrite<E extends Endpoint>(
  app: AppContext,
  request: WriteRequest<E>,
  useCase: (context: UseCaseContext, input: ParsedInputOf<E>) => Promise<UseCaseResponse<OutputOf<E>>>,
): Promise<StoredResponse> {
  // The caller has checked the types of this endpoint. From here on, the code handles writes of every endpoint.
  const response = await attemptWrite(
    app,
    request as unknown as WriteRequest,
    useCase as unknown as WriteUseCase,
  ).catch((error: unknown) => toErrorResponse(toProblem(error), request.language))
  return request.key === null ? response : { ...response, headers: { [names.key]: request.key, ...response.headers } }
}

/** Codes that are final without an idempotency row: the same request with the same key always fails in the same way. */
const schemaProblemCodes: readonly ProblemCode[] = ['VALIDATION_ERROR', 'IDEMPOTENCY_MISMATCH']

function toErrorResponse(problem: ProblemError, language: Language): StoredResponse {
  const response = createProblemResponse(problem, language)
  if (!schemaProblemCodes.includes(problem.code)) return response
  return { ...response, headers: { ...response.headers, [names.outcome]: 'refused; schema' } }
}

/**
 * GET /api/request/~{intent}: returns the outcome of the write (protocol 13). Throws INTENT_UNKNOWN if no write with this intent is stored.
 */
export function readOutcome(
  app: AppContext,
  caller: Caller,
  intent: string,
  language: Language,
): Promise<StoredResponse> {
  return runInTransaction(app, { role: 'portal_app', companyId: caller.companyId }, async (db) => {
    await requireConsentOfRead(db, caller, app.clock())
    return replay(await requireIntentRow(db, caller, intent), language)
  })
}

/**
 * DELETE /api/request/~{intent}: returns 200 `{void: true}`, or the outcome if the write has already ended (protocol 13). `sessionId` is
 * needed only from a caller who acts for a customer.
 */
export async function voidIntent(
  app: AppContext,
  caller: Caller,
  intent: string,
  language: Language,
  sessionId: string | null = null,
): Promise<StoredResponse> {
  if (!app.database.hasFreeSpace()) throw createStorageFullProblem()
  const voidResponse = { status: 200, headers: {}, body: JSON.stringify({ void: true }) }
  return runInTransaction(
    app,
    { role: 'portal_app', companyId: caller.companyId },
    async (db): Promise<StoredResponse> => {
      await requireConsentOfWrite(db, app, { caller, sessionId })
      if (await insertVoidIntent(db, caller, intent, app.clock()).catch(throwAsInProgress)) return voidResponse
      const row = await requireIntentRow(db, caller, intent)
      return row.state === 'void' ? voidResponse : replay(row, language)
    },
  )
}

async function requireIntentRow(db: DatabaseHandle, owner: WriteOwner, intent: string): Promise<IdempotencyRow> {
  const row = (await findIntentRows(db, owner, [intent])).get(intent)
  if (row) return row
  throw new ProblemError('INTENT_UNKNOWN')
}

async function attemptWrite(app: AppContext, request: WriteRequest, useCase: WriteUseCase): Promise<StoredResponse> {
  if (!app.database.hasFreeSpace()) throw createStorageFullProblem()
  const write = createWriteCommand(app, request, useCase)
  const claim = createClaim(write)
  const runTransaction = (checksOutcome: boolean, work: (db: DatabaseHandle) => Promise<RecordedWrite>) =>
    runInTransaction(app, { ...write.scope, claim: claim && { ...claim, checksOutcome } }, async (db) => {
      await requireConsentOfWrite(db, app, request)
      return await work(db)
    }).then(toStoredResponse)
  const repeatIfAnswered = (error: unknown, activeClaim: WriteClaim) => {
    if (isInProgressError(error)) throw createInProgressProblem()
    if (!isDuplicateError(error)) throw error
    return runInTransaction(app, write.scope, async (db) => {
      await requireConsentOfWrite(db, app, request)
      return await repeatOutcome(db, write, activeClaim)
    })
  }
  const response = runWithOutsideCalls(app, () =>
    runTransaction(false, (db) => executeUseCase(db, write, claim)),
  ).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    return runTransaction(true, (db) => recordRefusal(db, write, claim, error))
  })
  return claim === null ? response : response.catch((error: unknown) => repeatIfAnswered(error, claim))
}

/**
 * Runs the write. If it needs an outside call, makes the call and runs the write again. The checks of the write find what has changed in
 * the meantime.
 */
async function runWithOutsideCalls<T>(app: AppContext, run: () => Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof OutsideCallNeeded)) throw error
      if (round === maxOutsideCalls) throw error.unsettledProblem
      await error.run(app)
    }
  }
}

/**
 * Returns whether the error may be stored as a refusal. UNAVAILABLE may not, because without the database nothing can be stored, and
 * ACTING_ENDED may not, because nothing is stored for a customer whose consent has ended.
 */
const isRefusal = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.code !== 'UNAVAILABLE' && error.code !== 'ACTING_ENDED'

function createWriteCommand(app: AppContext, request: WriteRequest, useCase: WriteUseCase): WriteCommand {
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

const createStorageFullProblem = () => new ProblemError('STORAGE_FULL', null, 60)

/** Returns null if the write is not stored in the idempotency store. */
function createClaim({ app, request, owner, intent, now }: WriteCommand): WriteClaim | null {
  const { key, path, endpoint } = request
  if (key === null || intent === null || endpoint.secret) return null
  const { method } = endpoint
  const requestFingerprint = createFingerprint(app.config.tokenKey, { ...request, method })
  return { owner, key, intent, fingerprint: requestFingerprint, method, path, now }
}

async function repeatOutcome(db: DatabaseHandle, write: WriteCommand, claim: WriteClaim): Promise<StoredResponse> {
  const { language } = write.request
  const row = await findStoredOutcome(db, write.owner, claim.key, claim.intent)
  // The row was deleted between the two statements. A retry can use the key.
  if (!row) throw createInProgressProblem()
  if (row.key !== claim.key) return replayIntent(row, language)
  if (row.fingerprint !== claim.fingerprint) throw new ProblemError('IDEMPOTENCY_MISMATCH')
  const response = replay(row, language)
  return response.status === 412 ? withCurrentRow(db, write, response) : response
}

/**
 * Replaces the body of a replayed 412 by one with the current row (protocol 6). The use case finds the conflict again and is rolled back.
 */
async function withCurrentRow(
  db: DatabaseHandle,
  write: WriteCommand,
  response: StoredResponse,
): Promise<StoredResponse> {
  await sql`savepoint effect`.execute(db)
  const problem = await runUseCase(db, write).then(
    () => null,
    (error: unknown) => error,
  )
  await sql`rollback to savepoint effect`.execute(db)
  if (!(problem instanceof ProblemError) || problem.code !== 'VERSION_CONFLICT') return response
  return { ...response, body: createProblemResponse(problem, write.request.language).body }
}

interface RecordedWrite {
  completedWrite: CompletedWrite
  idempotencyRowId: number | null
}

async function executeUseCase(
  db: DatabaseHandle,
  write: WriteCommand,
  claim: WriteClaim | null,
): Promise<RecordedWrite> {
  return recordWrite(db, write, claim, await runUseCase(db, write))
}

const recordRefusal = async (
  db: DatabaseHandle,
  write: WriteCommand,
  claim: WriteClaim | null,
  problem: ProblemError,
): Promise<RecordedWrite> => {
  const refusal = await createRefusal(db, problem, write, claim)
  await notifyOfLateRefusal(db, write, problem)
  return await recordWrite(db, write, claim, refusal)
}

/**
 * Notifies the user that a change was refused long after it was made, perhaps while no page was open. Other outcomes are not reported: the
 * device regards a late DELETE of a deleted row as done, and merges a conflict of versions, or shows it for review.
 */
async function notifyOfLateRefusal(
  db: DatabaseHandle,
  { request: { caller, endpoint, hasWaited }, intent, now }: WriteCommand,
  { code, status }: ProblemError,
): Promise<void> {
  if (!hasWaited || !endpoint.queue || !caller || intent === null) return
  if (getVerdict(endpoint.method, { status, code, echoed: true, final: true }) !== 'refused') return
  const facts = { call: endpoint.name, problem: code }
  const eventKey = `change-rejected ${intent}`
  await insertNotification(db, caller.userId, { kind: 'change-rejected', eventKey, orderId: null, facts }, now)
}

async function recordWrite(
  db: DatabaseHandle,
  write: WriteCommand,
  claim: WriteClaim | null,
  completedWrite: CompletedWrite,
): Promise<RecordedWrite> {
  const { outcome, entries } = completedWrite
  const trailEntry = createTrailEntry(write, outcome.state === 'done' ? 0 : -1)
  const [onlyEntry] = entries
  const isActing = write.request.caller?.actingConsent !== undefined
  if (claim && onlyEntry && entries.length === 1 && onlyEntry.company === undefined && !isActing)
    return { completedWrite, idempotencyRowId: await settleWithAuditEntry(db, claim, outcome, trailEntry, onlyEntry) }
  await addEntriesOfWrite(db, write.request.caller, trailEntry, entries)
  return { completedWrite, idempotencyRowId: claim && (await settleClaim(db, claim, outcome)) }
}

/** Must be called after the commit, because it runs the commit callbacks. */
function toStoredResponse({
  completedWrite: { outcome, commitCallbacks },
  idempotencyRowId,
}: RecordedWrite): StoredResponse {
  for (const callback of commitCallbacks) callback()
  const { status, headers, body, state } = outcome
  return {
    status,
    headers: {
      ...headers,
      ...(idempotencyRowId === null ? {} : createOutcomeHeaders({ id: idempotencyRowId, state })),
    },
    body,
  }
}

const createTrailEntry = ({ owner, request, now, intent }: WriteCommand, status: 0 | -1) => ({
  companyId: owner.companyId,
  userId: request.caller?.userId ?? null,
  now,
  status,
  intent,
  requestId: request.requestId,
})

/** Throws IDEMPOTENCY_IN_PROGRESS for 55P03: a duplicate of the write did not finish in time (protocol 5). */
function throwAsInProgress(error: unknown): never {
  throw getSqlState(error) === '55P03' ? createInProgressProblem() : error
}

/** Returns a problem as it is, converts lock and statement timeouts of the database to UNAVAILABLE, and throws all other errors. */
function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (['55P03', '57014'].includes(getSqlState(error) ?? '')) return createUnavailableProblem(2)
  throw error
}
