import { cookies, unsentCountCookie } from '#contract/cookies.ts'
import { requestSync, browserPorts } from '#request/transport/browser-ports.ts'
import type { PipelinePorts, UnsentCookie } from '#request/ports.ts'
import { createWorkerAccess } from '#request/session/worker-access.ts'
import { checkBuildHeaders } from './build-check.ts'

declare const self: ServiceWorkerGlobalScope

const access = createWorkerAccess({
  async read() {
    if (!('cookieStore' in self)) return null
    for (const name of Object.values(cookies.access)) {
      const cookie = await self.cookieStore.get(name)
      if (cookie?.value) return cookie.value
    }
    return null
  },
  async delete() {
    if (!('cookieStore' in self)) return
    for (const name of Object.values(cookies.access)) await self.cookieStore.delete(name)
  },
})

/** Forgets the remembered token. Called when a page has another user, or none. */
export const clearAccess = (): void => access.onRenewed('')

/** `value` is the token in a page's cookie, or null if the page has none. */
export const storeAccess = (value: string | null): void => void (value && access.onRenewed(value))

/** Access to the unsent count. A worker that cannot read cookies leaves it to the next page. */
const unsentCookie: UnsentCookie = {
  read: async () =>
    'cookieStore' in self ? ((await self.cookieStore.get(unsentCountCookie.name))?.value ?? null) : null,
  async write(value) {
    if (!('cookieStore' in self)) return
    const { name, path, maxAgeSeconds } = unsentCountCookie
    if (value === '') return await self.cookieStore.delete({ name, path })
    const expires = Date.now() + maxAgeSeconds * 1_000
    await self.cookieStore.set({ name, value, path, expires, sameSite: 'strict' })
  },
}

async function fetchFromNetwork(request: Request): Promise<Response> {
  const response = await fetch(request)
  checkBuildHeaders(response)
  return response
}

/** Creates the ports for one event. Work that starts in the event keeps the worker alive until it is done. */
export const createPorts = (event: ExtendableEvent): PipelinePorts => ({
  ...browserPorts,
  network: fetchFromNetwork,
  build: __BUILD__,
  tokenAccess: access,
  keepAlive: (work) => event.waitUntil(work.catch(reportError)),
  unsentCookie,
  requestWakeup: () => void requestSync(self.registration),
})
