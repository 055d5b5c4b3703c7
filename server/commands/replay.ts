/** Answers from the idempotency store: what a request, or an intent, was told before. */
import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import type { IdempotencyRow } from '#server/db/idempotency-store.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** Says how it ended, for good. A void intent is as good as refused. */
export const createOutcomeHeaders = ({ id, state }: Pick<IdempotencyRow, 'id' | 'state'>): Record<string, string> => ({
  [names.outcome]: `${state === 'done' ? 'done' : 'refused'}; ${id}`,
})

/** The stored answer once more. Throws IDEMPOTENCY_IN_PROGRESS while there is none. */
export function replay(row: IdempotencyRow, language: Language): StoredResponse {
  if (row.state === 'open' || row.state === 'started') throw createInProgressProblem()
  const replayHeaders = { ...createOutcomeHeaders(row), [names.replayed]: 'true' }
  if (row.state === 'void') return createRefusalResponse('INTENT_VOID', null, language, replayHeaders)
  // Its bytes went after 35 days (protocol 19): done stays done, and the client reads the row again.
  if (row.headers === null || row.status === null)
    return createRefusalResponse(
      row.state === 'done' ? 'INTENT_DONE' : 'STATE_CONFLICT',
      getResultRow(row),
      language,
      replayHeaders,
    )
  return { status: row.status, headers: { ...row.headers, ...replayHeaders }, body: row.body }
}

/** The answer to a second request of an intent that is settled: never a second effect. */
export function replayIntent(row: IdempotencyRow, language: Language): StoredResponse {
  const code: ProblemCode = row.state === 'void' ? 'INTENT_VOID' : 'INTENT_DONE'
  const storedResponse =
    row.headers === null ? null : { status: row.status, headers: row.headers, body: parseBody(row.body) }
  return createRefusalResponse(
    code,
    row.state === 'void' ? null : { ...getResultRow(row), answer: storedResponse },
    language,
    createOutcomeHeaders(row),
  )
}

export const createInProgressProblem = () => new ProblemError('IDEMPOTENCY_IN_PROGRESS', null, 1)

function createRefusalResponse(
  code: ProblemCode,
  data: unknown,
  language: Language,
  headers: Record<string, string>,
): StoredResponse {
  return { ...createProblemResponse(new ProblemError(code, data), language), headers }
}

export function createProblemResponse(problem: ProblemError, language: Language): StoredResponse {
  const { code, status, data, retryAfterSeconds } = problem
  const headers: Record<string, string> = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }
  return { status, headers, body: JSON.stringify(buildErrorBody(code, data, language)) }
}

const getResultRow = ({ row_kind, row_id, row_version }: IdempotencyRow) =>
  row_id === null ? null : { row_kind, row_id, row_version }

const parseBody = (body: string | null): unknown => (body === null ? null : JSON.parse(body))
