/** The page's corridor: `api` for thunks (the store's extra argument), `ports` for signing in and out. */
import { cookies } from '#contract/cookies.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { askForSync, browserPorts } from '#request/browser.ts'
import { createApi, type PagePorts } from '#request/call.ts'
import { accessFrom } from '#request/subject.ts'

declare const __BUILD__: string

/** Whether a worker is in control; the first page of a visit gives it a moment to take over. */
async function isControlled(): Promise<boolean> {
  const workers = navigator.serviceWorker
  if (!workers) return false
  if (workers.controller) return true
  const registration = await workers.getRegistration('/saas/')
  if (!registration?.active) return false
  // After a forced reload there is none for as long as the page lives: a moment, then the page does it.
  return await Promise.race([
    new Promise<boolean>((resolve) =>
      workers.addEventListener('controllerchange', () => resolve(true), { once: true }),
    ),
    browserPorts.wait(controllerWaitMs).then(() => false),
  ])
}

const controllerWaitMs = 300
let controlled: Promise<boolean> | undefined

async function corridor(request: Request, endpoint: Endpoint): Promise<Response> {
  if (navigator.serviceWorker?.controller) return await fetch(request)
  if (await (controlled ??= isControlled())) return await fetch(request)
  if (request.method === 'GET') return await (await import('#request/reads.ts')).handleRead(request, endpoint, ports)
  const { handle } = await import('#request/pipeline.ts')
  return await handle(request, ports)
}

export const ports: PagePorts = {
  ...browserPorts,
  build: __BUILD__,
  corridor,
  access: {
    read: async () => accessFrom(document.cookie),
    renewed: () => {},
    forget: async () => {
      for (const name of Object.values(cookies.access))
        document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Strict${name.startsWith('__') ? '; Secure' : ''}`
    },
  },
  wakeLater: () => void navigator.serviceWorker?.getRegistration('/saas/').then(askForSync),
}

export const api = createApi(ports)
