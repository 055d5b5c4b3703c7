/** The service worker as the page sees it: registered, replaced only with consent, and told when there may be a line. */
import { startTelling } from '#app/connection/outbox-triggers.ts'
import { fetchLate } from '#app/pwa/retry-import.ts'
import { ports, standAlone, workerNow } from '#app/connection/api.ts'
import { tellTyping } from '#app/pwa/unsaved-input.ts'
import { compareBuilds, followController, force, noteReady } from '#app/pwa/update-flow.ts'
import { askWord } from '#app/pwa/build-info.ts'
import { createRegistration, type Registration } from '#app/pwa/registration.ts'
import { isBelow, type BuildInfo } from '#contract/client-build.ts'
import type { PageMessage, WorkerMessage } from '#request/ports.ts'

let registration: Registration | undefined
let told: BuildInfo | null = null

/** Registers /saas/sw.js; called once after the first paint. `answered` hears of a server that is back. */
export function startWorker(answered: () => void): void {
  // A worker that cannot be registered is no reason not to work: the page runs the same pipeline.
  if ('serviceWorker' in navigator && import.meta.env.PROD) void start().catch(ports.report)
  startTelling(answered)
  void import('#app/connection/kept-trails.ts').then(({ keepTrailsCurrent }) => keepTrailsCurrent()).catch(ports.report)
}

async function start(): Promise<void> {
  followController()
  followMissing()
  navigator.serviceWorker.addEventListener('message', ({ data, ports: [port] }) => {
    const message = data as Partial<PageMessage>
    if (message.type === 'look') void look()
    if (message.type === 'alive?') port?.postMessage('yes')
  })
  await look()
  lookAgain()
  await register()
}

/** Code that cannot be fetched, now or before anybody listened. */
function followMissing(): void {
  const loadAgain = () =>
    void import('#app/pwa/chunk-load-error.ts').then((missing) => missing.loadAgain()).catch(ports.report)
  window.addEventListener('vite:preloadError', loadAgain)
  const fetched = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (fetched.some(({ name, responseStatus }) => responseStatus >= 400 && name.endsWith('.js'))) loadAgain()
}

async function register(): Promise<void> {
  if (told?.bypass) return
  const worker = createRegistration(() => {
    void tellTyping()
    noteReady()
  })
  // Cut in the first moments of a visit it cannot be fetched either, and the visit may be a long one.
  const active = await fetchLate(() => worker.register())
  registration = worker
  askToBeClaimed(active)
  await compareBuilds()
}

/** A page that was on its way when the first worker took over is not among those that it took, and would stay without. */
function askToBeClaimed(active: ServiceWorker | null): void {
  const message: WorkerMessage = { type: 'claim' }
  if (!navigator.serviceWorker.controller) active?.postMessage(message)
}

/** Asks the server which build it serves and what it wants of the worker, and does it. */
export async function look(): Promise<void> {
  const word = await askWord()
  if (!word) return
  told = word
  if (word.bypass) {
    // What waits stays in the database, and is sent by this page.
    standAlone()
    await (await navigator.serviceWorker.getRegistration('/saas/'))?.unregister()
  } else if (word.build !== ports.build) await registration?.update()
  if (isBelow(ports.build, word.minimumBuild)) {
    force()
    // No worker brings it: then the network does.
    if (!workerNow() && word.build !== ports.build) noteReady()
  }
}

const lookMs = { hourly: 3_600_000, least: 60_000 }

/** Every hour, and when the page is looked at again (W-09). */
function lookAgain(): void {
  let last = Date.now()
  const again = (rest: number) => {
    if (document.visibilityState !== 'visible' || Date.now() - last < rest) return
    last = Date.now()
    void look()
  }
  document.addEventListener('visibilitychange', () => again(lookMs.least))
  setInterval(() => again(lookMs.hourly), lookMs.least)
}
