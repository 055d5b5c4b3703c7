/** Sends responses: stored bytes unchanged, and every problem in the same format and in the user's language. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { uploadAsset } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import { buildErrorBody, parseLanguage, buildTokenErrorBody } from '#server/problems/problem-body.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'

export const jsonType = 'application/json; charset=utf-8'

export function sendResponse(reply: FastifyReply, response: StoredResponse): FastifyReply {
  reply.code(response.status).headers(response.headers)
  return response.body === null ? reply.send() : reply.type(jsonType).send(response.body)
}

/** Codes of problems that depend only on the bytes of the request, so a retry always fails (protocol 3). */
const schemaProblemCodes: readonly ProblemCode[] = [
  'VALIDATION_ERROR',
  'TOO_LARGE',
  'IMAGE_TOO_LARGE',
  'UNSUPPORTED_TYPE',
]

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = adaptProblem(request, toProblem(error))
  if (problem.code === 'SERVER_ERROR')
    request.log.error({ event: 'request_failed', err: error }, 'a request failed with an unexpected error')
  logRefusal(request, problem)
  if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds))
  if (reply.hasHeader(headers.key) && schemaProblemCodes.includes(problem.code) && !reply.hasHeader(headers.outcome))
    reply.header(headers.outcome, 'refused; schema')
  // A stream that failed before its first byte was sent has already set these headers.
  for (const name of contentHeaders) reply.removeHeader(name)
  const language = parseLanguage(request.headers['accept-language'])
  const isToken = request.routeOptions.config.endpoint?.name === 'grantToken'
  const body = (isToken ? buildTokenErrorBody : buildErrorBody)(problem.code, problem.data, language)
  // The token call responds to an inactive user as to a wrong password: with 401.
  const status = isToken && problem.code === 'USER_STATUS_INVALID' ? 401 : problem.status
  return reply.code(status).type(jsonType).send(JSON.stringify(body))
}

const contentHeaders = [
  'content-encoding',
  'content-disposition',
  'content-range',
  'etag',
  'last-modified',
  'accept-ranges',
]

function logRefusal(request: FastifyRequest, problem: ProblemError): void {
  const event =
    problem.code === 'FORBIDDEN' || problem.code === 'ACTING_READ_ONLY'
      ? 'access_denied'
      : problem.code === 'VALIDATION_ERROR'
        ? 'input_refused'
        : null
  if (event === null) return
  const caller = request.principal?.caller
  logSecurityEvent(request.log, event, {
    route: request.routeOptions.url ?? null,
    user: caller?.userId ?? null,
    tenant: caller?.companyId ?? null,
  })
}

/**
 * Replaces TOO_LARGE of an image upload by IMAGE_TOO_LARGE. The form is refused before its file is examined, but only the file can be too
 * large.
 */
function adaptProblem({ routeOptions }: FastifyRequest, problem: ProblemError): ProblemError {
  const isImage = routeOptions.config.endpoint?.name === uploadAsset.name
  return isImage && problem.code === 'TOO_LARGE' ? new ProblemError('IMAGE_TOO_LARGE') : problem
}

const problemCodeByFastifyCode: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_TYPE',
  FST_ERR_NOT_FOUND: 'NOT_FOUND',
}

/** SQL states of temporary errors: 57014 is a statement timeout, 55P03 a lock timeout. */
const temporaryStates = new Set(['57014', '55P03'])

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (temporaryStates.has(getSqlState(error) ?? '')) return createUnavailableProblem(2)
  const { code, statusCode } = error as Partial<FastifyError>
  const problemCode = problemCodeByFastifyCode[code ?? '']
  if (problemCode) return new ProblemError(problemCode)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ProblemError(statusCode === 404 ? 'NOT_FOUND' : 'VALIDATION_ERROR', statusCode === 404 ? null : [])
  return new ProblemError('SERVER_ERROR')
}

export function toProblemResponse(error: unknown, acceptLanguage: string | undefined): StoredResponse {
  const problem = toProblem(error)
  const status = problemStatus[problem.code]
  const retryHeaders: Record<string, string> =
    problem.retryAfterSeconds === null ? {} : { 'retry-after': String(problem.retryAfterSeconds) }
  const outcomeHeaders: Record<string, string> = schemaProblemCodes.includes(problem.code)
    ? { [headers.outcome]: 'refused; schema' }
    : {}
  const body = JSON.stringify(buildErrorBody(problem.code, problem.data, parseLanguage(acceptLanguage)))
  return { status, headers: { ...retryHeaders, ...outcomeHeaders }, body }
}
