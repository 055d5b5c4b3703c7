/**
 * The table becomes routes: who asks, may they, what was sent, the handler, the answer as its schema says. Every endpoint
 * of the table has a route; one without a handler says NOT_SUPPORT to those who may ask it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { languageOf } from '#server/problems/problem-body.ts'
import type { AppContext } from '#server/context/context.ts'
import { json, sendCarried } from '#server/http/responses.ts'
import type { Counters } from '#server/http/request-guard.ts'
import { headerOf, parseInput, queryPairs, readBody, type Received } from '#server/http/input/parse.ts'
import { otherPathOf, placeId } from '#server/http/input/id-place.ts'
import { discardParts, formBytes, readParts, takeForms } from '#server/http/input/multipart.ts'
import type { HttpContext } from '#server/http/context.ts'
import { DownloadSlots } from '#server/http/download-slots.ts'
import type { Piece } from '#server/http/piece-stream.ts'
import { sendStream } from '#server/http/send-stream.ts'
import {
  requireCaller,
  checkForUser,
  permit,
  anonymous,
  subjectOf,
  type Principal,
  principalOf,
} from '#server/http/authenticate.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { streamList } from '#server/queries/stream-list.ts'
import { read } from '#server/queries/execute.ts'
import type { Handler } from '#server/http/route-handler.ts'
import { makeUploadFolder, requireFileSpace } from '#server/use-cases/uploads/upload-files.ts'
import { write } from '#server/routes/writes/write-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until somebody asked who it is. */
    principal: Principal | null
    /** Fields that were sent and not known (S-01). */
    strays: number
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Its handler reads the body as it comes. */
    isStreamed?: boolean
  }
}

type Served = HttpContext & Counters & { downloads: DownloadSlots }
/** One request on its way. */
interface Call {
  endpoint: Endpoint
  handler: Handler | undefined
  request: FastifyRequest
  reply: FastifyReply
}

export function serve(
  fastify: FastifyInstance,
  http: HttpContext & Counters,
  endpoints: readonly Endpoint[],
  handlers: readonly Handler[],
): void {
  const served: Served = { ...http, downloads: new DownloadSlots() }
  const byName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  const isForm = ({ encoding }: Endpoint) => encoding === 'multipart'
  const route = (at: FastifyInstance, endpoint: Endpoint) => {
    const handler = byName.get(endpoint.name)
    const other = otherPathOf(endpoint)
    for (const url of other === null ? [endpoint.path] : [endpoint.path, other])
      at.route({
        method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
        url,
        config: { endpoint, isStreamed: isForm(endpoint) },
        bodyLimit: bodyLimitOf(endpoint),
        // Before the body is read: a megabyte of a stranger's is not parsed to be refused.
        onRequest: (request, reply) => admit(served, { endpoint, handler, request, reply }),
        handler: (request, reply) => answer(served, { endpoint, handler, request, reply }),
      })
  }
  for (const endpoint of endpoints) if (!isForm(endpoint)) route(fastify, endpoint)
  fastify.register(async (forms) => {
    takeForms(forms)
    for (const endpoint of endpoints) if (isForm(endpoint)) route(forms, endpoint)
  })
}

function bodyLimitOf({ encoding, who, body }: Endpoint): number {
  if (encoding === 'multipart') return formBytes
  if (encoding === 'form' || !body) return inputLimits.formBytes
  return who === 'anybody' ? inputLimits.openJsonBytes : inputLimits.jsonBytes
}

async function admit(served: Served, call: Call): Promise<void> {
  const { endpoint, request, reply } = call
  // The token call's own credential is no session, and its answers must not depend on an older one.
  const principal =
    endpoint.name === 'grantToken' ? anonymous : await principalOf(served.app, request.headers.authorization)
  // A token that was made up costs a look into the database: it is counted as if there were none.
  if (principal.problem) await served.countStranger(request)
  request.principal = principal
  // Before anything is refused, so that refusals are counted too.
  served.countCall(request, reply)
  enter(served, call, principal)
  if (endpoint.fileBytes) await requireFileSpace(served.app, Number(request.headers['content-length'] ?? 0))
  await served.countCostly(request)
}

/** Throws what stands against it. */
function enter({ app }: Served, { endpoint, handler, request, reply }: Call, principal: Principal): void {
  request.principal = principal
  if (principal.caller) reply.header(headers.subject, subjectOf(principal.caller))
  checkForUser(principal, headerOf(request.headers, headers.forUser))
  if (endpoint.who !== 'anybody') requireCaller(principal)
  // A write asks for permission behind its idempotency store row (protocol 4), so that a repeat after a lost role is answered; but
  // nobody's file is opened who may not send one.
  if (endpoint.method === 'GET' || !handler || endpoint.secret || endpoint.encoding === 'multipart')
    permit(endpoint, principal)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (endpoint.method !== 'GET' && !endpoint.secret) checkRoom(app)
}

