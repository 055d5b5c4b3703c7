import fastifyCompress from '@fastify/compress'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifyWebsocket from '@fastify/websocket'
import createFastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:zlib'
import { endpoints } from '#contract/index.ts'
import { createHopTrust } from '#server/shares/client-address.ts'
import { endIdleResponse } from '#server/http/idle-response.ts'
import { sendProblem } from '#server/http/responses.ts'
import { serveBuilds } from '#server/http/client-builds.ts'
import type { DemoExtension } from '#server/composition/demo.ts'
import { createLimitedServer } from '#server/http/flood-limits.ts'
import { guardRequests } from '#server/http/request-guard.ts'
import { setSecurityHeaders } from '#server/http/security-headers.ts'
import { createNotFoundHandler } from '#server/http/not-found.ts'
import { serveOpenApi } from '#server/http/openapi/openapi-routes.ts'
import { type HttpContext, readClientBuild, type HttpSettings, defaultHttpSettings } from '#server/http/http-context.ts'
import { serveStaticFiles } from '#server/http/static-files.ts'
import { serveProgress, websocketOptions } from '#server/http/progress-socket.ts'
import { sendClientError } from '#server/http/client-error.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import type { AppContext } from '#server/context/context.ts'
import { createLifecycle, type Lifecycle } from '#server/context/lifecycle.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { createAccountHandlers } from '#server/routes/accounts.ts'
import { appHandlers } from '#server/routes/apps.ts'
import { assetHandlers } from '#server/routes/assets.ts'
import { activationHandlers } from '#server/routes/activation.ts'
import { backupHandlers } from '#server/routes/backups.ts'
import { createBatchHandlers } from '#server/routes/writes/batch.ts'
import { calendarHandlers } from '#server/routes/calendars.ts'
import { companyHandlers } from '#server/routes/companies.ts'
import { customerHandlers } from '#server/routes/customers.ts'
import { entranceHandlers } from '#server/routes/entrance.ts'
import { factorHandlers } from '#server/routes/factors.ts'
import type { EndpointHandler } from '#server/http/route-handler.ts'
import { serveHealth } from '#server/routes/health.ts'
import { moduleHandlers } from '#server/routes/modules.ts'
import { orderHandlers } from '#server/routes/orders.ts'
import { paymentHandlers } from '#server/routes/payments.ts'
import { bankTransferHandlers } from '#server/routes/transfers/bank-transfers.ts'
import { creditHandlers } from '#server/routes/transfers/credit.ts'
import { priceHandlers } from '#server/routes/prices.ts'
import { printHandlers } from '#server/routes/prints.ts'
import { existenceHandlers } from '#server/routes/existence.ts'
import { requestStatusHandlers } from '#server/routes/writes/request-status.ts'
import { serviceHandlers } from '#server/routes/services.ts'
import { registerEndpoints } from '#server/routes/register-endpoints.ts'
import { sessionHandlers } from '#server/routes/sessions.ts'
import { signInHandlers } from '#server/routes/sign-in.ts'
import { serveTusUploads } from '#server/routes/tus-uploads.ts'
import { auditTrailHandlers } from '#server/routes/audit-trail.ts'
import { notificationHandlers } from '#server/routes/notifications/notification-routes.ts'
import { userHandlers } from '#server/routes/users.ts'
import { publicHandlers } from '#server/routes/public.ts'
import { createBuildPublisher } from '#server/use-cases/client-builds/publish-build.ts'
import { createPublishedAssets } from '#server/use-cases/client-builds/published-assets.ts'
import { prepareDummyHash } from '#server/use-cases/accounts/password-hash.ts'

/**
 * Maximum size of the headers in bytes, and timeouts in ms. The keep-alive timeout is longer than the time for which proxies keep an idle
 * connection.
 */
const serverOptions = { maxHeaderSize: 16_384, requestTimeout: 30_000, keepAliveTimeout: 72_000 }

