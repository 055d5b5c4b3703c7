/**
 * Packages in pieces (tus 1.0), beside the table of calls: neither the idempotency store nor the worker knows of them. Who asks is
 * told by the bearer of each request, so a token that was renewed in between goes on; another's upload is not there (U-13).
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { uploadApp } from '#contract/apps.ts'
import { headers as names } from '#contract/headers.ts'
import type { HttpContext } from '#server/http/context.ts'
import { anonymous, checkForUser, permit, principalOf, requireCaller, subjectOf } from '#server/http/authenticate.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import { headerOf } from '#server/http/input/parse.ts'
import type { Counters } from '#server/http/request-guard.ts'
import { notFound, unavailable } from '#server/problems/problem-error.ts'
import type { TusCall, TusServer } from '#server/use-cases/uploads/tus.ts'
import { isUploadId, tusPath } from '#server/use-cases/uploads/upload-files.ts'

/** Of all users, on this node. */
const maxAtOnce = 40

const passed = ['tus-resumable', 'content-type', 'content-length']
const told = /^(tus-resumable|location|cache-control|upload-[a-z-]+)$/

export function serveTusUploads(
  fastify: FastifyInstance,
  { app, settings, countStranger, countCall, countCostly }: HttpContext & Counters,
) {
  let atWork = 0
  let serve: Promise<TusServer> | undefined
  // Few ever upload: what that takes is loaded when it is first done.
  const loaded = () => (serve ??= import('#server/use-cases/uploads/tus.ts').then(({ tusServer }) => tusServer(app)))

  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    takePlace(reply)
    const principal = await principalOf(app, request.headers.authorization)
    request.principal = principal
    countCall(request, reply)
    if (principal.problem) await countStranger(request)
    if (principal.caller) reply.header(names.subject, subjectOf(principal.caller))
    checkForUser(principal, headerOf(request.headers, names.forUser))
    requireCaller(principal)
    permit(uploadApp, principal)
    await countCostly(request)
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id = null } = request.params as { id?: string }
    if (id !== null && !isUploadId(id)) throw notFound()
    const isStream = request.body instanceof Readable
    if (isStream) endIdle(request)
    const serveUpload = await loaded()
    if (isStream) countPieces(request.raw, () => request.raw.destroy())
    const response = await serveUpload({
      caller: requireCaller(request.principal ?? anonymous),
      requestId: request.id,
      method: request.method as TusCall['method'],
      id,
      headers: headersOf(request),
      body: isStream ? (Readable.toWeb(request.raw) as TusCall['body']) : null,
    }).catch((error: unknown) => {
      // Nobody reads the rest, so the connection cannot carry another request.
      if (isStream && !request.raw.readableEnded) reply.header('connection', 'close')
      request.raw.resume()
      throw error
    })
    for (const [name, value] of response.headers) if (told.test(name)) reply.header(name, value)
    return reply.code(response.status).send()
  }

  /** Before the database is asked anything: a thousand pieces at once would keep everybody else from it. */
  function takePlace({ raw }: FastifyReply): void {
    if (atWork >= maxAtOnce) throw unavailable(2)
    atWork += 1
    raw.once('close', () => {
      atWork -= 1
    })
  }

  /** Whoever sends nothing for so long holds the upload for nobody. */
  function endIdle({ raw }: FastifyRequest): void {
    raw.setTimeout(settings.uploadIdleMs, () => raw.destroy())
    raw.once('end', () => raw.setTimeout(0))
  }

  fastify.register(async (inner) => {
    inner.addContentTypeParser('application/offset+octet-stream', (_request, payload, done) => done(null, payload))
    // A new one costs as much as one in a form, its pieces cost nothing.
    const config = { endpoint: uploadApp, isStreamed: true }
    for (const url of [tusPath, `${tusPath}/`])
      inner.route({ method: 'POST', url, config, onRequest: admit, handler: answer })
    const pieces = { url: `${tusPath}/:id`, config: { isStreamed: true }, onRequest: admit, handler: answer }
    inner.route({ ...pieces, method: ['HEAD', 'PATCH', 'DELETE'] })
  })
}

function headersOf({ headers }: FastifyRequest): Headers {
  const given = Object.entries(headers).filter(([name]) => passed.includes(name) || name.startsWith('upload-'))
  return new Headers(given.map(([name, value]): [string, string] => [name, String(value)]))
}
