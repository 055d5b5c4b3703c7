/** What the server says of this worker's build, heard on the answers that pass through it. */
import { buildHeaders, isOlderBuild } from '#contract/client-build.ts'
import { headers } from '#contract/headers.ts'
import type { PageMessage } from '#request/ports.ts'

declare const self: ServiceWorkerGlobalScope

let isWorkerBypassed = false

/** The server wants no worker between (W-11): from here on every request is let through. */
export const isBypassed = () => isWorkerBypassed

/** Only what our own server numbered is believed. */
export function checkBuildHeaders({ headers: responseHeaders }: Response): void {
  if (!responseHeaders.has(headers.requestId)) return
  if (responseHeaders.get(buildHeaders.worker) === 'bypass' && !isWorkerBypassed) {
    isWorkerBypassed = true
    void self.registration.unregister().catch(reportError)
    notifyPages()
  }
  if (isOlderBuild(__BUILD__, Number(responseHeaders.get(buildHeaders.minimum) ?? 0))) notifyPages()
}

let notifiedAt = 0
const notifyIntervalMs = 60_000

/** Pages ask the server themselves what it says: they know what is being typed. Not with every answer. */
function notifyPages(): void {
  if (Date.now() - notifiedAt < notifyIntervalMs) return
  notifiedAt = Date.now()
  const message: PageMessage = { type: 'look' }
  void self.clients.matchAll({ type: 'window' }).then((pages) => pages.forEach((page) => page.postMessage(message)))
}
