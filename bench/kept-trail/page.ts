/** Runs in Chromium, over the product's own pipeline and storage: what `bench/kept-trail.ts` calls, step by step. */
import { listTrail, trailActivity } from '#contract/audit-trail.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { toWire } from '#contract/http-mapping.ts'
import { openSession } from '#local/session/session.ts'
import { thisDevice } from '#local/storage/device.ts'
import { begin, fill } from '#request/audit-trail/keep-trail.ts'
import { proveAllKept } from '#request/audit-trail/prove.ts'
import { handle } from '#request/pipeline/pipeline.ts'
import type { Ports } from '#request/ports.ts'
import { browserPorts } from '#request/transport/browser-ports.ts'

const companyId = 7
let isOnline = true
const ports: Ports = {
  ...browserPorts,
  build: 'bench',
  origin: location.origin,
  network: async (request) => {
    if (!isOnline) throw new TypeError('Failed to fetch')
    return await fetch(request)
  },
  access: { read: async () => 'token', renewed: () => {}, forget: async () => {} },
  wakeLater: () => {},
  report: (error) => console.error(error),
}

/** ms. */
async function keep(entries: number): Promise<number> {
  await openSession(thisDevice(), { companyId, userId: 1 })
  const opened = { company_id: companyId, keep: 'word', from: 0, to: entries, entries, bytes: entries * 900 }
  const began = performance.now()
  await begin(ports, { dateFrom: '2026-01-01', dateTo: '2026-06-30', today: '2026-07-01' }, opened)
  const result = await fill(ports, companyId)
  if (result.kind !== 'done') throw new Error(JSON.stringify(result))
  isOnline = false
  return performance.now() - began
}

/** One question without a network, through the pipeline; ms, and how many there are. */
async function ask(endpoint: Endpoint, query: object): Promise<{ ms: number; count: number }> {
  const { path } = toWire(endpoint, { query } as never)
  const began = performance.now()
  const answer = await handle(new Request(location.origin + path), ports)
  const body = (await answer.json()) as { count?: number; data?: unknown[]; days?: unknown[] }
  const ms = performance.now() - began
  if (!answer.headers.has('x-kept')) throw new Error(`not from the device: ${answer.status}`)
  return { ms, count: body.count ?? body.days?.length ?? 0 }
}

/** ms, and the longest time that the page could not draw meanwhile. */
async function proveAll(): Promise<{ ms: number; entries: number; frozenMs: number }> {
  let [last, frozenMs] = [performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    frozenMs = Math.max(frozenMs, now - last)
    last = now
  }, 1)
  const began = performance.now()
  const proof = await proveAllKept(ports, companyId)
  clearInterval(timer)
  if (proof?.kind !== 'proven') throw new Error(JSON.stringify(proof))
  return { ms: performance.now() - began, entries: proof.entries, frozenMs }
}

const bench = {
  keep,
  list: (query: object) => ask(listTrail, query),
  activity: (query: object) => ask(trailActivity, query),
  proveAll,
}
declare global {
  var keptBench: typeof bench
}
globalThis.keptBench = bench
