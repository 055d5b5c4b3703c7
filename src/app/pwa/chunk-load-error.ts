/** Handles code that could not be loaded, usually because a new build has replaced it (P-15, W-10). */
import { hasFilledForm, reloadOnce } from '#app/pwa/reload-once.ts'
import { isReplacedBy } from '#contract/client-build.ts'
import { ports } from '#app/connection/api.ts'
import { hasUnsavedInput } from '#app/pwa/unsaved-input.ts'
import { forceUpdate, markUpdateReady } from '#app/pwa/update-flow.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'

const maxTries = 10
const retryIntervalMs = 1_000

/**
 * Prepares the activation of a newer build if the server has one, else reloads the page once. Does nothing if the server cannot be reached.
 * Never reloads while there is unsaved input.
 */
export async function recoverFromLoadError(): Promise<void> {
  const buildInfo = await fetchBuildInfo()
  if (!buildInfo) return
  const registration = await navigator.serviceWorker?.getRegistration('/saas/')
  if (registration?.active && isReplacedBy(ports.build, buildInfo)) {
    forceUpdate()
    // Tried several times, because the server may just be restarting, or the files may still be loading.
    for (let tries = 0; tries < maxTries && !registration.waiting; tries++) {
      if (!registration.installing) await registration.update().catch(() => undefined)
      await ports.wait(retryIntervalMs)
    }
    if (registration.waiting) markUpdateReady()
    return
  }
  // The server has no newer build, so the connection was probably lost for a moment. Another click loads the code.
  if (!hasUnsavedInput() && !hasFilledForm()) reloadOnce('build')
}
