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

/** Returns true if a worker controls the page. Waits up to 300 ms if a worker is active but not in control yet. */
async function isControlled(): Promise<boolean> {
  const workers = navigator.serviceWorker
  if (!workers) return false
  if (workers.controller) return true
  const registration = await workers.getRegistration('/saas/')
  if (!registration?.active) return false
  // After a forced reload no worker ever controls the page, so the wait is limited. Then the page handles its requests itself.
  return await Promise.race([
    new Promise<boolean>((resolve) =>
      workers.addEventListener('controllerchange', () => resolve(true), { once: true }),
    ),
    browserPorts.wait(controllerWaitMs).then(() => false),
  ])
}

const controllerWaitMs = 300
let controlledCheck: Promise<boolean> | undefined

/** True if the worker must not be used, even if one is in control. */
let isWorkerBypassed = false
export const bypassWorker = () => void (isWorkerBypassed = true)
/** Returns the worker in control, or null if this page handles requests itself. */
export const getWorker = () => (isWorkerBypassed ? null : (navigator.serviceWorker?.controller ?? null))

/** Reads the access token from its cookie. It is sent to the worker, because workers in Firefox cannot read cookies. */
const readAccessToken = () => readAccessCookie(document.cookie)

/** Returns false if no worker is in control. Then the page must send or poll itself. */
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
    // A worker in control that passes everything through (W-11): the server received the request without a session, and it had no effect.
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

/** Maximum duration of a request whose server time is used, in ms. The response of a longer one may date from before the device slept. */
const maxClockDelayMs = 10_000

/** Updates the server's time, which all pages use. Responses of the device itself are ignored. */
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
