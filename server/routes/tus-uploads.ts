/**
 * Serves package uploads in pieces (tus 1.0), outside of the contract's endpoints: neither the idempotency store nor the service worker
 * handles them. Each request has its own access token, so an upload continues after a renewal. Another user's upload is treated as missing
 * (U-13).
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { uploadApp } from '#contract/staff/apps.ts'
import { headers as names } from '#contract/headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import {
  anonymousPrincipal,
  checkForUser,
  checkPermission,
  authenticate,
  requireCaller,
  getSubject,
} from '#server/http/authenticate.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import { getHeader } from '#server/http/input/parse.ts'
import type { RequestCounters } from '#server/http/request-guard.ts'
import { createNotFoundProblem, createUnavailableProblem } from '#server/problems/problem-error.ts'
import type { TusCall, TusServer } from '#server/use-cases/uploads/tus.ts'
import { isUploadId, tusPath } from '#server/use-cases/uploads/upload-files.ts'

const maxConcurrent = 40

const passedHeaders = ['tus-resumable', 'content-type', 'content-length']
const responseHeaderPattern = /^(tus-resumable|location|cache-control|upload-[a-z-]+)$/

export function serveTusUploads(
  fastify: FastifyInstance,
  { app, settings, countAnonymous, countCall, countCostly }: HttpContext & RequestCounters,
) {
  let activeCount = 0
  let serverPromise: Promise<TusServer> | undefined
  // Few users ever upload packages, so this code is loaded on first use.
  const loadServer = () =>
    (serverPromise ??= import('#server/use-cases/uploads/tus.ts').then(({ createTusServer: tusServer }) =>
      tusServer(app),
    ))

  async function admitRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    claimSlot(reply)
    const principal = await authenticate(app, request.headers.authorization)
    request.principal = principal
    countCall(request, reply)
    if (principal.problem) await countAnonymous(request)
    if (principal.caller) reply.header(names.subject, getSubject(principal.caller))
    checkForUser(principal, getHeader(request.headers, names.forUser))
    requireCaller(principal)
    checkPermission(uploadApp, principal)
    await countCostly(request)
  }

  async function handleRequest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { id = null } = request.params as { id?: string }
    if (id !== null && !isUploadId(id)) throw createNotFoundProblem()
    const isStream = request.body instanceof Readable
    if (isStream) endIdle(request)
    const serveUpload = await loadServer()
    if (isStream) countPieces(request.raw, () => request.raw.destroy())
    const response = await serveUpload({
      caller: requireCaller(request.principal ?? anonymousPrincipal),
      requestId: request.id,
      method: request.method as TusCall['method'],
      id,
      headers: selectHeaders(request),
      body: isStream ? (Readable.toWeb(request.raw) as TusCall['body']) : null,
    }).catch((error: unknown) => {
      // The rest of the body is not read, so the connection cannot carry another request.
      if (isStream && !request.raw.readableEnded) reply.header('connection', 'close')
      request.raw.resume()
      throw error
    })
    for (const [name, value] of response.headers) if (responseHeaderPattern.test(name)) reply.header(name, value)
    return reply.code(response.status).send()
  }

  /**
   * Limits the number of requests. Runs before any database query, because a thousand pieces at the same time would block other requests.
   */
  function claimSlot({ raw }: FastifyReply): void {
    if (activeCount >= maxConcurrent) throw createUnavailableProblem(2)
    activeCount += 1
    raw.once('close', () => {
      activeCount -= 1
    })
  }

  /** Closes a connection that sends nothing for `uploadIdleMs`, so that it does not block the upload. */
  function endIdle({ raw }: FastifyRequest): void {
    raw.setTimeout(settings.uploadIdleMs, () => raw.destroy())
    raw.once('end', () => raw.setTimeout(0))
  }

  fastify.register(async (inner) => {
    inner.addContentTypeParser('application/offset+octet-stream', (_request, payload, done) => done(null, payload))
    // A new upload is counted as `uploadApp`, like an upload from a form. Its pieces are not counted.
    const config = { endpoint: uploadApp, isStreamed: true }
    for (const url of [tusPath, `${tusPath}/`])
      inner.route({ method: 'POST', url, config, onRequest: admitRequest, handler: handleRequest })
    const pieces = {
      url: `${tusPath}/:id`,
      config: { isStreamed: true },
      onRequest: admitRequest,
      handler: handleRequest,
    }
    inner.route({ ...pieces, method: ['HEAD', 'PATCH', 'DELETE'] })
  })
}

function selectHeaders({ headers }: FastifyRequest): Headers {
  const entries = Object.entries(headers).filter(([name]) => passedHeaders.includes(name) || name.startsWith('upload-'))
  return new Headers(entries.map(([name, value]): [string, string] => [name, String(value)]))
}
