/** The server as a list: what it is built of, in the order in which a request meets it. It does not listen. */
import fastifyCompress from '@fastify/compress'
import fastifyRateLimit from '@fastify/rate-limit'
import fastifyWebsocket from '@fastify/websocket'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:zlib'
import { endpoints } from '#contract/index.ts'
import { sendProblem } from '#server/http/answers.ts'
import { serveBuilds } from '#server/http/builds.ts'
import { devMail } from '#server/http/dev-mail.ts'
import { guard } from '#server/http/guard.ts'
import { protect } from '#server/http/headers.ts'
import { notFoundOrNotAllowed } from '#server/http/missing.ts'
import { openApi } from '#server/http/openapi.ts'
import { type Premises, readBuild, type Settings, usualSettings } from '#server/http/premises.ts'
import { servePages } from '#server/http/pages.ts'
import { serveProgress, websocketOptions } from '#server/http/progress.ts'
import { answerGarbage } from '#server/http/socket.ts'
import type { House } from '#server/house.ts'
import { accounts } from '#server/routes/accounts.ts'
import { apps } from '#server/routes/apps.ts'
import { assets } from '#server/routes/assets.ts'
import { activation } from '#server/routes/activation.ts'
import { backups } from '#server/routes/backups.ts'
import { batch } from '#server/routes/batch.ts'
import { calendars } from '#server/routes/calendars.ts'
import { companies } from '#server/routes/companies.ts'
import { entrance } from '#server/routes/entrance.ts'
import { factors } from '#server/routes/factors.ts'
import type { Handler } from '#server/routes/handlers.ts'
import { serveHealth } from '#server/routes/health.ts'
import { modules } from '#server/routes/modules.ts'
import { orders } from '#server/routes/orders.ts'
import { payments } from '#server/routes/payments.ts'
import { prices } from '#server/routes/prices.ts'
import { prints } from '#server/routes/prints.ts'
import { queries } from '#server/routes/queries.ts'
import { requests } from '#server/routes/requests.ts'
import { serve } from '#server/routes/serve.ts'
import { sessions } from '#server/routes/sessions.ts'
import { signIn } from '#server/routes/sign-in.ts'
import { trail } from '#server/routes/trail.ts'
import { users } from '#server/routes/users.ts'
import { visitors } from '#server/routes/visitors.ts'
import { warmUp } from '#server/services/hashing.ts'

const megabyte = 1_048_576

export function buildApp(house: House, settings: Partial<Settings> = {}): FastifyInstance {
  const { clientDir } = house.config
  const all = { ...usualSettings, ...(clientDir ? { dist: clientDir } : {}), ...settings }
  const premises: Premises = { house, settings: all, build: readBuild(all.dist), life: { closing: false } }
  const { config } = house
  const cards = house.payments.stripeKey !== null
  const protection = { tls: config.tls, styleNonce: premises.build.styleNonce, cards }
  const app: FastifyInstance = fastify({
    loggerInstance: house.log as FastifyBaseLogger,
    // The instance's type would carry pino's own into every signature below.
    // One line per answer, written below: Fastify's own would carry raw addresses.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    // Hop 0 is whoever holds the socket.
    trustProxy: (_address, hop) => hop < config.trustProxy,
    bodyLimit: megabyte,
    requestTimeout: 30_000,
    http: { maxHeaderSize: 16_384 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    clientErrorHandler: answerGarbage,
    frameworkErrors: (error, request, reply) => {
      protect(request, reply, protection)
      sendProblem(request, reply, error)
    },
  })
  app.decorateRequest('visitor', null)
  app.decorateRequest('strays', 0)

  // Bytes for everybody: each endpoint says by its own schemas what it takes (S-03).
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('preClose', async () => {
    premises.life.closing = true
  })
  app.addHook('onSend', async (request, reply) => protect(request, reply, protection))
  app.addHook('onResponse', async (request, reply) => {
    const { visitor, strays } = request
    request.log.info(
      {
        user: visitor?.caller?.userId ?? null,
        tenant: visitor?.caller?.companyId ?? null,
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
  app.addHook('onReady', () => warmUp(config.argon2))
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error))

  app.register(fastifyRateLimit, { global: false })
  app.register(fastifyWebsocket, websocketOptions)
  app.register(fastifyCompress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  })
  app.register(async (inner) => {
    const counters = guard(inner, premises)
    inner.setNotFoundHandler(notFoundOrNotAllowed(premises, endpoints))
    const handlers = handlersOf(premises)
    serve(inner, { ...premises, ...counters }, endpoints, handlers)
    serveProgress(inner, premises)
    serveHealth(inner, premises)
    serveBuilds(inner, premises)
    openApi(inner, endpoints)
    devMail(inner, premises)
    servePages(inner, premises)
  })
  return app
}

/** What is built so far. The other endpoints of the table say that they are not. */
export function handlersOf(premises: Pick<Premises, 'build'>): Handler[] {
  const handlers = [
    ...signIn,
    ...activation,
    ...visitors,
    ...accounts(premises),
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
    ...calendars,
    ...payments,
    ...trail,
    ...requests,
  ]
  return [...handlers, ...batch(handlers)]
}
