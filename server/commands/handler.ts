/** What a write does, as far as its own transaction goes: names, permission, the service, the answer's bytes. */
import { isStored } from '#contract/verdict.ts'
import type { Caller } from '#domain/access.ts'
import type { Made, Write } from '#server/commands/command.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { type Claim, findIntents, type Left } from '#server/db/idempotency.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { etagOf, outputOf } from '#server/context/response-schema.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { checkAfter, namedIn, versionLeftBy, withIds } from '#server/commands/references.ts'
import { problemAnswer } from '#server/commands/replay.ts'
import { describeFailure } from '#server/commands/audit.ts'

export async function runUseCase(db: Handle, write: Write): Promise<Made> {
  const { request, useCase } = write
  const { endpoint } = request
  const chained = typeof write.ifMatch === 'string' ? write.ifMatch.slice(1) : null
  const named = namedIn(endpoint, request.input)
  const waits = [...named, ...(chained ? [chained] : []), ...(request.after ? [request.after] : [])]
  const known = await findIntents(db, write.owner, waits)
  if (request.after) checkAfter(request.after, known)
  const input = named.length > 0 ? withIds(endpoint, request.input, known) : request.input
  const base = chained === null ? null : versionLeftBy(chained, known)
  request.permit()

  const desk = createUseCaseContext(db, write, base)
  const answer = await useCase(desk.context, input)
  // That a long request has begun is no answer of its schema yet.
  const begun = endpoint.job !== undefined && answer.status === 202
  const body = begun ? answer.body : outputOf(endpoint, answer.body)
  const etag = etagOf(body)
  return {
    outcome: {
      state: 'done',
      status: answer.status ?? (endpoint.output === null ? 204 : 200),
      headers: { ...(etag ? { etag } : {}), ...answer.headers },
      // Built and stored before the commit: nothing can fail any more after it (protocol 7).
      body: endpoint.output === null && !begun ? null : JSON.stringify(body),
      left: desk.left(),
    },
    notes: desk.notes,
    learn: desk.learn,
  }
}

/** What the service is handed, and what it leaves there. */
function createUseCaseContext(db: Handle, write: Write, base: { version: number; kind: string; rowId: number } | null) {
  const notes: AuditEntry[] = []
  const learn: (() => void)[] = []
  let left: Left | null = null
  const { app, request, intent, now } = write
  const context: UseCaseContext = {
    db,
    app,
    caller: request.caller ?? nobody,
    sessionId: request.sessionId,
    now,
    requestId: request.requestId,
    intent,
    requirePassword: request.requirePassword,
    ifMatch: base ? base.version : write.ifMatch,
    // Written at the end, in one go: the trail's lock is held for the shortest time.
    audit: async (note) => void notes.push(note),
    nextChangeNumber: (companyId) => takeChange(db, companyId),
    setResultRow(kind, rowId, rowVersion) {
      // A version of one row says nothing about another.
      if (base && (base.kind !== kind || base.rowId !== rowId)) throw new ProblemError('VERSION_CONFLICT')
      left = { kind, rowId, rowVersion }
    },
    afterCommit: (learned) => void learn.push(learned),
  }
  return { context, notes, learn, left: () => left }
}

/** Of calls without a session: no right of any kind. */
const nobody: Caller = { userId: 0, companyId: 0, companyCode: '', admin: false, order: false, accessLevel: 0 }

/** What is not kept may turn out differently next time (protocol 3). */
function isKept(problem: ProblemError, { request }: Write, claim: Claim | null): boolean {
  // A stranger must not be able to fill the trail; without a key there is nothing to keep either.
  return isStored(problem.status, problem.code) && (claim !== null || request.caller !== null)
}

/** What is kept of a refusal. Throws what is not. */
export async function refusalOf(db: Handle, problem: ProblemError, write: Write, claim: Claim | null): Promise<Made> {
  const { request, owner } = write
  const { caller, endpoint, input } = request
  if (!isKept(problem, write, claim)) throw problem
  const { status, headers, body } = problemAnswer(problem, request.language)
  const note = caller && (await describeFailure(db, { endpoint, input, caller, owner }))
  return {
    outcome: { state: 'refused', status, headers, body, left: null },
    notes: note
      ? [{ ...note, info: { ...note.info, problem: problem.code, path: request.path.slice(0, inputLimits.auditPath) } }]
      : [],
    learn: [],
  }
}
