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
import { formBytes, readParts } from '#server/http/parts.ts'
import type { Counters } from '#server/http/guard.ts'
import type { Premises } from '#server/http/premises.ts'
import { isVoid, Seen } from '#server/http/seen.ts'
import { callerOf, checkForUser, permit, stranger, subjectOf, type Visitor, visitorOf } from '#server/http/session.ts'
import type { House } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'
import type { Handler } from '#server/routes/handlers.ts'
import { read, streamList } from '#server/read.ts'
import { write } from '#server/routes/write.ts'
import type { Carried } from '#server/write.ts'

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

type Served = Premises & Counters & { seen: Seen }
/** One request on its way. */
interface Call {
  endpoint: Endpoint
  handler: Handler | undefined
  request: FastifyRequest
  reply: FastifyReply
}

export function serve(
  app: FastifyInstance,
  premises: Omit<Served, 'seen'>,
  endpoints: readonly Endpoint[],
  handlers: readonly Handler[],
): void {
  const served = { ...premises, seen: new Seen() }
  const byName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  for (const endpoint of endpoints) {
    const handler = byName.get(endpoint.name)
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      ...(endpoint.encoding === 'multipart' ? { bodyLimit: formBytes } : {}),
      // Before the body is read: a megabyte of a stranger's is not parsed to be refused.
      onRequest: (request, reply) => admit(served, { endpoint, handler, request, reply }),
      handler: (request, reply) => answer(served, { endpoint, handler, request, reply }),
    })
  }
}

async function admit(served: Served, call: Call): Promise<void> {
  const { endpoint, handler, request } = call
  const known = takesWord(endpoint, handler, request)
    ? served.seen.find(authorizationOf(call), served.house.clock())
    : null
  if (known === null || !mayEnter(served, call, known)) await lookUp(served, call)
  await served.countCostly(request)
}

const authorizationOf = ({ request }: Call) => request.headers.authorization

/**
 * Where everything that is done or told is asked for in a transaction that somebody waits for: keyed or not, a write's
 * COMMIT; a list's rows, as far as they come from one transaction.
 */
const takesWord = (endpoint: Endpoint, handler: Handler | undefined, request: FastifyRequest): boolean =>
  endpoint.who !== 'anybody' &&
  !endpoint.secret &&
  (endpoint.method === 'GET' ? handler?.is === 'list' && !wantsStream(request) : handler?.is === 'service')

const wantsStream = (request: FastifyRequest) => request.headers.accept === 'application/x-ndjson'

/** A refusal is never told on the word of before: then it is looked up who asks. */
function mayEnter(served: Served, call: Call, known: Visitor): boolean {
  try {
    enter(served, call, known)
    return true
  } catch {
    return false
  }
}

async function lookUp(served: Served, call: Call): Promise<void> {
  const { endpoint, request, reply } = call
  const authorization = authorizationOf(call)
  // The token call's own credential is no session, and its answers must not depend on an older one.
  const visitor = endpoint.name === 'grantToken' ? stranger : await visitorOf(served.house, authorization)
  served.seen.keep(authorization, visitor)
  reply.removeHeader(headers.subject)
  // A token that was made up costs a look into the database: it is counted as if there were none.
  if (visitor.problem) await served.countStranger(request)
  enter(served, call, visitor)
}

/** Throws what stands against it. */
function enter({ house }: Served, { endpoint, handler, request, reply }: Call, visitor: Visitor): void {
  request.visitor = visitor
  if (visitor.caller) reply.header(headers.subject, subjectOf(visitor.caller))
  checkForUser(visitor, headerOf(request.headers, headers.forUser))
  if (endpoint.who !== 'anybody') callerOf(visitor)
  // A write asks for permission behind its ledger row (protocol 4), so that a repeat after a lost role is answered; but
  // nobody's file is opened who may not send one.
  if (endpoint.method === 'GET' || !handler || endpoint.secret || endpoint.encoding === 'multipart')
    permit(endpoint, visitor)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (endpoint.method !== 'GET' && !endpoint.secret) checkRoom(house)
}

/** the embedded engine never comes back from a full disk, so it is not let near one. */
function checkRoom(house: House): void {
  if (!house.database.hasRoom()) throw new ProblemError('STORAGE_FULL', null, 60)
}

async function answer(served: Served, call: Call): Promise<FastifyReply> {
  const { handler, request, reply } = call
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (handler.is === 'procedure')
    return conduct(served, handler, await receivedOf(handler.endpoint, request), request, reply)
  if (handler.is === 'list' && wantsStream(request)) return stream(served.house, handler, request, reply)
  const carry = () => carried(served.house, handler, request)
  return sendCarried(reply, await (request.visitor?.word ? onWord(served, call, carry) : carry()))
}

/**
 * On the word of before. What is no success may come of the word: then it is looked up who asks, and where that is somebody
 * else by now, all of it is done again.
 */
async function onWord(served: Served, call: Call, carry: () => Promise<Carried>): Promise<Carried> {
  const before = call.request.visitor
  const [first] = await Promise.allSettled([carry()])
  if (first.status === 'fulfilled' && first.value.status < 400) return first.value
  await lookUp(served, call)
  const failure: unknown = first.status === 'rejected' ? first.reason : null
  if (isVoid(before, call.request.visitor, failure)) return carry()
  if (first.status === 'rejected') throw failure
  return first.value
}

type Plain = Exclude<Handler, { is: 'procedure' }>

async function carried(house: House, handler: Plain, request: FastifyRequest): Promise<Carried> {
  const { endpoint } = handler
  const visitor = request.visitor ?? stranger
  const received = await receivedOf(endpoint, request)
  if (endpoint.method !== 'GET') {
    const asking = { handler, path: request.url, headers: request.headers, received, visitor }
    const written = await write(house, { ...asking, after: null, requestId: request.id })
    request.strays = written.strays
    return written.carried
  }
  return read(house, readingOf(handler, received, request))
}

function readingOf<H extends Plain>(handler: H, received: Received, request: FastifyRequest) {
  const visitor = request.visitor ?? stranger
  const { input, strays } = parseInput(handler.endpoint, received)
  request.strays = strays
  return { handler, input, caller: callerOf(visitor), word: visitor.word, requestId: request.id }
}

async function stream(
  house: House,
  handler: Plain & { is: 'list' },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const reading = readingOf(handler, await receivedOf(handler.endpoint, request), request)
  const { lines, asOf, change } = await streamList(house, reading)
  reply.header(headers.asOf, String(asOf)).header(headers.change, String(change))
  return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines))
}

async function receivedOf(endpoint: Endpoint, request: FastifyRequest): Promise<Received> {
  const type = request.headers['content-type']
  const bytes = Buffer.isBuffer(request.body) ? request.body : null
  return {
    params: request.params as Record<string, string>,
    query: queryPairs(request.url),
    body:
      endpoint.encoding === 'multipart'
        ? { is: 'parts', parts: await readParts(type, bytes) }
        : readBody(endpoint, type, bytes),
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
    url: request.url,
    raw: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
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
  if (handler.endpoint.answers === 'bytes') return reply.code(status ?? 200).send(Buffer.from(body as Uint8Array))
  if (status === 204 || handler.endpoint.output === null) return reply.code(status ?? 204).send()
  if (handler.endpoint.answers === 'html')
    return reply
      .code(status ?? 200)
      .type('text/html; charset=utf-8')
      .send(body)
  return reply
    .code(status ?? 200)
    .type(json)
    .send(JSON.stringify(body))
}
