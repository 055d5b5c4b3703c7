/** The page's pipeline: `api` for thunks (the store's extra argument), `ports` for signing in and out. */
import { cookies, tallyCookie } from '#contract/cookies.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { askForSync, browserPorts } from '#request/transport/browser-ports.ts'
import { createApi } from '#request/page/api.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import type { WorkerMessage } from '#request/ports.ts'
import { hearServerTime } from '#ui/page/business-clock.ts'
import { accessFrom, cookieNamed } from '#request/session/subject.ts'

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

/** No worker is to be talked to, whoever is in control. */
let alone = false
export const standAlone = () => void (alone = true)
/** The worker that does what it is told; null: this page does it by itself. */
export const workerNow = () => (alone ? null : (navigator.serviceWorker?.controller ?? null))

/** Workers of Firefox see no cookies. */
const accessToken = () => accessFrom(document.cookie)

/** False: there is no worker, and this page does it by itself. */
export function postToWorker(type: 'drain' | 'watch', hurry: boolean): boolean {
  const worker = workerNow()
  worker?.postMessage({ type, hurry, accessToken: accessToken() } satisfies WorkerMessage)
  return worker !== null
}

async function runPipeline(request: Request, endpoint: Endpoint): Promise<Response> {
  if (!alone && (workerNow() ?? (await (controlled ??= isControlled())))) {
    const sentAt = performance.now()
    const answer = await fetch(withAccess(request))
    hearClock(answer, performance.now() - sentAt)
    if (answer.headers.has(headers.workerBuild)) return answer
    // A worker in control that lets everything through (W-11): the server knew nobody, and nothing has happened.
    alone = true
  }
  if (request.method === 'GET')
    return await (await import('#request/reads/read.ts')).handleRead(request, endpoint, ports)
  const { handle } = await import('#request/pipeline/pipeline.ts')
  return await handle(request, ports)
}

function withAccess(request: Request): Request {
  const copy = request.clone()
  const token = accessToken()
  if (token) copy.headers.set(headers.pageAccess, token)
  return copy
}

/** What took long may be of a time when this device had not gone to sleep yet. */
const freshMs = 10_000

/** The server's time, by which everything is shown and decided. What the device answers by itself says nothing of it. */
function hearClock({ headers: given }: Response, tookMs: number): void {
  const serverTime = Number(given.get(headers.asOf) ?? Number.NaN)
  if (Number.isFinite(serverTime) && !given.has(headers.kept) && tookMs < freshMs) hearServerTime(serverTime)
}

export const ports: PagePorts = {
  ...browserPorts,
  async network(request) {
    const sentAt = performance.now()
    const answer = await fetch(request)
    hearClock(answer, performance.now() - sentAt)
    return answer
  },
  build: __BUILD__,
  pipeline: runPipeline,
  stepUp: async () => (await import(/* chunk: online */ '#app/connection/StepUpDialog.tsx')).stepUp(api),
  access: {
    read: async () => accessToken(),
    renewed: () => {},
    forget: async () => {
      for (const name of Object.values(cookies.access))
        document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Strict${name.startsWith('__') ? '; Secure' : ''}`
    },
  },
  tally: {
    read: async () => cookieNamed(tallyCookie.name, document.cookie),
    write: async (text) => {
      const { name, path, maxAgeSeconds } = tallyCookie
      const secure = location.protocol === 'https:' ? '; Secure' : ''
      document.cookie = `${name}=${text}; Path=${path}; Max-Age=${text === '' ? 0 : maxAgeSeconds}; SameSite=Strict${secure}`
    },
  },
  wakeLater: () => void navigator.serviceWorker?.getRegistration('/saas/').then(askForSync),
}

export const api = createApi(ports)