export function buildApp(
  app: AppContext,
  settings: Partial<HttpSettings> = {},
  demo: Pick<DemoExtension, 'servePages'> | null = null,
  lifecycle: Lifecycle = createLifecycle(),
): FastifyInstance {
  const { clientDir } = app.config
  const allSettings = { ...defaultHttpSettings, ...(clientDir ? { dist: clientDir } : {}), ...settings }
  const build = readClientBuild(allSettings.dist)
  const publisher = createBuildPublisher(app, { ...build, dist: allSettings.dist })
  if (allSettings.publishesClient) lifecycle.isPublished = () => publisher.isPublished()
  const http: HttpContext = {
    app,
    settings: allSettings,
    build,
    assets: { find: createPublishedAssets(app), publisher },
    lifecycle,
  }
  const { config } = app
  const { stripeKey, cardFrame } = app.payments
  const protection = {
    tls: config.tls,
    styleNonce: http.build.styleNonce,
    hasCardFields: stripeKey !== null,
    cardFrameOrigin: cardFrame === null ? null : new URL(cardFrame).origin,
  }
  const fastify: FastifyInstance = createFastify({
    loggerInstance: app.log as FastifyBaseLogger,
    // The cast keeps pino's own type out of the signatures below. Fastify's own log lines are turned off, because they would contain raw
    // addresses. The code below logs one line per response.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: createHopTrust(config.trustProxy),
    bodyLimit: inputLimits.jsonBytes,
    // Fastify does not set these options on a server that `serverFactory` creates.
    serverFactory: (handle) => createLimitedServer(handle, serverOptions, allSettings.floods, config),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: sendClientError,
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply, protection)
      sendProblem(request, reply, error)
    },
  })
  fastify.decorateRequest('principal', null)
  fastify.decorateRequest('unknownFieldCount', 0)

  // Every body is read as bytes. The schemas of each endpoint decide which content it accepts (S-03).
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    // The connection is closed, because nothing reads the rest of the body.
    if (!request.routeOptions.config.isStreamed)
      countPieces(request.raw, (problem) => void request.raw.destroy(problem))
    done(null, payload)
  })

  fastify.addHook('preClose', async () => {
    lifecycle.phase = 'closing'
  })
  fastify.addHook('onSend', async (request, reply) => {
    setSecurityHeaders(request, reply, protection)
    // Clients and proxies then send their next request over a new connection, which a load balancer leads to another node.
    if (lifecycle.phase !== 'running') reply.header('connection', 'close')
    endIdleResponse(request.raw.socket, allSettings.responseIdleMs)
  })
  fastify.addHook('onResponse', logResponse)
  // Prepared at the start, so that the first sign-in with an unknown account does not take longer than later ones (S-32).
  fastify.addHook('onReady', () => prepareDummyHash(config.argon2))
  if (allSettings.publishesClient) {
    fastify.addHook('onReady', () => publisher.start())
    fastify.addHook('onClose', () => publisher.stop())
  }
  fastify.setErrorHandler((error, request, reply) => sendProblem(request, reply, error))

  fastify.register(fastifyRateLimit, { global: false })
  fastify.register(fastifyWebsocket, websocketOptions)
  fastify.register(fastifyCompress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
  fastify.register(async (inner) => {
    const counters = guardRequests(inner, http)
    inner.setNotFoundHandler(createNotFoundHandler(http, endpoints))
    const handlers = createHandlers(http)
    registerEndpoints(inner, { ...http, ...counters }, endpoints, handlers)
    serveProgress(inner, http)
    serveTusUploads(inner, { ...http, ...counters })
    serveHealth(inner, http)
    serveBuilds(inner, http)
    serveOpenApi(inner, endpoints, config)
    demo?.servePages(inner, app)
    serveStaticFiles(inner, http)
  })
  return fastify
}

async function logResponse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { principal, unknownFieldCount } = request
  request.log.info(
    {
      event: 'request_completed',
      user: principal?.caller?.userId ?? null,
      tenant: principal?.caller?.companyId ?? null,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(unknownFieldCount > 0 ? { unknownFields: unknownFieldCount } : {}),
    },
    'request completed',
  )
}

/** Returns the handlers of all endpoints. */
export function createHandlers(http: Pick<HttpContext, 'build'>): EndpointHandler[] {
  const handlers = [
    ...signInHandlers,
    ...activationHandlers,
    ...publicHandlers,
    ...createAccountHandlers(http),
    ...factorHandlers,
    ...sessionHandlers,
    ...notificationHandlers,
    ...assetHandlers,
    ...companyHandlers,
    ...customerHandlers,
    ...entranceHandlers,
    ...existenceHandlers,
    ...userHandlers,
    ...moduleHandlers,
    ...appHandlers,
    ...priceHandlers,
    ...orderHandlers,
    ...printHandlers,
    ...backupHandlers,
    ...serviceHandlers,
    ...calendarHandlers,
    ...paymentHandlers,
    ...bankTransferHandlers,
    ...creditHandlers,
    ...auditTrailHandlers,
    ...requestStatusHandlers,
  ]
  return [...handlers, ...createBatchHandlers(handlers)]
}
