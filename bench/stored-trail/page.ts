/** Runs in Chromium with the portal's own pipeline and storage. `bench/stored-trail.ts` calls it step by step. */
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { openSession } from '#local/session/session.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { startStoredTrail, fillStoredTrail } from '#request/audit-trail/store-trail.ts'
import { proveStoredTrail } from '#request/audit-trail/prove.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { browserPorts } from '#request/transport/browser-ports.ts'

const companyId = 7
let isOnline = true
const ports: PipelinePorts = {
  ...browserPorts,
  build: 'bench',
  origin: location.origin,
  network: async (request) => {
    if (!isOnline) throw new TypeError('Failed to fetch')
    return await fetch(request)
  },
  tokenAccess: { read: async () => 'token', onRenewed: () => {}, forget: async () => {} },
  requestWakeup: () => {},
  report: (error) => console.error(error),
}

/** Returns the time in ms. */
async function fillTrail(entries: number): Promise<number> {
  await openSession(getThisDevice(), { companyId, userId: 1 })
  const openResponse = { company_id: companyId, keep: 'word', from: 0, to: entries, entries, bytes: entries * 900 }
  const startedAt = performance.now()
  await startStoredTrail(ports, { dateFrom: '2026-01-01', dateTo: '2026-06-30', today: '2026-07-01' }, openResponse)
  const result = await fillStoredTrail(ports, companyId)
  if (result.kind !== 'done') throw new Error(JSON.stringify(result))
  isOnline = false
  return performance.now() - startedAt
}

/** Runs one query offline, through the pipeline. Returns its time in ms and the number of matches. */
async function measureCall(endpoint: Endpoint, query: object): Promise<{ ms: number; count: number }> {
  const { path } = toHttpRequest(endpoint, { query } as never)
  const startedAt = performance.now()
  const response = await handleRequest(new Request(location.origin + path), ports)
  const body = (await response.json()) as { count?: number; data?: unknown[]; days?: unknown[] }
  const ms = performance.now() - startedAt
  if (!response.headers.has('x-kept')) throw new Error(`the response did not come from the device: ${response.status}`)
  return { ms, count: body.count ?? body.days?.length ?? 0 }
}

/** Proves all stored entries. Returns the time in ms, and the longest time in which the page could not render. */
async function proveAll(): Promise<{ ms: number; entries: number; frozenMs: number }> {
  let [lastTickAt, frozenMs] = [performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    frozenMs = Math.max(frozenMs, now - lastTickAt)
    lastTickAt = now
  }, 1)
  const startedAt = performance.now()
  const proof = await proveStoredTrail(ports, companyId)
  clearInterval(timer)
  if (proof?.kind !== 'proven') throw new Error(JSON.stringify(proof))
  return { ms: performance.now() - startedAt, entries: proof.entries, frozenMs }
}

const bench = {
  fillTrail,
  list: (query: object) => measureCall(listTrail, query),
  activity: (query: object) => measureCall(trailActivity, query),
  proveAll,
}
declare global {
  var trailBench: typeof bench
}
globalThis.trailBench = bench
