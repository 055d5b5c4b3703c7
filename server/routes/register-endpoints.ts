/** Registers a route for each endpoint of the contract. An endpoint without a handler returns NOT_SUPPORT. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { stopActing } from '#contract/staff/acting-calls.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { parseLanguage } from '#server/problems/problem-body.ts'
import type { AppContext } from '#server/context/context.ts'
import { jsonType, sendResponse } from '#server/http/responses.ts'
import type { RequestCounters } from '#server/http/request-guard.ts'
import { getHeader, parseInput, readQueryPairs, readBody, type RequestParts } from '#server/http/input/parse.ts'
import { findAlternativePath, normaliseIdPosition } from '#server/http/input/alternative-path.ts'
import { discardParts, maxFormBytes, readParts, registerForms } from '#server/http/input/multipart-form.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { DownloadSlots } from '#server/http/download-slots.ts'
import type { StreamPiece } from '#server/http/piece-stream.ts'
import { sendStream } from '#server/http/send-stream.ts'
import {
  requireCaller,
  checkForUser,
  checkPermission,
  anonymousPrincipal,
  getSubject,
  type Principal,
  authenticate,
  toSessionUserPrincipal,
} from '#server/http/authenticate.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { streamList } from '#server/queries/stream-list.ts'
import { executeRead } from '#server/queries/execute-read.ts'
import type { EndpointHandler, RequestContext } from '#server/http/route-handler.ts'
import { createUploadFolder, requireFileSpace } from '#server/use-cases/uploads/upload-files.ts'
import { executeWriteRequest } from '#server/routes/writes/write-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** Number of request fields that the schema does not know (S-01). */
    unknownFieldCount: number
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
    isStreamed?: boolean
  }
}

type RouteContext = HttpContext & RequestCounters & { downloads: DownloadSlots }
interface RouteCall {
  endpoint: Endpoint
  handler: EndpointHandler | undefined
  request: FastifyRequest
  reply: FastifyReply
}

export function registerEndpoints(
  fastify: FastifyInstance,
  http: HttpContext & RequestCounters,
  endpoints: readonly Endpoint[],
  handlers: readonly EndpointHandler[],
): void {
  const routeContext: RouteContext = { ...http, downloads: new DownloadSlots() }
  const handlersByName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  const isForm = ({ encoding }: Endpoint) => encoding === 'multipart'
  const addRoute = (instance: FastifyInstance, endpoint: Endpoint) => {
    const handler = handlersByName.get(endpoint.name)
    const alternativePath = findAlternativePath(endpoint)
    for (const url of alternativePath === null ? [endpoint.path] : [endpoint.path, alternativePath])
      instance.route({
        method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
        url,
        config: { endpoint, isStreamed: isForm(endpoint) },
        bodyLimit: getBodyLimit(endpoint),
        // Checked before the body is read, so that a megabyte from an anonymous caller is not parsed only to be refused.
        onRequest: (request, reply) => admitRequest(routeContext, { endpoint, handler, request, reply }),
        handler: (request, reply) => handleRequest(routeContext, { endpoint, handler, request, reply }),
      })
  }
  for (const endpoint of endpoints) if (!isForm(endpoint)) addRoute(fastify, endpoint)
  fastify.register(async (formInstance) => {
    registerForms(formInstance)
    for (const endpoint of endpoints) if (isForm(endpoint)) addRoute(formInstance, endpoint)
  })
}

function getBodyLimit({ encoding, access, body, jsonBytes }: Endpoint): number {
  if (encoding === 'multipart') return maxFormBytes
  if (encoding === 'form' || !body) return inputLimits.formBytes
  return access === 'anybody' ? inputLimits.openJsonBytes : (jsonBytes ?? inputLimits.jsonBytes)
}

