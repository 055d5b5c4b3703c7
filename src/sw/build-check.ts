/** What the server says of this worker's build, heard on the answers that pass through it. */
import { buildHeaders, isBelow } from '#contract/client-build.ts'
import { headers } from '#contract/headers.ts'
import type { PageMessage } from '#request/ports.ts'

declare const self: ServiceWorkerGlobalScope

let bypassed = false

/** The server wants no worker between (W-11): from here on every request is let through. */
export const isBypassed = () => bypassed

/** Only what our own server numbered is believed. */
export function heed({ headers: said }: Response): void {
  if (!said.has(headers.requestId)) return
  if (said.get(buildHeaders.worker) === 'bypass' && !bypassed) {
    bypassed = true
    void self.registration.unregister().catch(reportError)
    tellPages()
  }
  if (isBelow(__BUILD__, Number(said.get(buildHeaders.minimum) ?? 0))) tellPages()
}

let told = 0
const quietMs = 60_000

/** Pages ask the server themselves what it says: they know what is being typed. Not with every answer. */
function tellPages(): void {
  if (Date.now() - told < quietMs) return
  told = Date.now()
  const message: PageMessage = { type: 'look' }
  void self.clients.matchAll({ type: 'window' }).then((pages) => pages.forEach((page) => page.postMessage(message)))
}
