/** Code that could not be fetched: most likely a new build took it away under an open page (P-15, W-10). */
import { hasFilledForm, reloadOnce } from '#app/pwa/reload-once.ts'
import { ports } from '#app/connection/api.ts'
import { hasUnsavedInput } from '#app/pwa/unsaved-input.ts'
import { forceUpdate, markUpdateReady } from '#app/pwa/update-flow.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'

const maxTries = 10
const retryIntervalMs = 1_000

/**
 * Brings the newer build if there is one, which this page is no use without. Else loads the page again, once. Nothing
 * without a line, nor over unsaved words.
 */
export async function recoverFromLoadError(): Promise<void> {
  const buildInfo = await fetchBuildInfo()
  if (!buildInfo) return
  const registration = await navigator.serviceWorker?.getRegistration('/saas/')
  if (registration?.active && buildInfo.build !== ports.build) {
    forceUpdate()
    // Asked for more than once: the first time may meet a server that is only just back, or files on their way.
    for (let tries = 0; tries < maxTries && !registration.waiting; tries++) {
      if (!registration.installing) await registration.update().catch(() => undefined)
      await ports.wait(retryIntervalMs)
    }
    if (registration.waiting) markUpdateReady()
    return
  }
  // It is the same build that the server has: most likely only the line was lost for a moment, and pressing again brings it.
  if (!hasUnsavedInput() && !hasFilledForm()) reloadOnce('build')
}
