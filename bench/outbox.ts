/**
 * O1 to O4: the outbox in Chromium against a loop by hand over IndexedDB and against Workbox's queue, in turns, each in a browser
 * of its own on a profile on disk, over the same server; and the whole portal in bad weather, counted in the server's database.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { enter } from '#tests/campaigns/tabs.ts'
import { type Report, type Round, weather } from '#tests/campaigns/faults.ts'
import { people, startPortal } from '#tests/support/browser.ts'
import { chanceOf } from '#tests/support/chance.ts'
import { type Chromium, startChromium } from '#tests/support/chromium.ts'
import { type Arrival, drawn, type Fault, faults, type FaultProxy, openFaultProxy } from '#tests/support/fault-proxy.ts'
import { buildRig } from '#tests/support/rig/build.ts'
import type { Deed, Told } from '#tests/support/rig/rig.ts'
import type { Bench, Figure } from './figures.ts'

type Name = keyof typeof import('./outbox/rig.ts')['contenders']
declare global {
  interface Window {
    bench: typeof import('./outbox/rig.ts')
  }
}

const writes = 1_000
const reconnects = 20

/** Workbox asks for the environment of a bundler. */
const emptyPage = `<!doctype html><title>Bench</title><script>self.process = { env: { NODE_ENV: 'production' } }</script>`

const names = ['limit', 'ours', 'workbox'] as const satisfies readonly Name[]