async function admitRequest(routeContext: RouteContext, call: RouteCall): Promise<void> {
  const { endpoint, request, reply } = call
  // The credential of the token call is not a session, and its response must not depend on an older session.
  const principal = endpoint.name === 'grantToken' ? anonymousPrincipal : await authenticateCall(routeContext.app, call)
  // Checking an invalid token costs a database query, so it is counted like an anonymous request.
  if (principal.problem) await routeContext.countAnonymous(request)
  request.principal = principal
  // Counted before any refusal, so that refused requests are counted too.
  routeContext.countCall(request, reply)
  checkAccess(routeContext, call, principal)
  if (endpoint.fileBytes) await requireFileSpace(routeContext.app, Number(request.headers['content-length'] ?? 0))
  await routeContext.countCostly(request)
}

/** The call that ends acting is its user's own, also after the consent has ended. */
async function authenticateCall(app: AppContext, { endpoint, request }: RouteCall): Promise<Principal> {
  const principal = await authenticate(app, request.headers.authorization)
  return endpoint.name === stopActing.name ? toSessionUserPrincipal(principal) : principal
}

function checkAccess(
  { app }: RouteContext,
  { endpoint, handler, request, reply }: RouteCall,
  principal: Principal,
): void {
  request.principal = principal
  const { caller } = principal
  if (caller) reply.header(headers.subject, getSubject(caller))
  if (caller?.actingConsent) reply.header(headers.actingUntil, String(caller.actingConsent.until))
  checkForUser(principal, getHeader(request.headers, headers.forUser))
  if (endpoint.access !== 'anybody') requireCaller(principal)
  // The permission for a write is checked after its idempotency row (protocol 4), so that a repeat gets its response even if the role was
  // lost. For files it is checked here, before they are read. So it is for a session that acts for a customer: nothing is parsed that its
  // consent does not allow.
  if (
    caller?.actingConsent ||
    endpoint.method === 'GET' ||
    !handler ||
    endpoint.secret ||
    endpoint.encoding === 'multipart'
  )
    checkPermission(endpoint, principal)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (endpoint.method !== 'GET' && !endpoint.secret) requireFreeSpace(app)
}

