import { isStored } from '#contract/verdict.ts'
import type { Caller } from '#domain/access.ts'
import type { CompletedWrite, WriteCommand } from '#server/commands/write-command.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { type WriteClaim, findIntentRows, type ResultRow } from '#server/db/idempotency-store.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { getEtag, applyOutputSchema } from '#server/context/response-schema.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import {
  checkPredecessor,
  findReferencedIntents,
  getResultVersion,
  resolveReferences,
} from '#server/commands/references.ts'
import { createProblemResponse } from '#server/commands/replay.ts'
import { describeFailure } from '#server/commands/describe-failure.ts'

export async function runUseCase(db: DatabaseHandle, write: WriteCommand): Promise<CompletedWrite> {
  const { request, useCase } = write
  const { endpoint } = request
  const chainedIntent = typeof write.ifMatch === 'string' ? write.ifMatch.slice(1) : null
  const referencedIntents = findReferencedIntents(endpoint, request.input)
  const requiredIntents = [
    ...referencedIntents,
    ...(chainedIntent ? [chainedIntent] : []),
    ...(request.predecessorIntent ? [request.predecessorIntent] : []),
  ]
  const rowsByIntent = await findIntentRows(db, write.owner, requiredIntents)
  if (request.predecessorIntent) checkPredecessor(request.predecessorIntent, rowsByIntent)
  const input = referencedIntents.length > 0 ? resolveReferences(endpoint, request.input, rowsByIntent) : request.input
  const baseRow = chainedIntent === null ? null : getResultVersion(chainedIntent, rowsByIntent)
  request.checkPermission()

  const useCaseRun = createUseCaseContext(db, write, baseRow)
  const response = await useCase(useCaseRun.context, input)
  // The 202 response of a long request does not follow the endpoint's output schema.
  const isJobStarted = endpoint.job !== undefined && response.status === 202
  const body = isJobStarted ? response.body : applyOutputSchema(endpoint, response.body)
  const etag = getEtag(body)
  return {
    outcome: {
      state: 'done',
      status: response.status ?? (endpoint.output === null ? 204 : 200),
      headers: { ...(etag ? { etag } : {}), ...response.headers },
      // Built and stored before the commit, so that nothing can fail after it (protocol 7).
      body: endpoint.output === null && !isJobStarted ? null : JSON.stringify(body),
      resultRow: useCaseRun.getResultRow(),
    },
    entries: useCaseRun.entries,
    commitCallbacks: useCaseRun.commitCallbacks,
  }
}

function createUseCaseContext(
  db: DatabaseHandle,
  write: WriteCommand,
  baseRow: { version: number; kind: string; rowId: number } | null,
) {
  const entries: AuditEntry[] = []
  const commitCallbacks: (() => void)[] = []
  let resultRow: ResultRow | null = null
  const { app, request, intent, now } = write
  const context: UseCaseContext = {
    db,
    app,
    caller: request.caller ?? anonymousCaller,
    sessionId: request.sessionId,
    now,
    requestId: request.requestId,
    intent,
    requirePassword: request.requirePassword,
    ifMatch: baseRow ? baseRow.version : write.ifMatch,
    // Entries are written together at the end, so that the lock of the trail is held as briefly as possible.
    audit: async (entry) => void entries.push(entry),
    takeNextChangeNumber: (companyId) => takeChangeNumber(db, companyId),
    setResultRow(kind, rowId, rowVersion) {
      // If-Match referred to another row, and versions of different rows cannot be compared.
      if (baseRow && (baseRow.kind !== kind || baseRow.rowId !== rowId)) throw new ProblemError('VERSION_CONFLICT')
      resultRow = { kind, rowId, rowVersion }
    },
    afterCommit: (callback) => void commitCallbacks.push(callback),
  }
  return { context, entries, commitCallbacks, getResultRow: () => resultRow }
}

const anonymousCaller: Caller = { userId: 0, companyId: 0, companyCode: '', admin: false, order: false, accessLevel: 0 }

/** Returns whether a refusal is stored. A problem that is not stored may turn out differently on a retry (protocol 3). */
function shouldStore(problem: ProblemError, { request }: WriteCommand, claim: WriteClaim | null): boolean {
  // Without a key there is no idempotency row. Without a caller there is no audit entry, because strangers could fill the trail.
  return isStored(problem.status, problem.code) && (claim !== null || request.caller !== null)
}

/** Returns the outcome and entries to store for a refusal. Throws problems that are not stored. */
export async function createRefusal(
  db: DatabaseHandle,
  problem: ProblemError,
  write: WriteCommand,
  claim: WriteClaim | null,
): Promise<CompletedWrite> {
  const { request, owner } = write
  const { caller, endpoint, input } = request
  if (!shouldStore(problem, write, claim)) throw problem
  const { status, headers, body } = createProblemResponse(problem, request.language)
  const entry = caller && (await describeFailure(db, { endpoint, input, caller, owner }))
  return {
    outcome: { state: 'refused', status, headers, body, resultRow: null },
    entries: entry
      ? [
          {
            ...entry,
            info: { ...entry.info, problem: problem.code, path: request.path.slice(0, inputLimits.auditPath) },
          },
        ]
      : [],
    commitCallbacks: [],
  }
}
