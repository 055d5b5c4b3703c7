/**
 * Executes many writes in one request, in order (protocol 23, 24). An item that is not allowed in a batch gets a validation problem. Items
 * after a stop are returned as NOT_ATTEMPTED. No item is left out.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod/mini'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { type batchWrite, sendBatch } from '#contract/requests.ts'
import { createEndpointMatcher } from '#contract/http-mapping.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { toProblemResponse } from '#server/http/responses.ts'
import { getPath } from '#server/http/security-headers.ts'
import { readQueryPairs } from '#server/http/input/parse.ts'
import { requireCaller, checkForUser, type Principal, authenticate } from '#server/http/authenticate.ts'
import { createValidationProblem, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler, type RequestContext } from '#server/http/route-handler.ts'
import { executeWriteRequest } from '#server/routes/writes/write-request.ts'

type BatchItem = z.output<typeof batchWrite>
interface BatchItemResponse {
  status: number
  headers: Record<string, string>
  body: unknown
}

const maxBatchMs = 5000
/** Statuses after which the batch stops: further items would fail too or make the problem worse. */
const stopStatuses = new Set([401, 429, 503])
const allowedHeaders = new Set<string>(['if-match', headers.forUser, headers.intent, headers.waited])
const matchEndpoint = createEndpointMatcher(endpoints)

export const createBatchHandlers = (handlers: readonly EndpointHandler[]): EndpointHandler[] => {
  const handlersByName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  return [
    createProcedureHandler(sendBatch, async (context, { body: items }) => {
      const responses: BatchItemResponse[] = []
      const deadline = performance.now() + maxBatchMs
      let isStopped = false
      for (const item of items) {
        isStopped ||= context.isStopped() || performance.now() > deadline
        const response = isStopped
          ? toItemProblem(context, new ProblemError('NOT_ATTEMPTED'))
          : await executeItem(handlersByName, context, item)
        isStopped ||= stopStatuses.has(response.status)
        responses.push(toItemResponse(item, response))
      }
      return { body: responses }
    }),
  ]
}

const toItemProblem = (context: RequestContext, error: unknown) =>
  toProblemResponse(error, context.headers['accept-language'])

const toItemResponse = (
  item: BatchItem,
  { status, headers: responseHeaders, body }: StoredResponse,
): BatchItemResponse => ({
  status,
  headers: { ...responseHeaders, [headers.key]: item.key },
  body: body === null ? null : JSON.parse(body),
})

async function executeItem(
  handlersByName: Map<string, EndpointHandler>,
  context: RequestContext,
  item: BatchItem,
): Promise<StoredResponse> {
  try {
    return await attemptItem(handlersByName, context, item)
  } catch (error) {
    const response = toItemProblem(context, error)
    if (response.status === 500)
      context.app.log.error(
        { event: 'request_failed', err: error, requestId: context.requestId },
        'a request failed with an unexpected error',
      )
    return response
  }
}

async function attemptItem(
  handlersByName: Map<string, EndpointHandler>,
  context: RequestContext,
  item: BatchItem,
): Promise<StoredResponse> {
  const itemHeaders = buildItemHeaders(context, item)
  const principal = await authenticateAgain(context)
  checkForUser(principal, itemHeaders[headers.forUser] as string | undefined)
  const route = requireRow(matchEndpoint(item.method, getPath(item.path)))
  const { endpoint, params } = route
  if (!endpoint.queue || endpoint.job || endpoint.encoding === 'multipart')
    throw createValidationProblem([{ field: 'path', code: 'OUT_OF_RANGE' }])
  const handler = handlersByName.get(endpoint.name)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  await context.countWrite()
  if (!context.app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
  const { response } = await executeWriteRequest(context.app, {
    handler,
    path: item.path,
    headers: itemHeaders,
    requestParts: {
      params,
      query: readQueryPairs(item.path),
      body: item.body === undefined ? { kind: 'none' } : { kind: 'json', value: item.body },
    },
    principal,
    predecessorIntent: item.after ?? null,
    requestId: context.requestId,
  })
  return response
}

function buildItemHeaders(context: RequestContext, item: BatchItem): IncomingHttpHeaders {
  const entries = Object.entries(item.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const unknownHeader = entries.find(([name]) => !allowedHeaders.has(name))
  if (unknownHeader) throw createValidationProblem([{ field: `headers.${unknownHeader[0]}`, code: 'UNKNOWN_FIELD' }])
  const language = context.headers['accept-language']
  return {
    ...Object.fromEntries(entries),
    [headers.key]: item.key,
    ...(language ? { 'accept-language': language } : {}),
  }
}

/**
 * Authenticates the caller again for each item, because the user may have been disabled or the session ended. A token that has expired
 * since the start of the batch is accepted.
 */
async function authenticateAgain(context: RequestContext): Promise<Principal> {
  const principal = await authenticate(context.app, context.headers.authorization)
  if (principal.problem?.code === 'TOKENEXPIRED') return context.principal
  requireCaller(principal)
  return principal
}
