/**
 * A worker may be ended while it brings the page: then Chromium asks the network for all the rest, as long as that page
 * lives, and without a line a device that has everything shows half of it, or nothing. The next load wakes the worker.
 */
import { hasFilledForm, reloadOnce } from '#app/pwa/reload-once.ts'

const checkAfterMs = 5_000
const timeoutMs = 10_000

/** From the first script on, which needs nothing that could be lost. */
export function recoverLostWorker(): void {
  addEventListener('vite:preloadError', () => void reloadIfLost())
  // What was never answered tells no error either.
  setTimeout(() => void reloadIfLost(), checkAfterMs)
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (resources.some(({ responseStatus }) => responseStatus === 0)) void reloadIfLost()
}

async function reloadIfLost(): Promise<void> {
  if ((await isLost()) && !hasFilledForm()) reloadOnce('minute')
}

/** What every device stores cannot be had, though there is a worker that has it, and will when the page is loaded again. */
async function isLost(): Promise<boolean> {
  const workers = navigator.serviceWorker
  if (!workers?.controller || !(await workers.getRegistration('/saas/'))?.active) return false
  const response = fetch('/saas/index.html', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
  return await response.then(
    ({ ok }) => !ok,
    () => true,
  )
}
