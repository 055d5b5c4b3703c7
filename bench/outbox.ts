/** Figures O1 to O4: measure the outbox in Chromium, and the complete portal under faults. Writes are counted in the server's database. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { enter } from '#tests/campaigns/tabs.ts'
import { type FaultReport, type FaultRound, runFaultCampaign } from '#tests/campaigns/faults.ts'
import { people, startPortal } from '#tests/support/browser/browser.ts'
import { type ChromiumProcess, startChromium } from '#tests/support/browser/chromium.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'
import type { PlannedWrite, WriteProgress } from '#tests/support/device/rig/rig.ts'
import { type Bench, type BenchFigure, median } from './figures.ts'

declare global {
  interface Window {
    bench: typeof import('./outbox/rig.ts')
  }
}

const writeCount = 1_000
const reconnectCount = 20

const emptyPage = '<!doctype html><title>Bench</title>'

interface BrowserStage {
  proxy: FaultProxy
  browser: ChromiumProcess
}

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-outbox-'))
  const servedFolder = join(folder, 'served')
  await buildRig(join(servedFolder, 'bench'), join(import.meta.dirname, 'outbox', 'rig.ts'))
  await buildRig(join(servedFolder, 'rig'))
  await writeFile(join(servedFolder, 'bench', 'index.html'), emptyPage)
  const portal = await startPortal()
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/bench/', join(servedFolder, 'bench'))
  proxy.mount('/saas/rig/', join(servedFolder, 'rig'))
  /** Each figure has its own browser profile, so that its waiting writes are not sent during the next one. */
  const runInBrowser = async (name: string, run: (browser: ChromiumProcess) => Promise<BenchFigure>) => {
    const browser = await startChromium(join(folder, name))
    try {
      return await run(browser)
    } finally {
      await browser.kill()
    }
  }
  try {
    const storeFigure = await runInBrowser(
      'stores',
      async (browser) => await measureStoring(await browser.openPage(), proxy, report),
    )
    const sendFigure = await runInBrowser('sends', (browser) => measureReconnect({ proxy, browser }, report))
    return [...(await measureUnderFaults(report)), sendFigure, storeFigure]
  } finally {
    await proxy.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Measures the 95th percentile of the time to store one write. Writes are stored one after another, and the first ones only warm up. */
async function measureStoring(page: Page, proxy: FaultProxy, report: (line: string) => void): Promise<BenchFigure> {
  page.setDefaultTimeout(600_000)
  await page.goto(`${proxy.url}/bench/index.html`)
  await page.evaluate(`import('/bench/rig.js').then((rig) => { window.bench = rig })`)
  const { company, username, password } = people.admin
  await page.evaluate((credentials) => window.bench.signInAndPickTarget(...credentials), [
    company,
    username,
    password,
  ] as const)
  await page.evaluate(() => window.bench.storeWrites(50))
  const times = await page.evaluate((n) => window.bench.storeWrites(n), writeCount)
  const p95 = times.toSorted((a, b) => a - b)[Math.ceil(writeCount * 0.95) - 1] ?? Number.NaN
  report(`${writeCount} writes stored, each in ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)}`)
  return {
    id: 'O4',
    title: 'a write is stored on the device, p95',
    value: p95,
    unit: 'ms',
    better: 'less',
    limit: 7,
    note: `median ${median(times).toFixed(1)} ms`,
  }
}

/** Throws if the write was not recorded. */
async function recordWrite(action: PlannedWrite): Promise<void> {
  const messages: WriteProgress[] = []
  await window.rig.writeAll([[action]], (progress) => messages.push(progress))
  if (!messages.some(({ outcome: kind }) => kind === 'recorded' || kind === 'queued'))
    throw new Error(JSON.stringify(messages))
}

/** Measures the time from the restored connection to the first byte of a waiting write, without any user action. */
async function measureReconnect(
  { proxy, browser }: BrowserStage,
  report: (line: string) => void,
): Promise<BenchFigure> {
  const page = await browser.openPage()
  await enter(page, { url: proxy.url })
  const durations: number[] = []
  for (let index = 0; index < reconnectCount; index++) {
    await browser.context.setOffline(true)
    const intent = crypto.randomUUID()
    const action = { intent, target: null, name: `Back ${index}`, email: `${intent}@acme.example` }
    await page.evaluate(recordWrite, action)
    const startedAt = Date.now()
    await browser.context.setOffline(false)
    durations.push((await waitForArrival(proxy, intent)) - startedAt)
  }
  const p95 = durations.toSorted((a, b) => a - b)[Math.ceil(reconnectCount * 0.95) - 1] ?? Number.NaN
  report(`first send after reconnecting: ${durations.join(', ')} ms`)
  return {
    id: 'O3',
    title: 'connection back to the first byte of a waiting write, p95',
    value: p95,
    unit: 'ms',
    better: 'less',
    limit: 1_000,
    note: `of ${reconnectCount}`,
  }
}

const arrivalTimeoutMs = 20_000

/** Waits for the write to reach the proxy. Returns the time of its first arrival, or Infinity if it did not arrive in time. */
async function waitForArrival({ arrivals }: FaultProxy, key: string): Promise<number> {
  const deadline = Date.now() + arrivalTimeoutMs
  for (;;) {
    const arrival = arrivals.find(({ keys }) => keys.includes(key))
    if (arrival) return arrival.arrivedAt
    if (Date.now() > deadline) return Number.POSITIVE_INFINITY
    await wait(2)
  }
}

const rounds: readonly FaultRound[] = [
  { faults: ['cut before the answer', 'cut in the answer'], share: 0.5, disruption: null },
  { faults: ['gateway error'], share: 0.7, disruption: null },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, disruption: 'worker stopped' },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, disruption: 'browser killed' },
  { faults: ['cut before the answer', 'gateway error'], share: 0.2, disruption: 'device offline' },
]

async function measureUnderFaults(report: (line: string) => void): Promise<BenchFigure[]> {
  const faultReport = await runFaultCampaign({ seed: 1, rounds, log: report })
  const { recoveryMs: recovered } = faultReport
  const slowestMs = recovered.at(-1) ?? Number.NaN
  return [
    {
      id: 'O1',
      title: 'writes lost, done twice or out of order under faults',
      value: countWrongWrites(faultReport),
      unit: 'n',
      better: 'less',
      limit: 0,
      note: `of ${faultReport.writes} writes, ${faultReport.arrivals} arrivals`,
    },
    {
      id: 'O2',
      title: 'end of a fault to an empty outbox, longest',
      value: slowestMs,
      unit: 'ms',
      better: 'less',
      limit: 2_000,
      note: `median ${Math.round(recovered[recovered.length >> 1] ?? 0)} ms, ${faultReport.stuck.length} stuck`,
    },
  ]
}

const countWrongWrites = ({
  lostWrites,
  doubledWrites,
  misorderedWrites,
  foreignWrites,
  tornWrites,
  stuck,
}: FaultReport) => [lostWrites, doubledWrites, misorderedWrites, foreignWrites, tornWrites, stuck].flat().length

export const outboxBench: Bench = { ids: ['O1', 'O2', 'O3', 'O4'], measure }
