/** For whoever watches the process, on this machine alone (S-86): is it alive, can it serve. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '#server/config/config.ts'
import { json } from '#server/http/responses.ts'
import type { HttpContext } from '#server/http/context.ts'
import type { AppContext } from '#server/context/context.ts'
import { notFound, unavailable } from '#server/problems/problem-error.ts'
import { isReachable } from '#server/use-cases/health.ts'

export function serveHealth(fastify: FastifyInstance, { app, life }: HttpContext): void {
  fastify.get('/health/live', async (request, reply) => {
    onlyHere(app, request)
    return reply.type(json).send('{"status":"live"}')
  })
  fastify.get('/health/ready', async (request, reply) => {
    onlyHere(app, request)
    if (life.closing || !(await isReachable(app))) throw unavailable(5)
    return reply.type(json).send('{"status":"ready"}')
  })
}

function onlyHere({ config }: AppContext, { ip, headers }: FastifyRequest): void {
  // Behind a proxy that was not declared everybody seems to come from here.
  const passedOn = config.trustProxy === 0 && headers['x-forwarded-for'] !== undefined
  if (passedOn || !isLoopback(ip)) throw notFound()
}
