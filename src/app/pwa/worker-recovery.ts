/**
 * Recovers a page whose worker was terminated while it was loading the page. Chromium then loads everything else from the network as long
 * as the page is open, so offline the page is incomplete or empty. The next load starts the worker again.
 */
import { hasFilledForm, reloadOnce } from '#app/pwa/reload-once.ts'

const checkAfterMs = 5_000
const timeoutMs = 10_000
/** Time after the start of a navigation in which failed requests are expected, in ms. */
const leavingMs = 10_000

/** Called by the first script. Reloads the page once if its worker is lost and no form contains text. */
export function recoverLostWorker(): void {
  let leftAt = Number.NEGATIVE_INFINITY
  // Forms dispatch such an event themselves to ask for unsaved input. The browser's own is trusted.
  addEventListener('beforeunload', ({ isTrusted }) => {
    if (isTrusted) leftAt = Date.now()
  })
  // Firefox and WebKit abort the requests of a page when it is left, before the next page is there. A reload would then end the navigation,
  // for example to the payment provider.
  const isLeaving = () => Date.now() - leftAt < leavingMs
  const check = async () => {
    if ((await isLost()) && !isLeaving() && !hasFilledForm()) reloadOnce('minute')
  }
  addEventListener('vite:preloadError', () => void check())
  // A script request that never gets a response causes no error event, so the page is also checked after some seconds.
  setTimeout(() => void check(), checkAfterMs)
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  if (resources.some(({ responseStatus }) => responseStatus === 0)) void check()
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
