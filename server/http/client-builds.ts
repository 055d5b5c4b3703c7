/**
 * Publishes the minimum client build, and whether the service worker must be bypassed (W-09, W-11), in headers and at a separate URL. A
 * broken worker may read neither, so its script is replaced too. Browsers always load that script from the server, and the replacement
 * unregisters itself.
 */
import type { FastifyInstance } from 'fastify'
import { buildHeaders, type BuildInfo, buildInfoPath } from '#contract/client-build.ts'
import type { Config } from '#server/config/config.ts'
import { jsonType } from '#server/http/responses.ts'
import { workerPath } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'

/** Returns the headers for every response. Empty if there are no restrictions. */
export function createBuildHeaders({ minBuild, workerBypass }: Config): Record<string, string> {
  return {
    ...(minBuild > 0 ? { [buildHeaders.minimum]: String(minBuild) } : {}),
    ...(workerBypass ? { [buildHeaders.worker]: 'bypass' } : {}),
  }
}

export function serveBuilds(
  fastify: FastifyInstance,
  { app: { config }, build: { build }, assets }: HttpContext,
): void {
  const { minBuild: minimumBuild, workerBypass: bypass, supportEmail: support } = config
  fastify.get(buildInfoPath, async (_, reply) => {
    const builds = await assets.publisher.readServedBuilds()
    const buildInfo: BuildInfo = { build, builds, minimumBuild, bypass, support }
    return reply.header('cache-control', 'no-store').type(jsonType).send(JSON.stringify(buildInfo))
  })
  if (!config.workerBypass) return
  fastify.get(workerPath, async (_, reply) =>
    reply.header('cache-control', 'no-cache').type('text/javascript; charset=utf-8').send(unregisterScript),
  )
}

/**
 * Script that replaces any worker, deletes its caches and unregisters itself. Rows and outbox stay, because they are in IndexedDB. Open
 * pages get a message, and reload themselves when no typed data would be lost. A page that does not respond is broken, so it is reloaded by
 * this script.
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
