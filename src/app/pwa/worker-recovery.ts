/**
 * A worker may be ended while it brings the page: then Chromium asks the network for all the rest, as long as that page
 * lives, and without a line a device that has everything shows half of it, or nothing. The next load wakes the worker.
 */
import { isFilledIn, loadOnce } from '#app/pwa/reload-once.ts'

const lookMs = 5_000
const patienceMs = 10_000

/** From the first script on, which needs nothing that could be lost. */
export function followLostWorker(): void {
  addEventListener('vite:preloadError', () => void look())
  // What was never answered tells no error either.
  setTimeout(() => void look(), lookMs)
  const asked = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (asked.some(({ responseStatus }) => responseStatus === 0)) void look()
}

async function look(): Promise<void> {
  if ((await isLost()) && !isFilledIn()) loadOnce('minute')
}

/** What every device stores cannot be had, though there is a worker that has it, and will when the page is loaded again. */
async function isLost(): Promise<boolean> {
  const workers = navigator.serviceWorker
  if (!workers?.controller || !(await workers.getRegistration('/saas/'))?.active) return false
  const asked = fetch('/saas/index.html', { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
  return await asked.then(
    ({ ok }) => !ok,
    () => true,
  )
}
