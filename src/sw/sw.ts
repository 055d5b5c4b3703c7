/**
 * The worker: only events. Which requests it takes is decided at once and without looking anything up; what happens to
 * them is the request pipeline's matter, and the same in a page without a worker.
 */
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { sendOutbox } from '#request/writes/sender.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { watch } from '#request/jobs/job-poller.ts'
import { routeRequest } from '#request/pipeline/route-request.ts'
import { answer } from './respond.ts'
import { isBypassed } from './build-check.ts'
import { answerFormer, forgetOlder, isHashed, keepFormer } from './previous-build.ts'
import { findPart, forgetOlderParts, isPart, keepPart } from './optional-chunks.ts'
import { forgetMedia, isMedia, media } from './media.ts'
import { dropAccess, noteAccess, portsFor } from './ports.ts'

declare const self: ServiceWorkerGlobalScope

// Before Workbox's own listener: whoever answers first has the request.
self.addEventListener('fetch', (event) => {
  const way = routeRequest(event.request, { origin: self.location.origin, bypassed: isBypassed() })
  if (way === 'pipeline') event.respondWith(answer(event))
  if (way === 'through') event.stopImmediatePropagation()
})

const all = self.__WB_MANIFEST
const files = all.filter((file) => !isPart(file))
precacheAndRoute(files)
registerRoute(
  ({ url }) => isHashed(url),
  async ({ request }) => (await findPart(request)) ?? (await answerFormer(request)),
)
registerRoute(({ url, sameOrigin }) => sameOrigin && isMedia(url), media)
cleanupOutdatedCaches()
registerRoute(new NavigationRoute(createHandlerBoundToURL('/saas/index.html'), { allowlist: [/^\/saas\//] }))

self.addEventListener('sync', (event) => {
  if (event.tag === 'drain') event.waitUntil(sendOrTryAgain(event))
})

self.addEventListener('message', (event) => {
  const message = event.data as WorkerMessage
  if ('accessToken' in message) noteAccess(message.accessToken)
  // Only after the user agreed: a new worker under open pages would change the ground they stand on.
  if (message.type === 'SKIP_WAITING') event.waitUntil(self.skipWaiting())
  if (message.type === 'claim' && mayClaim()) event.waitUntil(self.clients.claim())
  if (message.type === 'drain') event.waitUntil(sendOutbox(portsFor(event), message))
  if (message.type === 'watch') event.waitUntil(watch(portsFor(event), message))
  if (message.type === 'keep') event.waitUntil(keepPart(message.part, all))
  if (message.type === 'forget') {
    dropAccess()
    event.waitUntil(forgetMedia())
  }
  if (message.type === 'build') event.ports[0]?.postMessage(__BUILD__)
})

/** A page that came before this worker took over, and stood only after. What is loaded past it much later is so on purpose. */
const comingMs = 60_000
let activatedAt = Number.NEGATIVE_INFINITY
const mayClaim = () => !isBypassed() && Date.now() - activatedAt < comingMs

const own = new Set(files.map(({ url }) => new URL(url, location.href).pathname))
self.addEventListener('install', (event) => event.waitUntil(keepFormer(own)))
self.addEventListener('activate', (event) => {
  activatedAt = Date.now()
  event.waitUntil(Promise.all([self.clients.claim(), forgetOlder(), forgetOlderParts()]))
})

/** A sync that fails is repeated by the browser after minutes, also with no page open. */
async function sendOrTryAgain(event: ExtendableEvent): Promise<void> {
  if (await sendOutbox(portsFor(event), { hurry: true })) throw new Error('something still waits')
}
