/** For whoever watches the process, on this machine alone (S-86): is it alive, can it serve. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '#server/config.ts'
import { json } from '#server/http/answers.ts'
import type { Premises } from '#server/http/premises.ts'
import type { House } from '#server/house.ts'
import { notFound, unavailable } from '#server/problem.ts'
import { isReachable } from '#server/services/health.ts'

export function serveHealth(app: FastifyInstance, { house, life }: Premises): void {
  app.get('/health/live', async (request, reply) => {
    onlyHere(house, request)
    return reply.type(json).send('{"status":"live"}')
  })
  app.get('/health/ready', async (request, reply) => {
    onlyHere(house, request)
    if (life.closing || !(await isReachable(house))) throw unavailable(5)
    return reply.type(json).send('{"status":"ready"}')
  })
}

function onlyHere({ config }: House, { ip, headers }: FastifyRequest): void {
  // Behind a proxy that was not declared everybody seems to come from here.
  const passedOn = config.trustProxy === 0 && headers['x-forwarded-for'] !== undefined
  if (passedOn || !isLoopback(ip.replace(/^::ffff:/, ''))) throw notFound()
}
