/** How an answer leaves: bytes as they were made, and every problem in the one shape, in the reader's language. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { uploadAsset } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { type ProblemCode, problemStatus } from '#contract/problem.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { errorBody, languageOf, tokenErrorBody } from '#server/problems/problem-body.ts'
import { securityEvent } from '#server/context/log.ts'
import { ProblemError, unavailable } from '#server/problems/problem-error.ts'

export const json = 'application/json; charset=utf-8'

export function sendCarried(reply: FastifyReply, carried: StoredResponse): FastifyReply {
  reply.code(carried.status).headers(carried.headers)
  return carried.body === null ? reply.send() : reply.type(json).send(carried.body)
}

/** Refusals that follow from the bytes alone: sending them again can never end otherwise (protocol 3). */
const bySchema: readonly ProblemCode[] = ['VALIDATION_ERROR', 'TOO_LARGE', 'IMAGE_TOO_LARGE', 'UNSUPPORTED_TYPE']

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = inWordsOf(request, toProblem(error))
  if (problem.code === 'SERVER_ERROR') request.log.error({ err: error }, 'failed')
  noteRefusal(request, problem)
  if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds))
  if (reply.hasHeader(headers.key) && bySchema.includes(problem.code) && !reply.hasHeader(headers.outcome))
    reply.header(headers.outcome, 'refused; schema')
  // Of a stream that failed before its first byte was sent.
  for (const name of ofContent) reply.removeHeader(name)
  const language = languageOf(request.headers['accept-language'])
  const isToken = request.routeOptions.config.endpoint?.name === 'grantToken'
  const body = (isToken ? tokenErrorBody : errorBody)(problem.code, problem.data, language)
  // The token call tells about an account's status as about a wrong password: the caller is not let in.
  const status = isToken && problem.code === 'USER_STATUS_INVALID' ? 401 : problem.status
  return reply.code(status).type(json).send(JSON.stringify(body))
}

const ofContent = ['content-encoding', 'content-disposition', 'content-range', 'etag', 'last-modified', 'accept-ranges']

function noteRefusal(request: FastifyRequest, problem: ProblemError): void {
  const event =
    problem.code === 'FORBIDDEN' ? 'access denied' : problem.code === 'VALIDATION_ERROR' ? 'input refused' : null
  if (event === null) return
  const caller = request.principal?.caller
  securityEvent(request.log, event, {
    route: request.routeOptions.url ?? null,
    user: caller?.userId ?? null,
    tenant: caller?.companyId ?? null,
  })
}

/** The stream is cut before anybody has looked at the file in it, so that the file is the only thing that can be too large. */
function inWordsOf({ routeOptions }: FastifyRequest, problem: ProblemError): ProblemError {
  const isImage = routeOptions.config.endpoint?.name === uploadAsset.name
  return isImage && problem.code === 'TOO_LARGE' ? new ProblemError('IMAGE_TOO_LARGE') : problem
}

const byFastifyCode: Record<string, ProblemCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_TYPE',
  FST_ERR_NOT_FOUND: 'NOT_FOUND',
}

/** 57014: a statement ran out of time; 55P03: a row stayed locked. Both pass. */
const passing = new Set(['57014', '55P03'])

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (passing.has(sqlState(error) ?? '')) return unavailable(2)
  const { code, statusCode } = error as Partial<FastifyError>
  const known = byFastifyCode[code ?? '']
  if (known) return new ProblemError(known)
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ProblemError(statusCode === 404 ? 'NOT_FOUND' : 'VALIDATION_ERROR', statusCode === 404 ? null : [])
  return new ProblemError('SERVER_ERROR')
}

/** For answers made outside a reply: a batch's items. */
export function problemCarried(error: unknown, acceptLanguage: string | undefined): StoredResponse {
  const problem = toProblem(error)
  const status = problemStatus[problem.code]
  const retry: Record<string, string> =
    problem.retryAfterSeconds === null ? {} : { 'retry-after': String(problem.retryAfterSeconds) }
  const outcome: Record<string, string> = bySchema.includes(problem.code)
    ? { [headers.outcome]: 'refused; schema' }
    : {}
  const body = JSON.stringify(errorBody(problem.code, problem.data, languageOf(acceptLanguage)))
  return { status, headers: { ...retry, ...outcome }, body }
}