/** The embedded engine does not recover from a full disk, so writes are refused on a nearly full one. */
function requireFreeSpace(app: AppContext): void {
  if (!app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
}

const wantsStream = ({ method, headers: { accept } }: FastifyRequest) =>
  method !== 'HEAD' && accept === 'application/x-ndjson'

async function handleRequest(routeContext: RouteContext, call: RouteCall): Promise<FastifyReply> {
  const { handler, request, reply } = call
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (handler.kind === 'procedure') return runProcedure(routeContext, handler, call)
  if (handler.kind === 'list' && wantsStream(request)) return streamResponse(routeContext, handler, call)
  if (handler.endpoint.method !== 'GET') await routeContext.countWrite(request)
  return sendResponse(reply, await executeCall(routeContext.app, handler, call))
}

function onUndelivered({ raw, log }: FastifyReply, action: () => Promise<void>): void {
  let isFinished = false
  raw.once('finish', () => {
    isFinished = true
  })
  raw.once('close', () => {
    if (isFinished && raw.statusCode < 500) return
    void action().catch((error: unknown) =>
      log.error(
        { event: 'undelivered_response_undo_failed', err: error },
        'could not undo the effect of a response that was not delivered',
      ),
    )
  })
}

type TransactionHandler = Exclude<EndpointHandler, { kind: 'procedure' }>

async function executeCall(app: AppContext, handler: TransactionHandler, call: RouteCall): Promise<StoredResponse> {
  const { endpoint, request } = call
  const principal = request.principal ?? anonymousPrincipal
  const requestParts = await readRequestParts(app, call)
  if (endpoint.method !== 'GET') {
    const writeInput = { handler, path: request.url, headers: request.headers, requestParts, principal }
    try {
      const result = await executeWriteRequest(app, { ...writeInput, predecessorIntent: null, requestId: request.id })
      request.unknownFieldCount = result.unknownFieldCount
      return result.response
    } finally {
      if (requestParts.body.kind === 'parts') await discardParts(requestParts.body.parts)
    }
  }
  return executeRead(app, createReadRequest(handler, requestParts, request))
}

function createReadRequest<H extends TransactionHandler>(
  handler: H,
  requestParts: RequestParts,
  request: FastifyRequest,
) {
  const principal = request.principal ?? anonymousPrincipal
  const { input, unknownFieldCount } = parseInput(handler.endpoint, requestParts)
  request.unknownFieldCount = unknownFieldCount
  const { sessionId } = principal
  return { handler, input, caller: requireCaller(principal), sessionId, requestId: request.id }
}

async function streamResponse(
  { app, settings, downloads }: RouteContext,
  handler: TransactionHandler & { kind: 'list' },
  call: RouteCall,
): Promise<FastifyReply> {
  const { request, reply } = call
  const readRequest = createReadRequest(handler, await readRequestParts(app, call), request)
  return sendStream(reply, {
    release: downloads.acquire('list', readRequest.caller),
    maxWaitMs: settings.pieceWaitMs,
    async open() {
      const { lines, asOf, change } = await streamList(app, readRequest)
      reply.header(headers.asOf, String(asOf)).header(headers.change, String(change))
      reply.type('application/x-ndjson; charset=utf-8')
      return lines
    },
  })
}

async function readRequestParts(app: AppContext, { endpoint, request, reply }: RouteCall): Promise<RequestParts> {
  const { fileBytes } = endpoint
  const store = fileBytes === undefined ? null : { folder: await createUploadFolder(app), fileBytes }
  const type = request.headers['content-type']
  const bytes = Buffer.isBuffer(request.body) ? request.body : null
  return normaliseIdPosition(endpoint, {
    params: request.params as Record<string, string>,
    query: readQueryPairs(request.url),
    body:
      endpoint.encoding === 'multipart'
        ? { kind: 'parts', parts: await readParts(request, reply, store) }
        : readBody(endpoint, type, bytes),
  })
}

const createRequestContext = (
  { app, lifecycle, countWrite }: RouteContext,
  { request, reply }: RouteCall,
): RequestContext => ({
  app,
  principal: request.principal ?? anonymousPrincipal,
  headers: request.headers,
  url: request.url,
  rawBody: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  address: request.ip,
  now: app.clock(),
  requestId: request.id,
  language: parseLanguage(request.headers['accept-language']),
  countWrite: () => countWrite(request),
  // The socket is checked, because `request.raw.destroyed` is true as soon as the body is read.
  isStopped: () => lifecycle.phase === 'closing' || request.raw.socket.destroyed,
  onUndelivered: (action) => onUndelivered(reply, action),
})

async function runProcedure(
  routeContext: RouteContext,
  handler: EndpointHandler & { kind: 'procedure' },
  call: RouteCall,
): Promise<FastifyReply> {
  const { request, reply } = call
  const { responseType, output } = handler.endpoint
  const maxWaitMs = routeContext.settings.pieceWaitMs
  const requestParts = await readRequestParts(routeContext.app, call)
  const { input, unknownFieldCount } = parseInput(handler.endpoint, requestParts)
  request.unknownFieldCount = unknownFieldCount
  const context = createRequestContext(routeContext, call)
  if (request.method === 'HEAD' && handler.head) {
    const { status = 200, headers: extraHeaders = {} } = await handler.head(context, input as ParsedInputOf<Endpoint>)
    return reply.code(status).headers(extraHeaders).send()
  }
  const runHandler = async () => {
    const response = await handler.procedure(context, input as ParsedInputOf<Endpoint>)
    for (const cookie of response.cookies ?? []) reply.header('set-cookie', cookie)
    reply.headers(response.headers ?? {})
    return response
  }
  if (handler.download) {
    const release = routeContext.downloads.acquire(handler.download(input), requireCaller(context.principal))
    const open = async () => (await runHandler()).body as AsyncIterable<StreamPiece>
    return sendStream(reply, { open, release, maxWaitMs })
  }
  const { status, body } = await runHandler()
  if (body instanceof Uint8Array) return reply.code(status ?? 200).send(Buffer.from(body))
  if (responseType === 'bytes') {
    const open = async () => body as AsyncIterable<StreamPiece>
    return sendStream(reply, { open, release: () => undefined, maxWaitMs })
  }
  if (status === 204 || output === null) return reply.code(status ?? 204).send()
  reply.code(status ?? 200)
  if (responseType === 'html') return reply.type('text/html; charset=utf-8').send(body)
  return reply.type(jsonType).send(JSON.stringify(body))
}
