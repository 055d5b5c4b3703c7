/** The page's pipeline: `api` for thunks (the store's extra argument), `ports` for signing in and out. */
import { cookies, unsentCountCookie } from '#contract/cookies.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { requestSync, browserPorts } from '#request/transport/browser-ports.ts'
import { createApi } from '#request/page/api.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { updateServerTime } from '#ui/page/business-clock.ts'
import { readAccessCookie, readCookie } from '#request/session/subject.ts'

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
let controlledCheck: Promise<boolean> | undefined

/** No worker is to be talked to, whoever is in control. */
let isWorkerBypassed = false
export const bypassWorker = () => void (isWorkerBypassed = true)
/** The worker that does what it is told; null: this page does it by itself. */
export const getWorker = () => (isWorkerBypassed ? null : (navigator.serviceWorker?.controller ?? null))

/** Workers of Firefox see no cookies. */
const readAccessToken = () => readAccessCookie(document.cookie)

/** False: there is no worker, and this page does it by itself. */
export function postToWorker(type: 'drain' | 'watch', immediate: boolean): boolean {
  const worker = getWorker()
  worker?.postMessage({ type, immediate, accessToken: readAccessToken() } satisfies WorkerMessage)
  return worker !== null
}

async function runPipeline(request: Request, endpoint: Endpoint): Promise<Response> {
  if (!isWorkerBypassed && (getWorker() ?? (await (controlledCheck ??= isControlled())))) {
    const sentAt = performance.now()
    const response = await fetch(withAccess(request))
    updateClock(response, performance.now() - sentAt)
    if (response.headers.has(headers.workerBuild)) return response
    // A worker in control that lets everything through (W-11): the server knew nobody, and nothing has happened.
    isWorkerBypassed = true
  }
  if (request.method === 'GET')
    return await (await import('#request/reads/read.ts')).handleRead(request, endpoint, ports)
  const { handleRequest } = await import('#request/pipeline/pipeline.ts')
  return await handleRequest(request, ports)
}

function withAccess(request: Request): Request {
  const copy = request.clone()
  const token = readAccessToken()
  if (token) copy.headers.set(headers.pageAccess, token)
  return copy
}

/** What took long may be of a time when this device had not gone to sleep yet. */
const maxClockDelayMs = 10_000

/** The server's time, by which everything is shown and decided. What the device answers by itself says nothing of it. */
function updateClock({ headers: responseHeaders }: Response, durationMs: number): void {
  const serverTime = Number(responseHeaders.get(headers.asOf) ?? Number.NaN)
  if (Number.isFinite(serverTime) && !responseHeaders.has(headers.storedResponse) && durationMs < maxClockDelayMs)
    updateServerTime(serverTime)
}

export const ports: PagePorts = {
  ...browserPorts,
  async network(request) {
    const sentAt = performance.now()
    const response = await fetch(request)
    updateClock(response, performance.now() - sentAt)
    return response
  },
  build: __BUILD__,
  pipeline: runPipeline,
  stepUp: async () => (await import(/* chunk: online */ '#app/connection/step-up-dialog.tsx')).openStepUpDialog(api),
  tokenAccess: {
    read: async () => readAccessToken(),
    onRenewed: () => {},
    forget: async () => {
      for (const name of Object.values(cookies.access))
        document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Strict${name.startsWith('__') ? '; Secure' : ''}`
    },
  },
  unsentCookie: {
    read: async () => readCookie(unsentCountCookie.name, document.cookie),
    write: async (text) => {
      const { name, path, maxAgeSeconds } = unsentCountCookie
      const secure = location.protocol === 'https:' ? '; Secure' : ''
      document.cookie = `${name}=${text}; Path=${path}; Max-Age=${text === '' ? 0 : maxAgeSeconds}; SameSite=Strict${secure}`
    },
  },
  requestWakeup: () => void navigator.serviceWorker?.getRegistration('/saas/').then(requestSync),
}

export const api = createApi(ports)
