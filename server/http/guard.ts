/** What every request meets first: its id and key echoed, then whatever is refused before anybody asks who it is. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { codeExists } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { key as keyShape } from '#contract/values.ts'
import { buildWords } from '#server/http/builds.ts'
import { isCrossSite } from '#server/http/cross-site.ts'
import { isApi, pathOf, workerPath } from '#server/http/headers.ts'
import { headerOf } from '#server/http/input.ts'
import { securityEvent } from '#server/log.ts'
import type { Premises } from '#server/http/premises.ts'
import { bearerOf } from '#server/http/session.ts'
import { forbidden, ProblemError, unavailable } from '#server/problem.ts'

const longestUrl = 8192

export type CountStranger = (request: FastifyRequest) => Promise<void>

/** Answers how to count a request as a stranger's that turned out to be one. */
export function guard(app: FastifyInstance, { house, settings, life, build }: Premises): CountStranger {
  const perMinute = (max: number, group: string) => {
    const take = app.createRateLimit({
      max,
      timeWindow: 60_000,
      keyGenerator: (request) => `${group} ${request.ip}`,
    })
    return async (request: FastifyRequest) => {
      const taken = await take(request)
      if (!taken.isAllowed && taken.isExceeded)
        throw new ProblemError('RATE_LIMITED', null, Math.max(1, taken.ttlInSeconds))
    }
  }
  const takeCall = perMinute(settings.anonymousPerMinute, 'call')
  const takeQuery = perMinute(settings.queriesPerMinute, 'query')
  const ofBuilds = buildWords(house.config)

  app.addHook('onRequest', async (request, reply) => {
    reply.header(headers.requestId, request.id).header(headers.build, build.build).headers(ofBuilds)
    // Before anything can fail (protocol 3): without this echo an answer counts as the line's, not as ours.
    const key = isRead(request.method) ? undefined : headerOf(request.headers, headers.key)
    if (key !== undefined && z.safeParse(keyShape, key).success) reply.header(headers.key, key)

    if (life.closing) {
      reply.header('connection', 'close')
      throw unavailable(5)
    }
    if (request.url.length > longestUrl) throw new ProblemError('TOO_LARGE')
    const path = pathOf(request.url)
    // An uploaded file that is asked for as a worker would become one (W-05).
    if (request.headers['service-worker'] === 'script' && path !== workerPath) throw forbidden()
    if (!isRead(request.method) && isCrossSite(request.headers, house.config.publicUrl)) {
      securityEvent(request.log, 'cross-site refused', { route: request.routeOptions.url ?? null })
      throw forbidden()
    }
    await limitStrangers(request, path)
  })

  async function limitStrangers(request: FastifyRequest, path: string): Promise<void> {
    if (!isApi(path) || path.startsWith('/health')) return
    const { endpoint } = request.routeOptions.config
    const isStranger = bearerOf(request.headers.authorization) === null
    if (isStranger && endpoint?.name === codeExists.name) await takeQuery(request)
    if (isStranger || !endpoint || endpoint.who === 'anybody') await takeCall(request)
  }
  return takeCall
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
