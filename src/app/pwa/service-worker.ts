/** Registers the worker, checks for new builds, and starts the triggers that send the outbox. */
import { startOutboxTriggers } from '#app/connection/outbox-triggers.ts'
import { retryImport } from '#app/pwa/retry-import.ts'
import { ports, bypassWorker, getWorker } from '#app/connection/api.ts'
import { holdUnsavedInputLock } from '#app/pwa/unsaved-input.ts'
import { compareBuilds, followController, forceUpdate, markUpdateReady } from '#app/pwa/update-flow.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'
import { createRegistration, type WorkerRegistration } from '#app/pwa/registration.ts'
import { isOlderBuild, isReplacedBy, type BuildInfo } from '#contract/client-build.ts'
import { recordBuildIfNewer } from '#local/storage/newest-build.ts'
import type { PageMessage, WorkerMessage } from '#request/ports.ts'

let registration: WorkerRegistration | undefined
let buildInfo: BuildInfo | null = null

/** Registers /saas/sw.js. Called once after the first paint. Calls `onServerReachable` when the server can be reached again. */
export function startWorker(onServerReachable: () => void): void {
  // If the worker cannot be registered, the page runs the same pipeline itself.
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
  // The worker's script may come from a node with an older build. That worker then refuses to be installed.
  await recordBuildIfNewer(ports.build).catch(ports.report)
  // If the connection is lost early, registration fails too, and the visit may be a long one, so it is retried.
  const active = await retryImport(() => worker.register())
  registration = worker
  requestClaim(active)
  await compareBuilds()
}

/** Makes the worker take control of this page. A page that was still loading when the first worker activated would stay without it. */
function requestClaim(active: ServiceWorker | null): void {
  const message: WorkerMessage = { type: 'claim' }
  if (!navigator.serviceWorker.controller) active?.postMessage(message)
}

export async function checkBuild(): Promise<void> {
  const newBuildInfo = await fetchBuildInfo()
  if (!newBuildInfo) return
  buildInfo = newBuildInfo
  if (newBuildInfo.bypass) {
    // Waiting writes stay in the database. This page sends them.
    bypassWorker()
    await (await navigator.serviceWorker.getRegistration('/saas/'))?.unregister()
  } else if (isReplacedBy(ports.build, newBuildInfo)) await registration?.update()
  if (isOlderBuild(ports.build, newBuildInfo.minimumBuild)) {
    forceUpdate()
    // Without a worker, a reload from the network brings the new build.
    if (!getWorker() && isReplacedBy(ports.build, newBuildInfo)) markUpdateReady()
  }
}

const checkMs = { hourly: 3_600_000, min: 60_000 }

/** Checks for a new build every hour, and when the page becomes visible again (W-09), at most once a minute. */
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