interface Stage {
  page: Page
  proxy: FaultProxy
  browser: Chromium
}

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-outbox-'))
  const served = join(folder, 'served')
  await buildRig(join(served, 'bench'), join(import.meta.dirname, 'outbox', 'rig.ts'))
  await buildRig(join(served, 'rig'))
  await writeFile(join(served, 'bench', 'index.html'), emptyPage)
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/bench/', join(served, 'bench'))
  proxy.mount('/saas/rig/', join(served, 'rig'))
  const stages = {} as Record<Name, Stage>
  try {
    // A profile each: all databases of one are one to Chromium, and what one queue threw away slows the next one's writes (0027).
    for (const name of names) {
      const browser = await startChromium(join(folder, name))
      stages[name] = { page: await browser.page(), proxy, browser }
      await enterBench(stages[name])
    }
    const speeds = await race(stages, tell)
    const losses = await peerLosses(stages.workbox, tell)
    const sends = await reconnected(stages.ours, tell)
    return [...(await inWeather(tell, losses)), ...speeds, sends]
  } finally {
    for (const { browser } of Object.values(stages)) await browser.kill()
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function enterBench({ page, proxy }: Stage): Promise<void> {
  page.setDefaultTimeout(600_000)
  await page.goto(`${proxy.url}/bench/index.html`)
  await page.evaluate(`import('/bench/rig.js').then((rig) => { window.bench = rig })`)
  const { company, username, password } = people.admin
  await page.evaluate((who) => window.bench.enter(...who), [company, username, password] as const)
}

interface Timed {
  enqueueMs: number
  p95Ms: number
  drainMs: number
  togetherMs: number
}

async function time({ page }: Stage, name: Name, many: number): Promise<Timed> {
  const before = await page.evaluate(() => window.bench.version())
  const queued = await page.evaluate(([who, n]) => window.bench.contenders[who].enqueue(n), [name, many] as const)
  const sent = await page.evaluate((who) => window.bench.contenders[who].drain(), name)
  const effects = (await page.evaluate(() => window.bench.version())) - before
  if (sent.left > 0 || effects !== many) throw new Error(`${name}: ${effects} of ${many} done, ${sent.left} left`)
  const togetherMs = await page.evaluate(([who, n]) => window.bench.contenders[who].together(n), [name, many] as const)
  return { enqueueMs: queued.ms, p95Ms: queued.p95Ms, drainMs: sent.ms, togetherMs }
}

/** In turn and twice over, so that what drifts, drifts for all; the first round only warms up. */
async function race(stages: Record<Name, Stage>, tell: (line: string) => void): Promise<Figure[]> {
  const took = {} as Record<Name, Timed>
  for (const many of [50, writes])
    for (const name of names) {
      took[name] = await time(stages[name], name, many)
      const { enqueueMs, p95Ms, drainMs, togetherMs } = took[name]
      const [one, all, sent] = [enqueueMs, togetherMs, drainMs].map(Math.round)
      tell(
        `${name}: ${many} writes stored in ${all} ms, one by one in ${one} ms (p95 ${p95Ms.toFixed(1)}), sent in ${sent} ms`,
      )
    }
  const { ours, limit, workbox } = took
  const than = (what: 'drainMs' | 'enqueueMs' | 'togetherMs') => `Workbox ${(workbox[what] / limit[what]).toFixed(2)}x`
  return [
    {
      id: 'O3',
      what: `${writes} ordered writes drained / serial loop by hand`,
      value: ours.drainMs / limit.drainMs,
      unit: 'x',
      better: 'less',
      hard: 1,
      stretch: 0.25,
      note: `${Math.round(ours.drainMs)} ms; ${than('drainMs')}`,
    },
    {
      id: 'O4',
      what: `${writes} writes stored durably, asked for together / by hand`,
      value: ours.togetherMs / limit.togetherMs,
      unit: 'x',
      better: 'less',
      hard: 1.1,
      stretch: 0.5,
      note: `${than('togetherMs')}, which is not durable`,
    },
    {
      id: 'O4 each',
      what: 'the same, each after the one before / by hand',
      value: ours.enqueueMs / limit.enqueueMs,
      unit: 'x',
      better: 'less',
      hard: null,
      stretch: null,
      note: than('enqueueMs'),
    },
    {
      id: 'O4 p95',
      what: 'one write stored durably, p95',
      value: ours.p95Ms,
      unit: 'ms',
      better: 'less',
      hard: 5,
      stretch: null,
      note: `by hand ${limit.p95Ms.toFixed(1)} ms`,
    },
  ]
}

/** A write that the server got to see. */
const isDeed = ({ method, fault }: Arrival) => method === 'PUT' && (fault === null || faults[fault].deed)

/** What becomes of fifty writes of Workbox's queue under one fault: told for comparison. */
async function peerLosses({ page, proxy }: Stage, tell: (line: string) => void): Promise<string> {
  const many = 50
  const said: string[] = []
  for (const fault of ['gateway error', 'cut before the answer'] satisfies Fault[]) {
    const before = await page.evaluate(() => window.bench.version())
    await page.evaluate((n) => window.bench.contenders.workbox.enqueue(n), many)
    const arrived = proxy.arrivals.length
    proxy.set(drawn(chanceOf(1), [fault], { share: 0.3 }))
    const { left } = await page.evaluate(() => window.bench.contenders.workbox.drain())
    proxy.heal()
    const effects = (await page.evaluate(() => window.bench.version())) - before
    const times = proxy.arrivals.slice(arrived).filter(isDeed).length
    said.push(`${fault}: of ${many - left} called sent ${effects} took effect, ${times} times asked for`)
  }
  tell(`workbox under faults, ${said.join('; ')}`)
  return said.join('; ')
}

/** Throws where it was not recorded. */
async function recordedOne(deed: Deed): Promise<void> {
  const told: Told[] = []
  await window.rig.writeAll([[deed]], (one) => told.push(one))
  if (!told.some(({ what }) => what === 'recorded' || what === 'queued')) throw new Error(JSON.stringify(told))
}

/** From the line being back to the first byte of what waited, with nobody doing anything. */
async function reconnected({ proxy, browser }: Stage, tell: (line: string) => void): Promise<Figure> {
  const page = await browser.page()
  await enter(page, { url: proxy.url })
  const took: number[] = []
  for (let at = 0; at < reconnects; at++) {
    await browser.context.setOffline(true)
    const intent = crypto.randomUUID()
    const deed = { intent, target: null, name: `Back ${at}`, email: `${intent}@acme.example` }
    await page.evaluate(recordedOne, deed)
    const from = Date.now()
    await browser.context.setOffline(false)
    took.push((await arrivalOf(proxy, intent)) - from)
  }
  const p95 = took.toSorted((a, b) => a - b)[Math.ceil(reconnects * 0.95) - 1] ?? Number.NaN
  tell(`first send after reconnecting: ${took.join(', ')} ms`)
  return {
    id: 'O2 line',
    what: 'line back to first byte of what waited, p95',
    value: p95,
    unit: 'ms',
    better: 'less',
    hard: 1_000,
    stretch: null,
    note: `of ${reconnects}`,
  }
}

const givenUpMs = 20_000

/** When it first reached the line. */
async function arrivalOf({ arrivals }: FaultProxy, key: string): Promise<number> {
  const until = Date.now() + givenUpMs
  for (;;) {
    const found = arrivals.find(({ keys }) => keys.includes(key))
    if (found) return found.at
    if (Date.now() > until) return Number.POSITIVE_INFINITY
    await wait(2)
  }
}

const rounds: readonly Round[] = [
  { faults: ['cut before the answer', 'cut in the answer'], share: 0.5, strike: null },
  { faults: ['gateway error'], share: 0.7, strike: null },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, strike: 'worker stopped' },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, strike: 'browser killed' },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, strike: 'device offline' },
]

async function inWeather(tell: (line: string) => void, peer: string): Promise<Figure[]> {
  const report = await weather({ seed: 1, rounds, say: tell })
  const { recovered } = report
  const slowest = recovered.at(-1) ?? Number.NaN
  return [
    {
      id: 'O1',
      what: 'lost, doubled or out of order under faults',
      value: wrong(report),
      unit: 'n',
      better: 'less',
      hard: 0,
      stretch: 0,
      note: `of ${report.writes} writes, ${report.arrivals} arrivals; Workbox ${peer}`,
    },
    {
      id: 'O2',
      what: 'fault ended to nothing waiting, no outside event, longest',
      value: slowest,
      unit: 'ms',
      better: 'less',
      hard: 2_000,
      stretch: 500,
      note: `median ${Math.round(recovered[recovered.length >> 1] ?? 0)} ms, ${report.stuck.length} stuck`,
    },
  ]
}

const wrong = ({ lost, doubled, disordered, foreign, torn, stuck }: Report) =>
  [lost, doubled, disordered, foreign, torn, stuck].flat().length

export const outbox: Bench = { ids: ['O1', 'O2', 'O2 line', 'O3', 'O4', 'O4 each', 'O4 p95'], measure }
