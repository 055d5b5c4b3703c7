/** The service worker as the page sees it: registered, replaced only with consent, and told when there may be a line. */
import { isBelow, type Word } from '#contract/build.ts'
import { thisDevice } from '#local/device.ts'
import { forgetNotes } from '#local/noted.ts'
import type { PageMessage, WorkerMessage } from '#request/ports.ts'
import type { Store } from '#state/store.ts'
import { keepDrawn } from '#app/drawn.ts'
import { fetchLate } from '#app/late-code.ts'
import { ports, standAlone, workerNow } from '#app/send.ts'
import { tellTyping } from '#app/typing.ts'
import { compareBuilds, followController, force, noteReady } from '#app/update.ts'
import { followWaiting } from '#app/waiting.ts'
import { askWord } from '#app/word.ts'

let registration: ServiceWorkerRegistration | undefined
let told: Word | null = null

/** Registers /saas/sw.js; called once after the first paint. */
export function startWorker(store: Store): void {
  // A worker that cannot be registered is no reason not to work: the page runs the same corridor.
  if ('serviceWorker' in navigator && import.meta.env.PROD) void start().catch(ports.report)
  startTelling()
  keepDrawn(store)
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
  const loadAgain = () => void import('#app/missing.ts').then((missing) => missing.loadAgain()).catch(ports.report)
  window.addEventListener('vite:preloadError', loadAgain)
  const fetched = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (fetched.some(({ name, responseStatus }) => responseStatus >= 400 && name.endsWith('.js'))) loadAgain()
}

async function register(): Promise<void> {
  // Cut in the first moments of a visit it cannot be fetched either, and the visit may be a long one.
  await fetchLate(async () => {
    if (!told?.bypass)
      registration = await navigator.serviceWorker.register('/saas/sw.js', { scope: '/saas/', updateViaCache: 'none' })
  })
  if (!registration) return
  followWaiting(registration, () => {
    void tellTyping()
    noteReady()
  })
  askToBeClaimed(registration)
  await compareBuilds()
}

/** A page that was on its way when the first worker took over is not among those that it took, and would stay without. */
function askToBeClaimed({ active }: ServiceWorkerRegistration): void {
  const message: WorkerMessage = { type: 'claim' }
  if (!navigator.serviceWorker.controller) active?.postMessage(message)
}

/** Asks the server which build it serves and what it wants of the worker, and does it. */
async function look(): Promise<void> {
  const word = await askWord()
  if (!word) return
  told = word
  if (word.bypass) {
    // What waits stays in the database, and is sent by this page.
    standAlone()
    await (await navigator.serviceWorker.getRegistration('/saas/'))?.unregister()
  } else if (word.build !== ports.build) await registration?.update().catch(() => undefined)
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
  void watchStalled()
}

/**
 * Each second while something waits: a line that is back, or a worker that died over a write, is noticed without any
 * event (O2). The cookie says whether there is anything to look for.
 */
async function watchStalled(): Promise<void> {
  let look: (() => Promise<'nothing' | 'go' | 'hurry'>) | undefined
  for (;;) {
    await ports.wait(roundMs.least + ports.chance() * roundMs.spread)
    if (document.visibilityState !== 'visible' || !(await ports.tally?.read())) continue
    try {
      look ??= (await import('#request/probe.ts')).createProbe(ports)
      const found = await look()
      if (found !== 'nothing') await sendWaiting(found === 'hurry')
    } catch (error) {
      ports.report(error)
    }
  }
}

/** Not in step with the pages of others. */
const roundMs = { least: 800, spread: 400 }

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
    const worker = workerNow()
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
  const [{ readSession }, { readEntries }, { readUnknown }, { isSealedUp }] = await Promise.all([
    import('#local/session.ts'),
    import('#local/waiting.ts'),
    import('#local/watched.ts'),
    import('#local/seals.ts'),
  ])
  const session = await readSession()
  if (!session || session.signedOut) forgetNotes()
  if (session?.signedOut) return true
  if (session && (await isSealedUp(thisDevice().of(session)))) return true
  if ((await readUnknown()).length > 0) return true
  return (await readEntries()).some(({ state }) => state === 'waiting' || state === 'sending' || state === 'dropping')
}