/** the embedded engine never comes back from a full disk, so it is not let near one. */
function checkRoom(app: AppContext): void {
  if (!app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
}

const wantsStream = ({ method, headers: { accept } }: FastifyRequest) =>
  method !== 'HEAD' && accept === 'application/x-ndjson'

async function answer(served: Served, call: Call): Promise<FastifyReply> {
  const { handler, request, reply } = call
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (handler.kind === 'procedure')
    return runProcedure(served, handler, await receivedOf(served.app, handler.endpoint, call), request, reply)
  if (handler.kind === 'list' && wantsStream(request)) return stream(served, handler, call)
  if (handler.endpoint.method !== 'GET') await served.countWrite(request)
  return sendCarried(reply, await carried(served.app, handler, call))
}

function onUndelivered({ raw, log }: FastifyReply, action: () => Promise<void>): void {
  let isFinished = false
  raw.once('finish', () => {
    isFinished = true
  })
  raw.once('close', () => {
    if (isFinished && raw.statusCode < 500) return
    void action().catch((error: unknown) => log.error({ err: error }, 'an undelivered response could not be undone'))
  })
}

type Plain = Exclude<Handler, { kind: 'procedure' }>

async function carried(app: AppContext, handler: Plain, call: Call): Promise<StoredResponse> {
  const { endpoint, request } = call
  const principal = request.principal ?? anonymous
  const received = await receivedOf(app, endpoint, call)
  if (endpoint.method !== 'GET') {
    const asking = { handler, path: request.url, headers: request.headers, received, principal }
    try {
      const written = await write(app, { ...asking, after: null, requestId: request.id })
      request.strays = written.strays
      return written.carried
    } finally {
      if (received.body.kind === 'parts') await discardParts(received.body.parts)
    }
  }
  return read(app, readingOf(handler, received, request))
}

function readingOf<H extends Plain>(handler: H, received: Received, request: FastifyRequest) {
  const principal = request.principal ?? anonymous
  const { input, strays } = parseInput(handler.endpoint, received)
  request.strays = strays
  const { sessionId } = principal
  return { handler, input, caller: requireCaller(principal), sessionId, requestId: request.id }
}

async function stream(
  { app, settings, downloads }: Served,
  handler: Plain & { kind: 'list' },
  call: Call,
): Promise<FastifyReply> {
  const { request, reply } = call
  const reading = readingOf(handler, await receivedOf(app, handler.endpoint, call), request)
  return sendStream(reply, {
    release: downloads.take('list', reading.caller),
    maxWaitMs: settings.pieceWaitMs,
    async open() {
      const { lines, asOf, change } = await streamList(app, reading)
      reply.header(headers.asOf, String(asOf)).header(headers.change, String(change))
      reply.type('application/x-ndjson; charset=utf-8')
      return lines
    },
  })
}

async function receivedOf(app: AppContext, endpoint: Endpoint, { request, reply }: Call): Promise<Received> {
  const { fileBytes } = endpoint
  const store = fileBytes === undefined ? null : { folder: await makeUploadFolder(app), fileBytes }
  const type = request.headers['content-type']
  const bytes = Buffer.isBuffer(request.body) ? request.body : null
  return placeId(endpoint, {
    params: request.params as Record<string, string>,
    query: queryPairs(request.url),
    body:
      endpoint.encoding === 'multipart'
        ? { kind: 'parts', parts: await readParts(request, reply, store) }
        : readBody(endpoint, type, bytes),
  })
}

async function runProcedure(
  { app, life, settings, downloads, countWrite }: Served,
  handler: Handler & { kind: 'procedure' },
  received: Received,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { input, strays } = parseInput(handler.endpoint, received)
  request.strays = strays
  const visit = {
    app,
    principal: request.principal ?? anonymous,
    headers: request.headers,
    url: request.url,
    raw: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    address: request.ip,
    now: app.clock(),
    requestId: request.id,
    language: languageOf(request.headers['accept-language']),
    countWrite: () => countWrite(request),
    // The socket and not the request: that one counts as destroyed as soon as its body is read.
    stopped: () => life.closing || request.raw.socket.destroyed,
    onUndelivered: (action: () => Promise<void>) => onUndelivered(reply, action),
  }
  if (request.method === 'HEAD' && handler.head) {
    const { status = 200, headers: own = {} } = await handler.head(visit, input as ParsedInputOf<Endpoint>)
    return reply.code(status).headers(own).send()
  }
  const ask = async () => {
    const said = await handler.procedure(visit, input as ParsedInputOf<Endpoint>)
    for (const cookie of said.cookies ?? []) reply.header('set-cookie', cookie)
    reply.headers(said.headers ?? {})
    return said
  }
  if (handler.download) {
    const release = downloads.take(handler.download(input), requireCaller(visit.principal))
    const open = async () => (await ask()).body as AsyncIterable<Piece>
    return sendStream(reply, { open, release, maxWaitMs: settings.pieceWaitMs })
  }
  const { status, body } = await ask()
  if (body instanceof Uint8Array) return reply.code(status ?? 200).send(Buffer.from(body))
  if (handler.endpoint.responseType === 'bytes')
    return sendStream(reply, {
      open: async () => body as AsyncIterable<Piece>,
      release: () => undefined,
      maxWaitMs: settings.pieceWaitMs,
    })
  if (status === 204 || handler.endpoint.output === null) return reply.code(status ?? 204).send()
  if (handler.endpoint.responseType === 'html')
    return reply
      .code(status ?? 200)
      .type('text/html; charset=utf-8')
      .send(body)
  return reply
    .code(status ?? 200)
    .type(json)
    .send(JSON.stringify(body))
}
