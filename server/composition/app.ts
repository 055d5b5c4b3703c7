/** The server as a list: what it is built of, in the order in which a request meets it. It does not listen. */
import fastifyCompress from '@fastify/compress'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifyWebsocket from '@fastify/websocket'
import createFastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:zlib'
import { endpoints } from '#contract/index.ts'
import { trustsHop } from '#server/shares/client-address.ts'
import { endIdleResponse } from '#server/http/idle-response.ts'
import { sendProblem } from '#server/http/responses.ts'
import { serveBuilds } from '#server/http/client-builds.ts'
import type { Demo } from '#server/composition/demo.ts'
import { createLimitedServer } from '#server/http/flood-limits.ts'
import { guard } from '#server/http/request-guard.ts'
import { protect } from '#server/http/security-headers.ts'
import { notFoundOrNotAllowed } from '#server/http/not-found.ts'
import { openApi } from '#server/http/openapi/routes.ts'
import { type HttpContext, readBuild, type Settings, usualSettings } from '#server/http/context.ts'
import { servePages } from '#server/http/static-files.ts'
import { serveProgress, websocketOptions } from '#server/http/progress-socket.ts'
import { answerGarbage } from '#server/http/client-error.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import type { AppContext } from '#server/context/context.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { accounts } from '#server/routes/accounts.ts'
import { apps } from '#server/routes/apps.ts'
import { assets } from '#server/routes/assets.ts'
import { activation } from '#server/routes/activation.ts'
import { backups } from '#server/routes/backups.ts'
import { batch } from '#server/routes/writes/batch.ts'
import { calendars } from '#server/routes/calendars.ts'
import { companies } from '#server/routes/companies.ts'
import { entrance } from '#server/routes/entrance.ts'
import { factors } from '#server/routes/factors.ts'
import type { Handler } from '#server/http/route-handler.ts'
import { serveHealth } from '#server/routes/health.ts'
import { modules } from '#server/routes/modules.ts'
import { orders } from '#server/routes/orders.ts'
import { payments } from '#server/routes/payments.ts'
import { prices } from '#server/routes/prices.ts'
import { prints } from '#server/routes/prints.ts'
import { queries } from '#server/routes/existence.ts'
import { requests } from '#server/routes/writes/request-status.ts'
import { services } from '#server/routes/services.ts'
import { serve } from '#server/routes/register.ts'
import { sessions } from '#server/routes/sessions.ts'
import { signIn } from '#server/routes/sign-in.ts'
import { serveTusUploads } from '#server/routes/tus-uploads.ts'
import { trail } from '#server/routes/audit-trail.ts'
import { users } from '#server/routes/users.ts'
import { visitors } from '#server/routes/public.ts'
import { warmUp } from '#server/use-cases/accounts/password-hash.ts'

/** Longer than proxies keep a connection. */
const serverOptions = { maxHeaderSize: 16_384, requestTimeout: 30_000, keepAliveTimeout: 72_000 }

/** `demo`: what it serves as well; null: nothing. */
export function buildApp(
  app: AppContext,
  settings: Partial<Settings> = {},
  demo: Pick<Demo, 'servePages'> | null = null,
): FastifyInstance {
  const { clientDir } = app.config
  const all = { ...usualSettings, ...(clientDir ? { dist: clientDir } : {}), ...settings }
  const http: HttpContext = { app, settings: all, build: readBuild(all.dist), life: { closing: false } }
  const { config } = app
  const { stripeKey, cardFrame } = app.payments
  const protection = {
    tls: config.tls,
    styleNonce: http.build.styleNonce,
    cards: stripeKey !== null,
    cardFrameOrigin: cardFrame === null ? null : new URL(cardFrame).origin,
  }
  const fastify: FastifyInstance = createFastify({
    loggerInstance: app.log as FastifyBaseLogger,
    // The instance's type would carry pino's own into every signature below.
    // One line per answer, written below: Fastify's own would carry raw addresses.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: trustsHop(config.trustProxy),
    bodyLimit: inputLimits.jsonBytes,
    // Fastify leaves a server of ours as it is.
    serverFactory: (handle) => createLimitedServer(handle, serverOptions, all.floods, config),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: answerGarbage,
    frameworkErrors: (error, request, reply) => {
      protect(request, reply, protection)
      sendProblem(request, reply, error)
    },
  })
  fastify.decorateRequest('principal', null)
  fastify.decorateRequest('strays', 0)

  // Bytes for everybody: each endpoint says by its own schemas what it takes (S-03).
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    // Nobody reads the rest, so the connection goes with it.
    if (!request.routeOptions.config.isStreamed)
      countPieces(request.raw, (problem) => void request.raw.destroy(problem))
    done(null, payload)
  })

  fastify.addHook('preClose', async () => {
    http.life.closing = true
  })
  fastify.addHook('onSend', async (request, reply) => {
    protect(request, reply, protection)
    endIdleResponse(request.raw.socket, all.responseIdleMs)
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const { principal, strays } = request
    request.log.info(
      {
        user: principal?.caller?.userId ?? null,
        tenant: principal?.caller?.companyId ?? null,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...(strays > 0 ? { strays } : {}),
      },
      'answered',
    )
  })
  // The first stranger's wrong password must not take longer than the second's (S-32).
  fastify.addHook('onReady', () => warmUp(config.argon2))
  fastify.setErrorHandler((error, request, reply) => sendProblem(request, reply, error))

  fastify.register(fastifyRateLimit, { global: false })
  fastify.register(fastifyWebsocket, websocketOptions)
  fastify.register(fastifyCompress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
  fastify.register(async (inner) => {
    const counters = guard(inner, http)
    inner.setNotFoundHandler(notFoundOrNotAllowed(http, endpoints))
    const handlers = handlersOf(http)
    serve(inner, { ...http, ...counters }, endpoints, handlers)
    serveProgress(inner, http)
    serveTusUploads(inner, { ...http, ...counters })
    serveHealth(inner, http)
    serveBuilds(inner, http)
    openApi(inner, endpoints, config)
    demo?.servePages(inner, app)
    servePages(inner, http)
  })
  return fastify
}

/** What is built so far. The other endpoints of the table say that they are not. */
export function handlersOf(http: Pick<HttpContext, 'build'>): Handler[] {
  const handlers = [
    ...signIn,
    ...activation,
    ...visitors,
    ...accounts(http),
    ...factors,
    ...sessions,
    ...assets,
    ...companies,
    ...entrance,
    ...queries,
    ...users,
    ...modules,
    ...apps,
    ...prices,
    ...orders,
    ...prints,
    ...backups,
    ...services,
    ...calendars,
    ...payments,
    ...trail,
    ...requests,
  ]
  return [...handlers, ...batch(handlers)]
}
