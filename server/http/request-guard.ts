/** What every request meets first: its id and key echoed, then whatever is refused before anybody asks who it is. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { codeExists, signOut } from '#contract/accounts.ts'
import { uploadApp } from '#contract/apps.ts'
import { validateModules } from '#contract/modules.ts'
import { calculate } from '#contract/orders.ts'
import { requestPrint } from '#contract/payments.ts'
import { exportPriceList, importPriceList, rehearsePriceList, uploadPriceList } from '#contract/prices.ts'
import {
  configureService,
  createService,
  rebootService,
  recheckServices,
  requestLog,
  resetServicePassword,
  updateService,
} from '#contract/services.ts'
import { serviceUrl } from '#contract/public.ts'
import { headers } from '#contract/headers.ts'
import { may } from '#domain/access.ts'
import { key as keyShape } from '#contract/values.ts'
import { createCallShares } from '#server/http/call-shares.ts'
import { buildWords } from '#server/http/client-builds.ts'
import { isCrossSite, isOurHost } from '#server/http/cross-site.ts'
import { malformed } from '#server/http/input/json.ts'
import { findRepeatedHeader } from '#server/http/repeated-headers.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { isApi, pathOf, workerPath } from '#server/http/security-headers.ts'
import { headerOf } from '#server/http/input/parse.ts'
import { securityEvent } from '#server/context/log.ts'
import type { HttpContext } from '#server/http/context.ts'
import { createHostRefusal } from '#server/http/refuse-host.ts'
import { bearerOf } from '#server/http/authenticate.ts'
import { forbidden, ProblemError, unavailable } from '#server/problems/problem-error.ts'
import { addressGroup } from '#server/shares/client-address.ts'

/** Throw RATE_LIMITED with the wait. */
export interface Counters {
  /** A request that turned out to be a stranger's. */
  countStranger: (request: FastifyRequest) => Promise<void>
  /** A call of somebody who is signed in: it counts where it is a costly one. */
  countCostly: (request: FastifyRequest) => Promise<void>
  /** Any call of somebody who is signed in, until it is answered. */
  countCall: (request: FastifyRequest, reply: FastifyReply) => void
  /** One write of somebody who is signed in. */
  countWrite: (request: FastifyRequest) => Promise<void>
}

export function guard(fastify: FastifyInstance, { app, settings, life, build }: HttpContext): Counters {
  const perMinute = (max: number, group: string, whose = (request: FastifyRequest) => addressGroup(request.ip)) => {
    const take = fastify.createRateLimit({
      max,
      timeWindow: 60_000,
      keyGenerator: (request) => `${group} ${whose(request)}`,
    })
    return async (request: FastifyRequest) => {
      const taken = await take(request)
      if (!taken.isAllowed && taken.isExceeded)
        throw new ProblemError('RATE_LIMITED', null, Math.max(1, taken.ttlInSeconds))
    }
  }
  const takeCall = perMinute(settings.anonymousPerMinute, 'call')
  const takeQuery = perMinute(settings.queriesPerMinute, 'query')
  const { costlyPerMinute, writesPerMinute } = settings
  const userOf = ({ principal }: FastifyRequest) => String(principal?.caller?.userId)
  const companyOf = ({ principal }: FastifyRequest) => String(principal?.caller?.companyId)
  const takeOfUser = perMinute(costlyPerMinute, 'user', userOf)
  const takeOfCompany = perMinute(2 * costlyPerMinute, 'company', companyOf)
  const takeWrite = perMinute(writesPerMinute, 'write of user', userOf)
  const takeCompanyWrite = perMinute(2 * writesPerMinute, 'write of company', companyOf)
  const callShares = createCallShares(settings, app.config.requestFactor)
  const ofBuilds = buildWords(app.config)

  const refuseHost = createHostRefusal(app)

  fastify.addHook('onRequest', async (request, reply) => {
    reply.header(headers.requestId, request.id).header(headers.build, build.build).headers(ofBuilds)
    const repeated = findRepeatedHeader(request.raw.rawHeaders)
    if (repeated !== null) throw malformed(repeated)
    // Before anything can fail (protocol 3): without this echo an answer counts as the line's, not as ours.
    const key = isRead(request.method) ? undefined : headerOf(request.headers, headers.key)
    if (key !== undefined && z.safeParse(keyShape, key).success) reply.header(headers.key, key)

    if (life.closing) {
      reply.header('connection', 'close')
      throw unavailable(5)
    }
    if (request.url.length > inputLimits.url) throw new ProblemError('TOO_LARGE')
    // `GET http://host/path` is for proxies: the router would find its way, past everything here that goes by the path.
    if (!request.url.startsWith('/')) throw malformed('url')
    if (!isOurHost(request.headers.host, app.config.publicUrl)) return refuseHost(request, reply)
    const path = pathOf(request.url)
    // An uploaded file that is asked for as a worker would become one (W-05).
    if (request.headers['service-worker'] === 'script' && path !== workerPath) throw forbidden()
    if (!isRead(request.method) && isCrossSite(request.headers, app.config.publicUrl)) {
      securityEvent(request.log, 'cross-site refused', { route: request.routeOptions.url ?? null })
      throw forbidden()
    }
    await limitStrangers(request, path)
    return undefined
  })

  async function limitStrangers(request: FastifyRequest, path: string): Promise<void> {
    if (!isApi(path) || path.startsWith('/health')) return
    const { endpoint } = request.routeOptions.config
    const isStranger = bearerOf(request.headers.authorization) === null
    if (isStranger && endpoint && asksWhatExists.has(endpoint.name)) await takeQuery(request)
    // Whoever holds a valid token is never kept in; one that was made up is counted where it is looked up.
    if (!isStranger && endpoint?.name === signOut.name) return
    if (isStranger || !endpoint || endpoint.who === 'anybody') await takeCall(request)
    else callShares.checkToken(request)
  }
  return {
    countStranger: takeCall,
    async countCostly(request) {
      const { endpoint } = request.routeOptions.config
      const { caller } = request.principal ?? {}
      if (!caller || !endpoint || !costly.has(endpoint.name)) return
      await takeOfUser(request)
      // Who may not make the call gets a refusal, and takes nothing from colleagues who may.
      if (may(endpoint.who, caller)) await takeOfCompany(request)
    },
    countCall: callShares.claim,
    async countWrite(request) {
      if (!request.principal?.caller) return
      await takeWrite(request)
      await takeCompanyWrite(request)
    },
  }
}

/** Codes can be tried one by one here. */
const asksWhatExists: ReadonlySet<string> = new Set([codeExists.name, serviceUrl.name])

/** What one call of makes the server work for many others (S-25). */
const costly: ReadonlySet<string> = new Set(
  [
    calculate,
    configureService,
    createService,
    exportPriceList,
    importPriceList,
    rebootService,
    recheckServices,
    rehearsePriceList,
    requestLog,
    requestPrint,
    resetServicePassword,
    updateService,
    uploadApp,
    uploadPriceList,
    validateModules,
  ].map(({ name }) => name),
)

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
