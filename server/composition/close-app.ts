import { once } from 'node:events'
import { setImmediate as waitForNextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Lifecycle } from '#server/context/lifecycle.ts'
import { closeSockets } from '#server/http/progress-socket.ts'

/** Time for active requests to finish after the shutdown has started, in ms. */
const maxRequestsMs = 7000
/** Time in ms for requests that are on their way over connections that are open at the end of the drain. */
const maxLateRequestsMs = 1000
/** Interval in ms at which connections are closed that have become idle. */
const idleCheckMs = 100

/** Makes the process not ready, and resolves at the end of the drain. Meanwhile everything works as before. */
export async function drain(log: Logger, lifecycle: Lifecycle, drainMs: number): Promise<void> {
  lifecycle.phase = 'draining'
  log.info({ event: 'drain_started', seconds: drainMs / 1000 }, 'not ready any longer, and closing after the drain')
  await wait(drainMs)
}

/**
 * Refuses new connections, closes WebSockets and lets active requests finish. Closes open connections after `maxRequestsMs`. After a drain,
 * late requests over open connections are served too.
 */
export async function closeApp(fastify: FastifyInstance, lifecycle: Lifecycle): Promise<void> {
  const { server } = fastify
  const cutTimer = setTimeout(() => server.closeAllConnections(), maxRequestsMs)
  if (lifecycle.phase === 'draining') await finishLateRequests(fastify)
  // A connection becomes idle if its response began before the drain, because the response does not announce that it will be closed.
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  await fastify.close()
  clearTimeout(cutTimer)
  clearInterval(idleTimer)
}

async function finishLateRequests(fastify: FastifyInstance): Promise<void> {
  const { server } = fastify
  // Connections that wait in the system's queue would be reset. They are accepted in the turn that ends here.
  await waitForNextTurn()
  server.close()
  closeSockets(fastify)
  await Promise.race([once(server, 'close'), wait(maxLateRequestsMs)])
}
