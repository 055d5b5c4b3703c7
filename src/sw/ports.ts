/** What the worker lends to the corridor. */
import { cookies } from '#contract/cookies.ts'
import { askForSync, browserPorts } from '#request/browser.ts'
import type { Access, Ports } from '#request/ports.ts'

declare const self: ServiceWorkerGlobalScope

/** In memory only, and gone with the worker (K-13): for browsers whose workers cannot read cookies. */
let last: string | null = null

const access: Access = {
  async read() {
    if (!('cookieStore' in self)) return last
    for (const name of Object.values(cookies.access)) {
      const found = await self.cookieStore.get(name)
      if (found?.value) return found.value
    }
    return null
  },
  renewed(value) {
    last = value
  },
  async forget() {
    last = null
    if (!('cookieStore' in self)) return
    for (const name of Object.values(cookies.access)) await self.cookieStore.delete(name)
  },
}

/** Ports for one event: what is begun in it keeps the worker alive until it is done. */
export const portsFor = (event: ExtendableEvent): Ports => ({
  ...browserPorts,
  build: __BUILD__,
  access,
  lasting: (work) => event.waitUntil(work.catch(reportError)),
  wakeLater: () => void askForSync(self.registration),
})
