/** Serves liveness and readiness checks, only for callers on this machine (S-86). Other callers use the port HEALTH_PORT. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '#server/config/config.ts'
import {
  buildReadyResponse,
  type HealthResponse,
  healthPaths,
  liveResponse,
} from '#server/http/health/health-responses.ts'
import { jsonType } from '#server/http/responses.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createReadinessCheck } from '#server/use-cases/readiness.ts'

export function serveHealth(fastify: FastifyInstance, { app, lifecycle }: HttpContext): void {
  const check = createReadinessCheck(app, lifecycle, { maxAgeMs: 0 })
  fastify.get(healthPaths.live, async (request, reply) => {
    requireLocalCaller(app, request)
    return sendHealth(reply, liveResponse)
  })
  fastify.get(healthPaths.ready, async (request, reply) => {
    requireLocalCaller(app, request)
    return sendHealth(reply, buildReadyResponse(await check()))
  })
}

const sendHealth = (reply: FastifyReply, { status, headers, body }: HealthResponse) =>
  reply.code(status).headers(headers).type(jsonType).send(body)

function requireLocalCaller({ config }: AppContext, { ip, headers }: FastifyRequest): void {
  // Behind a proxy that is not configured (`trustProxy` 0), each request seems to come from this machine.
  const isForwarded = config.trustProxy === 0 && headers['x-forwarded-for'] !== undefined
  if (isForwarded || !isLoopback(ip)) throw createNotFoundProblem()
}
