/** Code that could not be fetched: most likely a new build took it away under an open page (P-15, W-10). */
import { isFilledIn, loadOnce } from '#app/pwa/reload-once.ts'
import { ports } from '#app/connection/api.ts'
import { isTyping } from '#app/pwa/unsaved-input.ts'
import { force, noteReady } from '#app/pwa/update-flow.ts'
import { askWord } from '#app/pwa/build-info.ts'

const maxTries = 10
const betweenMs = 1_000

/**
 * Brings the newer build if there is one, which this page is no use without. Else loads the page again, once. Nothing
 * without a line, nor over unsaved words.
 */
export async function loadAgain(): Promise<void> {
  const word = await askWord()
  if (!word) return
  const registration = await navigator.serviceWorker?.getRegistration('/saas/')
  if (registration?.active && word.build !== ports.build) {
    force()
    // Asked for more than once: the first time may meet a server that is only just back, or files on their way.
    for (let tries = 0; tries < maxTries && !registration.waiting; tries++) {
      if (!registration.installing) await registration.update().catch(() => undefined)
      await ports.wait(betweenMs)
    }
    if (registration.waiting) noteReady()
    return
  }
  // It is the same build that the server has: most likely only the line was lost for a moment, and pressing again brings it.
  if (!isTyping() && !isFilledIn()) loadOnce('build')
}
