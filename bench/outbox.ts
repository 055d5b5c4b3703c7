/** O1 to O4: the outbox in Chromium, and the whole portal under faults, counted in the server's database. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { enter } from '#tests/campaigns/tabs.ts'
import { type Report, type Round, weather } from '#tests/campaigns/faults.ts'
import { people, startPortal } from '#tests/support/browser/browser.ts'
import { type Chromium, startChromium } from '#tests/support/browser/chromium.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'
import type { Deed, Told } from '#tests/support/device/rig/rig.ts'
import { type Bench, type Figure, median } from './figures.ts'

declare global {
  interface Window {
    bench: typeof import('./outbox/rig.ts')
  }
}

const writes = 1_000
const reconnects = 20

const emptyPage = '<!doctype html><title>Bench</title>'

interface Stage {
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
  /** A profile each: what the one leaves waiting is not sent by the other. */
  const inBrowser = async (name: string, run: (browser: Chromium) => Promise<Figure>) => {
    const browser = await startChromium(join(folder, name))
    try {
      return await run(browser)
    } finally {
      await browser.kill()
    }
  }
  try {
    const stored = await inBrowser('stores', async (browser) => await storing(await browser.page(), proxy, tell))
    const sends = await inBrowser('sends', (browser) => reconnected({ proxy, browser }, tell))
    return [...(await inWeather(tell)), sends, stored]
  } finally {
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The slowest twentieth of writes that are stored one after the other; the first of them only warm up. */
async function storing(page: Page, proxy: FaultProxy, tell: (line: string) => void): Promise<Figure> {
  page.setDefaultTimeout(600_000)
  await page.goto(`${proxy.url}/bench/index.html`)
  await page.evaluate(`import('/bench/rig.js').then((rig) => { window.bench = rig })`)
  const { company, username, password } = people.admin
  await page.evaluate((who) => window.bench.enter(...who), [company, username, password] as const)
  await page.evaluate(() => window.bench.store(50))
  const times = await page.evaluate((n) => window.bench.store(n), writes)
  const p95 = times.toSorted((a, b) => a - b)[Math.ceil(writes * 0.95) - 1] ?? Number.NaN
  tell(`${writes} writes stored, each in ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)}`)
  return {
    id: 'O4',
    what: 'a write is stored on the device, p95',
    value: p95,
    unit: 'ms',
    better: 'less',
    limit: 7,
    note: `median ${median(times).toFixed(1)} ms`,
  }
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
    id: 'O3',
    what: 'connection back to the first byte of a waiting write, p95',
    value: p95,
    unit: 'ms',
    better: 'less',
    limit: 1_000,
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

async function inWeather(tell: (line: string) => void): Promise<Figure[]> {
  const report = await weather({ seed: 1, rounds, say: tell })
  const { recovered } = report
  const slowest = recovered.at(-1) ?? Number.NaN
  return [
    {
      id: 'O1',
      what: 'writes lost, done twice or out of order under faults',
      value: wrong(report),
      unit: 'n',
      better: 'less',
      limit: 0,
      note: `of ${report.writes} writes, ${report.arrivals} arrivals`,
    },
    {
      id: 'O2',
      what: 'end of a fault to an empty outbox, longest',
      value: slowest,
      unit: 'ms',
      better: 'less',
      limit: 2_000,
      note: `median ${Math.round(recovered[recovered.length >> 1] ?? 0)} ms, ${report.stuck.length} stuck`,
    },
  ]
}

const wrong = ({ lost, doubled, disordered, foreign, torn, stuck }: Report) =>
  [lost, doubled, disordered, foreign, torn, stuck].flat().length

export const outbox: Bench = { ids: ['O1', 'O2', 'O3', 'O4'], measure }
