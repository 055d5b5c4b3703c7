/** The service worker as the page sees it: registered, replaced only with consent, and told when there may be a line. */
import { startOutboxTriggers } from '#app/connection/outbox-triggers.ts'
import { retryImport } from '#app/pwa/retry-import.ts'
import { ports, bypassWorker, getWorker } from '#app/connection/api.ts'
import { holdUnsavedInputLock } from '#app/pwa/unsaved-input.ts'
import { compareBuilds, followController, forceUpdate, markUpdateReady } from '#app/pwa/update-flow.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'
import { createRegistration, type WorkerRegistration } from '#app/pwa/registration.ts'
import { isOlderBuild, type BuildInfo } from '#contract/client-build.ts'
import type { PageMessage, WorkerMessage } from '#request/ports.ts'

let registration: WorkerRegistration | undefined
let buildInfo: BuildInfo | null = null

/** Registers /saas/sw.js; called once after the first paint. `onServerReachable` hears of a server that is back. */
export function startWorker(onServerReachable: () => void): void {
  // A worker that cannot be registered is no reason not to work: the page runs the same pipeline.
  if ('serviceWorker' in navigator && import.meta.env.PROD) void start().catch(ports.report)
  startOutboxTriggers(onServerReachable)
  void import('#app/connection/refresh-stored-data.ts')
    .then(({ refreshStoredData }) => refreshStoredData())
    .catch(ports.report)
}

async function start(): Promise<void> {
  followController()
  watchMissingChunks()
  navigator.serviceWorker.addEventListener('message', ({ data, ports: [port] }) => {
    const message = data as Partial<PageMessage>
    if (message.type === 'look') void checkBuild()
    if (message.type === 'alive?') port?.postMessage('yes')
  })
  await checkBuild()
  scheduleBuildChecks()
  await registerWorker()
}

/** Code that cannot be fetched, now or before anybody listened. */
function watchMissingChunks(): void {
  const recoverFromLoadError = () =>
    void import('#app/pwa/chunk-load-error.ts').then((module) => module.recoverFromLoadError()).catch(ports.report)
  window.addEventListener('vite:preloadError', recoverFromLoadError)
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (resources.some(({ name, responseStatus }) => responseStatus >= 400 && name.endsWith('.js')))
    recoverFromLoadError()
}

async function registerWorker(): Promise<void> {
  if (buildInfo?.bypass) return
  const worker = createRegistration(() => {
    void holdUnsavedInputLock()
    markUpdateReady()
  })
  // Cut in the first moments of a visit it cannot be fetched either, and the visit may be a long one.
  const active = await retryImport(() => worker.register())
  registration = worker
  requestClaim(active)
  await compareBuilds()
}

/** A page that was on its way when the first worker took over is not among those that it took, and would stay without. */
function requestClaim(active: ServiceWorker | null): void {
  const message: WorkerMessage = { type: 'claim' }
  if (!navigator.serviceWorker.controller) active?.postMessage(message)
}

/** Asks the server which build it serves and what it wants of the worker, and does it. */
export async function checkBuild(): Promise<void> {
  const newBuildInfo = await fetchBuildInfo()
  if (!newBuildInfo) return
  buildInfo = newBuildInfo
  if (newBuildInfo.bypass) {
    // What waits stays in the database, and is sent by this page.
    bypassWorker()
    await (await navigator.serviceWorker.getRegistration('/saas/'))?.unregister()
  } else if (newBuildInfo.build !== ports.build) await registration?.update()
  if (isOlderBuild(ports.build, newBuildInfo.minimumBuild)) {
    forceUpdate()
    // No worker brings it: then the network does.
    if (!getWorker() && newBuildInfo.build !== ports.build) markUpdateReady()
  }
}

const checkMs = { hourly: 3_600_000, min: 60_000 }

/** Every hour, and when the page is looked at again (W-09). */
function scheduleBuildChecks(): void {
  let lastCheckAt = Date.now()
  const checkIfDue = (minIntervalMs: number) => {
    if (document.visibilityState !== 'visible' || Date.now() - lastCheckAt < minIntervalMs) return
    lastCheckAt = Date.now()
    void checkBuild()
  }
  document.addEventListener('visibilitychange', () => checkIfDue(checkMs.min))
  setInterval(() => checkIfDue(checkMs.hourly), checkMs.min)
}
