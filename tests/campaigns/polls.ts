/** A long request under a page that closes, a worker that is killed and a line that flips: still asked about, by one. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { until } from '#tests/campaigns/long-requests.ts'
import { openBrowser, type Portal, signIn } from '#tests/support/browser/browser.ts'
import { between, type Chance, pick } from '#tests/support/runner/chance.ts'
import { type Arrival, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

const kinds = ['worker killed', 'page closed', 'line cut', 'device offline'] as const

export interface Polls {
  struck: Partial<Record<(typeof kinds)[number], number>>
  polls: number
  requests: number
  /** Two polls of one request open at once. */
  overlaps: number
  /** Between two polls with no strike between them, ms, sorted. */
  gaps: number[]
  /** From the end of a strike to the next poll, ms, sorted. */
  recovered: number[]
  wrong: string[]
}

const patienceMs = 30_000

export async function polls(portal: Portal, runs: number, chance: Chance, say: (line: string) => void): Promise<Polls> {
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  const browser = await openBrowser()
  const report: Polls = { struck: {}, polls: 0, requests: 0, overlaps: 0, gaps: [], recovered: [], wrong: [] }
  const asked = () => proxy.arrivals.filter(({ path }) => /^\/api\/request\/[^~]/.test(path))
  const strikes: { from: number; to: number }[] = []
  try {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await signIn(page, { ...portal, url: proxy.url }, 'staff', '/app/activity')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    const worker = await controlWorker(page)
    let other = await show(await context.newPage(), proxy.url)
    for (let run = 0; run < runs; run++) {
      report.requests += await keepOneRunning(page)
      const kind = pick(chance, kinds)
      const from = Date.now()
      if (kind === 'worker killed') await worker.stop()
      if (kind === 'page closed') {
        await other.close()
        other = await show(await context.newPage(), proxy.url)
      }
      if (kind === 'line cut') proxy.cut()
      if (kind === 'device offline') await context.setOffline(true)
      if (kind === 'line cut' || kind === 'device offline') await wait(between(chance, 100, 1_500))
      proxy.heal()
      if (kind === 'device offline') await context.setOffline(false)
      const to = Date.now()
      strikes.push({ from, to })
      report.struck[kind] = (report.struck[kind] ?? 0) + 1
      const since = (count: number) => asked().filter(({ at }) => at > to).length >= count
      if (await until(() => since(1), patienceMs)) report.recovered.push(Date.now() - to)
      else if (await isRunning(page)) report.wrong.push(`nobody asked within ${patienceMs} ms after: ${kind}`)
      // Two more in peace, so that there is a gap to measure.
      await until(async () => since(3) || !(await isRunning(page)), 5_000)
      await wait(between(chance, 0, 400))
      if ((run + 1) % 20 === 0) say(`R-25: ${run + 1} of ${runs}, ${report.wrong.length} wrong`)
    }
    if (!(await until(async () => !(await isRunning(page)), 120_000))) report.wrong.push('the last never ended')
    return counted(report, asked(), strikes)
  } finally {
    await browser.close()
    await proxy.close()
  }
}

async function show(page: Page, url: string): Promise<Page> {
  await page.goto(`${url}/saas/app/activity`)
  await page.locator('main h1').waitFor()
  return page
}

const isRunning = async (page: Page) => (await page.locator('main').getByRole('progressbar').count()) > 0

/** Answers how many were begun. */
async function keepOneRunning(page: Page): Promise<number> {
  if (await isRunning(page)) return 0
  await page.locator('main').getByRole('button', { name: 'Verify the audit trail' }).click()
  await page.locator('main').getByRole('progressbar').waitFor()
  return 1
}

function counted(report: Polls, all: readonly Arrival[], strikes: readonly { from: number; to: number }[]): Polls {
  const byPath = Map.groupBy(all, ({ path }) => path)
  for (const arrivals of byPath.values())
    for (const [at, one] of arrivals.slice(1).entries()) {
      const before = arrivals[at] as Arrival
      if (before.endedAt === null || before.endedAt > one.at) report.overlaps += 1
      if (!strikes.some(({ from, to }) => from < one.at && to > before.at)) report.gaps.push(one.at - before.at)
    }
  report.polls = all.length
  report.gaps.sort((a, b) => a - b)
  report.recovered.sort((a, b) => a - b)
  return report
}
