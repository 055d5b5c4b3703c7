import { headers as names } from '#contract/headers.ts'
import type { ProblemCode } from '#contract/problem.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import type { IdempotencyRow } from '#server/db/idempotency-store.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** Returns the header of a final outcome. A void intent is reported as refused. */
export const createOutcomeHeaders = ({ id, state }: Pick<IdempotencyRow, 'id' | 'state'>): Record<string, string> => ({
  [names.outcome]: `${state === 'done' ? 'done' : 'refused'}; ${id}`,
})

/** Returns the stored response again. Throws IDEMPOTENCY_IN_PROGRESS if the write has not ended. */
export function replay(row: IdempotencyRow, language: Language): StoredResponse {
  if (row.state === 'open' || row.state === 'started') throw createInProgressProblem()
  const replayHeaders = { ...createOutcomeHeaders(row), [names.replayed]: 'true' }
  if (row.state === 'void') return createRefusalResponse('INTENT_VOID', null, language, replayHeaders)
  // The response bytes are deleted after 35 days (protocol 19). A done write stays done, and the client reads the row again.
  if (row.headers === null || row.status === null)
    return createRefusalResponse(
      row.state === 'done' ? 'INTENT_DONE' : 'STATE_CONFLICT',
      getResultRow(row),
      language,
      replayHeaders,
    )
  return { status: row.status, headers: { ...row.headers, ...replayHeaders }, body: row.body }
}

/** Returns the response for a second request with a settled intent. The write never has a second effect. */
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
