/**
 * The table becomes routes: who asks, may they, what was sent, the handler, the answer as its schema says. Every endpoint
 * of the table has a route; one without a handler says NOT_SUPPORT to those who may ask it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { json, sendCarried } from '#server/http/answers.ts'
import { languageOf } from '#server/errors.ts'
import { headerOf, parseInput, queryPairs, readBody, type Received } from '#server/http/input.ts'
import type { CountStranger } from '#server/http/guard.ts'
import type { Premises } from '#server/http/premises.ts'
import { callerOf, checkForUser, permit, stranger, subjectOf, type Visitor, visitorOf } from '#server/http/session.ts'
import type { House } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'
import type { Handler } from '#server/routes/handlers.ts'
import { read, streamList } from '#server/read.ts'
import { write } from '#server/routes/write.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until somebody asked who it is. */
    visitor: Visitor | null
    /** Fields that were sent and not known (S-01). */
    strays: number
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}

type Served = Premises & { countStranger: CountStranger }

export function serve(
  app: FastifyInstance,
  premises: Served,
  endpoints: readonly Endpoint[],
  handlers: readonly Handler[],
): void {
  const byName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  for (const endpoint of endpoints) {
    const handler = byName.get(endpoint.name)
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      // Before the body is read: a megabyte of a stranger's is not parsed to be refused.
      onRequest: (request, reply) => admit(premises, endpoint, handler, request, reply),
      handler: (request, reply) => answer(premises, handler, request, reply),
    })
  }
}

async function admit(
  { house, countStranger }: Served,
  endpoint: Endpoint,
  handler: Handler | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // The token call's own credential is no session, and its answers must not depend on an older one.
  const isToken = endpoint.name === 'grantToken'
  const visitor = isToken ? stranger : await visitorOf(house, request.headers.authorization)
  request.visitor = visitor
  // A token that was made up costs a look into the database: it is counted as if there were none.
  if (visitor.problem) await countStranger(request)
  if (visitor.caller) reply.header(headers.subject, subjectOf(visitor.caller))
  checkForUser(visitor, headerOf(request.headers, headers.forUser))
  if (endpoint.who !== 'anybody') callerOf(visitor)
  // A write asks for permission behind its ledger row (protocol 4), so that a repeat after a lost role is answered.
  if (endpoint.method === 'GET' || !handler || endpoint.secret) permit(endpoint, visitor)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (endpoint.method !== 'GET' && !endpoint.secret) checkRoom(house)
}

/** the embedded engine never comes back from a full disk, so it is not let near one. */
function checkRoom(house: House): void {
  if (!house.database.hasRoom()) throw new ProblemError('STORAGE_FULL', null, 60)
}

async function answer(
  premises: Premises,
  handler: Handler | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  const { endpoint } = handler
  const visitor = request.visitor ?? stranger
  const received = receivedOf(endpoint, request)
  if (handler.is === 'procedure') return conduct(premises, handler, received, request, reply)
  const { house } = premises
  if (endpoint.method !== 'GET') {
    const asking = { handler, path: request.url, headers: request.headers, received, visitor }
    const { carried, strays } = await write(house, { ...asking, after: null, requestId: request.id })
    request.strays = strays
    return sendCarried(reply, carried)
  }
  const { input, strays } = parseInput(endpoint, received)
  request.strays = strays
  const reading = { handler, input, caller: callerOf(visitor), requestId: request.id }
  if (handler.is === 'list' && request.headers.accept === 'application/x-ndjson') {
    const { lines, asOf, change } = await streamList(house, { ...reading, handler })
    reply.header(headers.asOf, String(asOf)).header(headers.change, String(change))
    return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines))
  }
  return sendCarried(reply, await read(house, reading))
}

function receivedOf(endpoint: Endpoint, request: FastifyRequest): Received {
  return {
    params: request.params as Record<string, string>,
    query: queryPairs(request.url),
    body: readBody(endpoint, request.headers['content-type'], Buffer.isBuffer(request.body) ? request.body : null),
  }
}

async function conduct(
  { house, life }: Premises,
  handler: Handler & { is: 'procedure' },
  received: Received,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { input, strays } = parseInput(handler.endpoint, received)
  request.strays = strays
  const visit = {
    house,
    visitor: request.visitor ?? stranger,
    headers: request.headers,
    address: request.ip,
    now: house.clock(),
    requestId: request.id,
    language: languageOf(request.headers['accept-language']),
    // The socket and not the request: that one counts as destroyed as soon as its body is read.
    stopped: () => life.closing || request.raw.socket.destroyed,
  }
  const { status, body, headers: said = {}, cookies = [] } = await handler.procedure(visit, input as InputOf<Endpoint>)
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  reply.headers(said)
  if (status === 204 || handler.endpoint.output === null) return reply.code(status ?? 204).send()
  return reply
    .code(status ?? 200)
    .type(json)
    .send(JSON.stringify(body))
}
