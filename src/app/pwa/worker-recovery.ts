/**
 * Recovers a page whose worker was terminated while it was loading the page. Chromium then loads everything else from the network as long
 * as the page is open, so offline the page is incomplete or empty. The next load starts the worker again.
 */
import { hasFilledForm, reloadOnce } from '#app/pwa/reload-once.ts'

const checkAfterMs = 5_000
const timeoutMs = 10_000

/** Called by the first script. Reloads the page once if its worker is lost and no form contains text. */
export function recoverLostWorker(): void {
  addEventListener('vite:preloadError', () => void reloadIfLost())
  // A script request that never gets a response causes no error event, so the page is also checked after some seconds.
  setTimeout(() => void reloadIfLost(), checkAfterMs)
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (resources.some(({ responseStatus }) => responseStatus === 0)) void reloadIfLost()
}

async function reloadIfLost(): Promise<void> {
  if ((await isLost()) && !hasFilledForm()) reloadOnce('minute')
}

/** Returns true if files that every device stores cannot be loaded, although a worker has them and will serve them after a reload. */
async function isLost(): Promise<boolean> {
  const workers = navigator.serviceWorker
  if (!workers?.controller || !(await workers.getRegistration('/saas/'))?.active) return false
  const response = fetch('/saas/index.html', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
  return await response.then(
    ({ ok }) => !ok,
    () => true,
  )
}
