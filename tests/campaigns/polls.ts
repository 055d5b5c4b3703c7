/**
 * Tests a long request while its page closes, its worker is killed and the connection changes. It must still be polled, by one poller only
 * (R-25).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { waitUntil } from '#tests/campaigns/long-requests.ts'
import { openBrowser, type Portal, signIn } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random, pick } from '#tests/support/runner/random.ts'
import { type ArrivedCall, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

const disruptionKinds = ['worker killed', 'page closed', 'connection cut', 'device offline'] as const

export interface PollReport {
  disruptionCounts: Partial<Record<(typeof disruptionKinds)[number], number>>
  pollCount: number
  requests: number
  overlapCount: number
  /** Times between two polls without a disruption, ms, sorted. */
  gaps: number[]
  /** Times from the end of a disruption to the next poll, ms, sorted. */
  recoveryMs: number[]
  faults: string[]
}

const timeoutMs = 30_000

export async function measurePolls(
  portal: Portal,
  runs: number,
  random: Random,
  log: (line: string) => void,
): Promise<PollReport> {
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  const browser = await openBrowser()
  const report: PollReport = {
    disruptionCounts: {},
    pollCount: 0,
    requests: 0,
    overlapCount: 0,
    gaps: [],
    recoveryMs: [],
    faults: [],
  }
  const listPolls = () => proxy.arrivals.filter(({ path }) => /^\/api\/request\/[^~]/.test(path))
  const disruptions: { startedAt: number; endedAt: number }[] = []
  try {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await signIn(page, { ...portal, url: proxy.url }, 'staff', '/app/activity?tab=tasks')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    const worker = await controlWorker(page)
    let otherPage = await openActivity(await context.newPage(), proxy.url)
    for (let run = 0; run < runs; run++) {
      report.requests += await keepOneRunning(page)
      const kind = pick(random, disruptionKinds)
      const startedAt = Date.now()
      if (kind === 'worker killed') await worker.stop()
      if (kind === 'page closed') {
        await otherPage.close()
        otherPage = await openActivity(await context.newPage(), proxy.url)
      }
      if (kind === 'connection cut') proxy.cut()
      if (kind === 'device offline') await context.setOffline(true)
      if (kind === 'connection cut' || kind === 'device offline') await wait(drawBetween(random, 100, 1_500))
      proxy.clearFaults()
      if (kind === 'device offline') await context.setOffline(false)
      const endedAt = Date.now()
      disruptions.push({ startedAt, endedAt })
      report.disruptionCounts[kind] = (report.disruptionCounts[kind] ?? 0) + 1
      const hasPollsAfter = (count: number) =>
        listPolls().filter(({ arrivedAt }) => arrivedAt > endedAt).length >= count
      if (await waitUntil(() => hasPollsAfter(1), timeoutMs)) report.recoveryMs.push(Date.now() - endedAt)
      else if (await isRunning(page)) report.faults.push(`no poll within ${timeoutMs} ms after: ${kind}`)
      // Waits for two more polls without a disruption to measure a gap.
      await waitUntil(async () => hasPollsAfter(3) || !(await isRunning(page)), 5_000)
      await wait(drawBetween(random, 0, 400))
      if ((run + 1) % 20 === 0) log(`R-25: ${run + 1} of ${runs}, ${report.faults.length} faults`)
    }
    if (!(await waitUntil(async () => !(await isRunning(page)), 120_000)))
      report.faults.push('the last request did not end')
    return countPolls(report, listPolls(), disruptions)
  } finally {
    await browser.close()
    await proxy.close()
  }
}

async function openActivity(page: Page, url: string): Promise<Page> {
  await page.goto(`${url}/saas/app/activity?tab=tasks`)
  await page.locator('main h1').waitFor()
  return page
}

const isRunning = async (page: Page) => (await page.locator('main').getByRole('progressbar').count()) > 0

/** Starts a request if none is running. Returns the number of requests started. */
async function keepOneRunning(page: Page): Promise<number> {
  if (await isRunning(page)) return 0
  await page.locator('main').getByRole('button', { name: 'Verify the audit trail', exact: true }).click()
  await page.locator('main').getByRole('progressbar').waitFor()
  return 1
}

function countPolls(
  report: PollReport,
  arrivedPolls: readonly ArrivedCall[],
  disruptions: readonly { startedAt: number; endedAt: number }[],
): PollReport {
  const byPath = Map.groupBy(arrivedPolls, ({ path }) => path)
  for (const arrivals of byPath.values())
    for (const [index, arrival] of arrivals.slice(1).entries()) {
      const previousArrival = arrivals[index] as ArrivedCall
      if (previousArrival.endedAt === null || previousArrival.endedAt > arrival.arrivedAt) report.overlapCount += 1
      if (
        !disruptions.some(
          ({ startedAt, endedAt }) => startedAt < arrival.arrivedAt && endedAt > previousArrival.arrivedAt,
        )
      )
        report.gaps.push(arrival.arrivedAt - previousArrival.arrivedAt)
    }
  report.pollCount = arrivedPolls.length
  report.gaps.sort((a, b) => a - b)
  report.recoveryMs.sort((a, b) => a - b)
  return report
}
