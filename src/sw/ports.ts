/** What the worker lends to the request pipeline. */
import { cookies, tallyCookie } from '#contract/cookies.ts'
import { askForSync, browserPorts } from '#request/transport/browser-ports.ts'
import type { Ports, UnsentCookie } from '#request/ports.ts'
import { createWorkerAccess } from '#request/session/worker-access.ts'
import { heed } from './build-check.ts'

declare const self: ServiceWorkerGlobalScope

const access = createWorkerAccess({
  async read() {
    if (!('cookieStore' in self)) return null
    for (const name of Object.values(cookies.access)) {
      const found = await self.cookieStore.get(name)
      if (found?.value) return found.value
    }
    return null
  },
  async delete() {
    if (!('cookieStore' in self)) return
    for (const name of Object.values(cookies.access)) await self.cookieStore.delete(name)
  },
})

/** Somebody has logged out or in. */
export const dropAccess = (): void => access.renewed('')

/** The token in a page's cookie; null: the page has none. */
export const noteAccess = (value: string | null): void => void (value && access.renewed(value))

/** A worker that cannot read cookies leaves it to the next page. */
const tally: UnsentCookie = {
  read: async () => ('cookieStore' in self ? ((await self.cookieStore.get(tallyCookie.name))?.value ?? null) : null),
  async write(value) {
    if (!('cookieStore' in self)) return
    const { name, path, maxAgeSeconds } = tallyCookie
    if (value === '') return await self.cookieStore.delete({ name, path })
    const expires = Date.now() + maxAgeSeconds * 1_000
    await self.cookieStore.set({ name, value, path, expires, sameSite: 'strict' })
  },
}

async function network(request: Request): Promise<Response> {
  const response = await fetch(request)
  heed(response)
  return response
}

/** Ports for one event: what is begun in it keeps the worker alive until it is done. */
export const portsFor = (event: ExtendableEvent): Ports => ({
  ...browserPorts,
  network,
  build: __BUILD__,
  access,
  lasting: (work) => event.waitUntil(work.catch(reportError)),
  tally,
  wakeLater: () => void askForSync(self.registration),
})
