/** Sends request id and idempotency key back, and refuses requests for which the caller need not be known. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { codeExists, signOut } from '#contract/accounts.ts'
import { uploadApp } from '#contract/staff/apps.ts'
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
import { isAllowed } from '#domain/access.ts'
import { key as keyShape } from '#contract/values.ts'
import { createCallShares } from '#server/http/call-shares.ts'
import { createBuildHeaders } from '#server/http/client-builds.ts'
import { openRequestCounter, type RequestLimit } from '#server/http/counting/request-counter.ts'
import { isCrossSite, isOurHost } from '#server/http/cross-site.ts'
import { createMalformedProblem } from '#server/http/input/json.ts'
import { findRepeatedHeader } from '#server/http/repeated-headers.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { isApi, getPath, workerPath } from '#server/http/security-headers.ts'
import { getHeader } from '#server/http/input/parse.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { createHostRefusal } from '#server/http/refuse-host.ts'
import { parseBearer } from '#server/http/authenticate.ts'
import { createForbiddenProblem, ProblemError, createUnavailableProblem } from '#server/problems/problem-error.ts'
import { getAddressGroup } from '#server/shares/client-address.ts'

/** Functions that count requests. Above a limit each throws RATE_LIMITED with the time to wait. */
export interface RequestCounters {
  countAnonymous: (request: FastifyRequest) => Promise<void>
  countCostly: (request: FastifyRequest) => Promise<void>
  /** Counts a call of a signed-in user. Until its response is sent, it is also counted as a concurrent call. */
  countCall: (request: FastifyRequest, reply: FastifyReply) => void
  countWrite: (request: FastifyRequest) => Promise<void>
}

export function guardRequests(
  fastify: FastifyInstance,
  { app, settings, lifecycle, build }: HttpContext,
): RequestCounters {
  const counter = openRequestCounter(fastify, app, settings.countTimes)
  const createMinuteLimit = (...limits: RequestLimit[]) => {
    const count = counter.defineLimits(limits)
    return async (request: FastifyRequest) => {
      const waitMs = await count(request)
      if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.max(1, Math.ceil(waitMs / 1000)))
    }
  }
  const { anonymousPerMinute, queriesPerMinute, costlyPerMinute, writesPerMinute } = settings
  const getKey = (request: FastifyRequest) => getAddressGroup(request.ip)
  const anonymousLimit = { group: 'call', max: anonymousPerMinute, getKey }
  const countAnonymousCall = createMinuteLimit(anonymousLimit)
  const countExistenceQuery = createMinuteLimit({ group: 'query', max: queriesPerMinute, getKey }, anonymousLimit)
  const costlyUserLimit = { group: 'user', max: costlyPerMinute, getKey: getUserKey }
  const costlyCompanyLimit = { group: 'company', max: 2 * costlyPerMinute, getKey: getCompanyKey }
  const countCostlyUserCall = createMinuteLimit(costlyUserLimit)
  const countCostlyCall = createMinuteLimit(costlyUserLimit, costlyCompanyLimit)
  const countWrite = createMinuteLimit(
    { group: 'write of user', max: writesPerMinute, getKey: getUserKey },
    { group: 'write of company', max: 2 * writesPerMinute, getKey: getCompanyKey },
  )
  const callShares = createCallShares(settings, app.config.requestFactor)
  const clientBuildHeaders = createBuildHeaders(app.config)

  const refuseHost = createHostRefusal(app)

  fastify.addHook('onRequest', async (request, reply) => {
    reply.header(headers.requestId, request.id).header(headers.build, build.build).headers(clientBuildHeaders)
    const repeatedHeader = findRepeatedHeader(request.raw.rawHeaders)
    if (repeatedHeader !== null) throw createMalformedProblem(repeatedHeader)
    // Set before the checks below can fail (protocol 3): clients take a response without this header for the response of a proxy.
    const key = isRead(request.method) ? undefined : getHeader(request.headers, headers.key)
    if (key !== undefined && z.safeParse(keyShape, key).success) reply.header(headers.key, key)

    if (lifecycle.phase === 'closing') throw createUnavailableProblem(5)
    if (request.url.length > inputLimits.url) throw new ProblemError('TOO_LARGE')
    // The router would accept absolute URLs (`GET http://host/path`), which would bypass the checks by path below.
    if (!request.url.startsWith('/')) throw createMalformedProblem('url')
    if (!isOurHost(request.headers.host, app.config.publicUrl)) return refuseHost(request, reply)
    const path = getPath(request.url)
    // Only the worker's own script may be registered. Browsers could register an uploaded file as a service worker (W-05).
    if (request.headers['service-worker'] === 'script' && path !== workerPath) throw createForbiddenProblem()
    if (!isRead(request.method) && isCrossSite(request.headers, app.config.publicUrl)) {
      logSecurityEvent(request.log, 'cross_site_refused', { route: request.routeOptions.url ?? null })
      throw createForbiddenProblem()
    }
    await limitAnonymous(request, path)
    return undefined
  })

  async function limitAnonymous(request: FastifyRequest, path: string): Promise<void> {
    if (!isApi(path) || path.startsWith('/health')) return
    const { endpoint } = request.routeOptions.config
    const isAnonymous = parseBearer(request.headers.authorization) === null
    if (isAnonymous && endpoint && existenceCalls.has(endpoint.name)) return countExistenceQuery(request)
    // Logout with a token is not counted here. If the token is invalid, the call is counted when the token is looked up.
    if (!isAnonymous && endpoint?.name === signOut.name) return
    if (isAnonymous || !endpoint || endpoint.access === 'anybody') await countAnonymousCall(request)
    else callShares.checkToken(request)
  }
  return {
    countAnonymous: countAnonymousCall,
    async countCostly(request) {
      const { endpoint } = request.routeOptions.config
      const { caller } = request.principal ?? {}
      if (!caller || !endpoint || !costlyCalls.has(endpoint.name)) return
      // A call without permission is refused later in any case, so it does not use the company's share.
      await (isAllowed(endpoint.access, caller) ? countCostlyCall(request) : countCostlyUserCall(request))
    },
    countCall: callShares.claim,
    async countWrite(request) {
      if (request.principal?.caller) await countWrite(request)
    },
  }
}

/** Calls that tell whether a code exists. They have a lower limit, because codes could be guessed one by one. */
const existenceCalls: ReadonlySet<string> = new Set([codeExists.name, serviceUrl.name])

/** Calls with an additional limit, because each causes as much work as many others (S-25). */
const costlyCalls: ReadonlySet<string> = new Set(
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

const getUserKey = ({ principal }: FastifyRequest) => String(principal?.caller?.userId)
const getCompanyKey = ({ principal }: FastifyRequest) => String(principal?.caller?.companyId)

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
