/** The worker has only event handlers. Requests are routed synchronously, then handled by the pipeline of pages. */
import { addPlugins, cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { sendOutbox } from '#request/writes/sender.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'
import { routeRequest } from '#request/pipeline/route-request.ts'
import { respond } from './respond.ts'
import { requireCurrentBuild } from './install-check.ts'
import { isBypassed } from './build-check.ts'
import { respondFromPreviousBuild, deleteOlderBuilds, isHashedFile, cachePreviousBuild } from './previous-build.ts'
import { findCachedPart, deleteOlderParts, isOptionalFile, cachePart } from './optional-chunks.ts'
import { deleteMedia, isMedia, mediaStrategy } from './media.ts'
import { closePushes, openPush, renewSubscription, showPush } from './push.ts'
import { clearAccess, storeAccess, createPorts } from './ports.ts'

declare const self: ServiceWorkerGlobalScope

// Registered before Workbox's listener, because the first listener that responds handles the request.
self.addEventListener('fetch', (event) => {
  const route = routeRequest(event.request, { origin: self.location.origin, isBypassed: isBypassed() })
  if (route === 'pipeline') event.respondWith(respond(event))
  if (route === 'through') event.stopImmediatePropagation()
})

const allFiles = self.__WB_MANIFEST
const files = allFiles.filter((file) => !isOptionalFile(file))
self.addEventListener('install', (event) => event.waitUntil(requireCurrentBuild()))
addPlugins([
  {
    // A refused worker downloads nothing.
    async requestWillFetch({ request, event }) {
      if (event?.type === 'install') await requireCurrentBuild()
      return request
    },
  },
])
precacheAndRoute(files)
registerRoute(
  ({ url }) => isHashedFile(url),
  async ({ request }) => (await findCachedPart(request)) ?? (await respondFromPreviousBuild(request)),
)
registerRoute(({ url, sameOrigin }) => sameOrigin && isMedia(url), mediaStrategy)
cleanupOutdatedCaches()
registerRoute(new NavigationRoute(createHandlerBoundToURL('/saas/index.html'), { allowlist: [/^\/saas\//] }))

self.addEventListener('sync', (event) => {
  if (event.tag === 'drain') event.waitUntil(sendOrTryAgain(event))
})

self.addEventListener('push', (event) => event.waitUntil(showPush(event)))
self.addEventListener('notificationclick', (event) => event.waitUntil(openPush(event)))
self.addEventListener('pushsubscriptionchange', (event) =>
  (event as ExtendableEvent).waitUntil(renewSubscription(event)),
)

self.addEventListener('message', (event) => {
  const message = event.data as WorkerMessage
  if ('accessToken' in message) storeAccess(message.accessToken)
  // Sent only if the user agrees or the server requires the build, because a new worker must not replace the code of open pages.
  if (message.type === 'SKIP_WAITING') event.waitUntil(self.skipWaiting())
  if (message.type === 'claim' && canClaim()) event.waitUntil(self.clients.claim())
  if (message.type === 'drain') event.waitUntil(sendOutbox(createPorts(event), message))
  if (message.type === 'watch') event.waitUntil(watchOpenJobs(createPorts(event), message))
  if (message.type === 'keep') event.waitUntil(cachePart(message.part, allFiles))
  if (message.type === 'forget') {
    clearAccess()
    event.waitUntil(Promise.all([deleteMedia(), closePushes()]))
  }
  if (message.type === 'build') event.ports[0]?.postMessage(__BUILD__)
})

/**
 * Time after the activation in which a page without a worker is claimed, in ms. Such a page was loading during the activation. A page that
 * loads without the worker later does so on purpose (a forced reload).
 */
const claimWindowMs = 60_000
let activatedAt = Number.NEGATIVE_INFINITY
const canClaim = () => !isBypassed() && Date.now() - activatedAt < claimWindowMs

const ownFiles = new Set(files.map(({ url }) => new URL(url, location.href).pathname))
self.addEventListener('install', (event) => event.waitUntil(cachePreviousBuild(ownFiles)))
self.addEventListener('activate', (event) => {
  activatedAt = Date.now()
  event.waitUntil(Promise.all([self.clients.claim(), deleteOlderBuilds(), deleteOlderParts()]))
})

/** Rejects if entries still wait. The browser then repeats the sync after some minutes, even if no page is open. */
async function sendOrTryAgain(event: ExtendableEvent): Promise<void> {
  if (await sendOutbox(createPorts(event), { immediate: true })) throw new Error('the outbox still has entries to send')
}
