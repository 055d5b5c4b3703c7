/** The service worker as the page sees it: registered, replaced only with consent, and told when there may be a line. */
import type { Workbox } from 'workbox-window'
import type { WorkerMessage } from '#request/ports.ts'
import { ports } from '#app/send.ts'

const hearers = new Set<() => void>()
let waits = false
let workbox: Workbox | undefined

/** Registers /saas/sw.js; called once after the first paint. */
export function startWorker(): void {
  // A worker that cannot be registered is no reason not to work: the page runs the same corridor.
  if ('serviceWorker' in navigator && import.meta.env.PROD) register().catch(() => {})
  startTelling()
}

async function register(): Promise<void> {
  const { Workbox } = await import('workbox-window')
  workbox = new Workbox('/saas/sw.js', { scope: '/saas/', updateViaCache: 'none' })
  workbox.addEventListener('waiting', () => {
    waits = true
    for (const hear of hearers) hear()
  })
  await workbox.register()
}

/** Hears when a new build waits, at once if one does; it takes over only by `applyUpdate`. Returns how to stop. */
export function onUpdateReady(hear: () => void): () => void {
  hearers.add(hear)
  if (waits) hear()
  return () => void hearers.delete(hear)
}

/** Lets the new build take over and loads every page of it again. */
export async function applyUpdate(): Promise<void> {
  const taken = new Promise<void>((resolve) => workbox?.addEventListener('controlling', () => resolve()))
  const message: WorkerMessage = { type: 'update' }
  const registration = await navigator.serviceWorker.getRegistration('/saas/')
  registration?.waiting?.postMessage(message)
  await taken
  location.reload()
}

/**
 * Signs that there may be a line: none is trusted alone, any may be the one (offline layer, many triggers). iOS sends no
 * `online`, a hidden page gets no timer, Background Sync is in few browsers.
 */
function startTelling(): void {
  const tell = () => void sendWaiting(true)
  window.addEventListener('online', tell)
  window.addEventListener('pageshow', tell)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && tell())
  void tick()
}

const tickMs = { least: 4_000, spread: 4_000 }

async function tick(): Promise<void> {
  for (;;) {
    if (document.visibilityState === 'visible') await sendWaiting(false)
    await ports.wait(tickMs.least + Math.random() * tickMs.spread)
  }
}

/**
 * Sends what waits, by the worker if there is one; `hurry` tries at once what waits only because of the line, which the
 * mere passing of time is no reason for. Costs one look into the device when nothing waits.
 */
async function sendWaiting(hurry: boolean): Promise<void> {
  try {
    if (!(await hasWork())) return
    const message: WorkerMessage = { type: 'drain', hurry }
    const worker = navigator.serviceWorker?.controller
    if (worker) return worker.postMessage(message)
    const { drain } = await import('#request/drain.ts')
    await drain(ports, { hurry })
  } catch (error) {
    ports.report(error)
  }
}

/** Something to send, or a sign-out that the server has not heard of. */
async function hasWork(): Promise<boolean> {
  // A browser that never kept anything is not made to open a database by the sign-in page.
  if ((await indexedDB.databases?.())?.every(({ name }) => name !== 'portal-device')) return false
  const [{ readSession }, { readEntries }] = await Promise.all([
    import('#local/session.ts'),
    import('#local/waiting.ts'),
  ])
  if ((await readSession())?.signedOut) return true
  return (await readEntries()).some(({ state }) => state === 'waiting' || state === 'sending' || state === 'dropping')
}
