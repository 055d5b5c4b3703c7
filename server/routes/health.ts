/** Serves liveness and readiness checks, only for callers on this machine (S-86). */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '#server/config/config.ts'
import { jsonType } from '#server/http/responses.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem, createUnavailableProblem } from '#server/problems/problem-error.ts'
import { isDatabaseHealthy } from '#server/use-cases/health.ts'

export function serveHealth(fastify: FastifyInstance, { app, lifecycle, assets, settings }: HttpContext): void {
  fastify.get('/health/live', async (request, reply) => {
    requireLocalCaller(app, request)
    return reply.type(jsonType).send('{"status":"live"}')
  })
  fastify.get('/health/ready', async (request, reply) => {
    requireLocalCaller(app, request)
    // Other nodes cannot serve the pages of this build completely before it is published.
    const isPublished = assets.publisher.isPublished() || !settings.publishesClient
    if (lifecycle.isClosing || !isPublished || !(await isDatabaseHealthy(app))) throw createUnavailableProblem(5)
    return reply.type(jsonType).send('{"status":"ready"}')
  })
}

function requireLocalCaller({ config }: AppContext, { ip, headers }: FastifyRequest): void {
  // Behind a proxy that is not configured (`trustProxy` 0), each request seems to come from this machine.
  const isForwarded = config.trustProxy === 0 && headers['x-forwarded-for'] !== undefined
  if (isForwarded || !isLoopback(ip)) throw createNotFoundProblem()
}
