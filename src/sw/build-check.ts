/** Reads what the server says about this worker's build, from the headers of responses that pass through it. */
import { buildHeaders, isOlderBuild } from '#contract/client-build.ts'
import { headers } from '#contract/headers.ts'
import type { PageMessage } from '#request/ports.ts'

declare const self: ServiceWorkerGlobalScope

let isWorkerBypassed = false

/** True if the server has turned the worker off (W-11). From then on every request is passed through. */
export const isBypassed = () => isWorkerBypassed

/** Checks the build headers of a response. Responses without the portal's request id are ignored. */
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

/**
 * Makes the pages ask the server for its build, at most once per interval. The pages decide about an update, because only they can check
 * for unsaved input.
 */
function notifyPages(): void {
  if (Date.now() - notifiedAt < notifyIntervalMs) return
  notifiedAt = Date.now()
  const message: PageMessage = { type: 'look' }
  void self.clients.matchAll({ type: 'window' }).then((pages) => pages.forEach((page) => page.postMessage(message)))
}
