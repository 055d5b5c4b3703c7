/**
 * What the server says of the client's builds (W-09, W-11): which is the least that still serves, and whether the worker is
 * to be left out. Said on every answer, at an address of its own, and, because a broken worker may read neither, by the
 * worker's own script: a browser fetches that past any worker, and is then given one that only takes itself away.
 */
import type { FastifyInstance } from 'fastify'
import { buildHeaders, type BuildInfo, buildInfoPath } from '#contract/client-build.ts'
import type { Config } from '#server/config/config.ts'
import { jsonType } from '#server/http/responses.ts'
import { workerPath } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'

/** Headers for every answer; none while there is nothing to say. */
export function createBuildHeaders({ minBuild, workerBypass }: Config): Record<string, string> {
  return {
    ...(minBuild > 0 ? { [buildHeaders.minimum]: String(minBuild) } : {}),
    ...(workerBypass ? { [buildHeaders.worker]: 'bypass' } : {}),
  }
}

export function serveBuilds(fastify: FastifyInstance, { app: { config }, build: { build } }: HttpContext): void {
  const { minBuild: minimumBuild, workerBypass: bypass, supportEmail: support } = config
  const buildInfo: BuildInfo = { build, minimumBuild, bypass, support }
  fastify.get(buildInfoPath, async (_, reply) =>
    reply.header('cache-control', 'no-store').type(jsonType).send(JSON.stringify(buildInfo)),
  )
  if (!config.workerBypass) return
  fastify.get(workerPath, async (_, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(unregisterScript),
  )
}

/**
 * Takes the place of any worker and goes with the files that it kept. What the pages keep (rows, outbox) is in databases,
 * which it does not touch. Pages that live are asked first and load themselves when nothing typed is lost by it; one that
 * does not answer is a page that the former worker broke.
 */
const unregisterScript = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(part()))
async function part() {
  for (const name of await caches.keys()) await caches.delete(name)
  await self.registration.unregister()
  const pages = await self.clients.matchAll({ type: 'window' })
  await Promise.all(pages.map(async (page) => (await isAlive(page)) || page.navigate(page.url).catch(() => undefined)))
}
const isAlive = (page) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => resolve(true)
  setTimeout(() => resolve(false), 5000)
  page.postMessage({ type: 'alive?' }, [port2])
})
`
