/**
 * Figures L1 to L8: measure sign-in, the users list and the contract list in Chromium. They are compared with a page that has react-dom and
 * one fetched table (floor), and with the same page and a hand-written worker (floor-sw). Every round visits all of them, so that drift
 * affects all.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { fillLogin, openBrowser, people } from '#tests/support/browser/browser.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { startServer } from './server-process.ts'
import { type Bench, type BenchFigure, median, ratio } from './figures.ts'
import { startBaselinePage } from './baseline-page.ts'
import { type ThrottledProxy, openThrottledProxy } from './throttled-proxy.ts'
import { type PageTarget, type VisitTimes, visitPage } from './page-load.ts'

const roundCounts = { plain: 5, slow: 3 }
/** Maximum time of a round, in ms. A round usually takes about 30 s. After this time it is reported as hanging. */
const roundMs = 180_000
const quietMs = 1500

interface RoundTimes {
  baseline: VisitTimes
  baselineWorker: Record<'cold' | 'warm' | 'offline', VisitTimes>
  list: Record<'cold' | 'warm' | 'offline', VisitTimes>
  contracts: Record<'cold' | 'warm' | 'offline', VisitTimes>
  login: VisitTimes
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>

interface PageTargets {
  baseline: PageTarget
  baselineWorker: PageTarget
  login: PageTarget
  list: PageTarget
  contracts: PageTarget
  proxies: { portal: ThrottledProxy; baseline: ThrottledProxy }
  session: Session
}

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'build.json')))
    throw new Error('the client is not built: run npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const port = await findFreePort()
  const env = {
    DATA_DIR: folder,
    DEMO: '1',
    REQUEST_FACTOR: '1000',
    PORT: String(port),
    ARGON2_MEMORY_KB: '4096',
    ARGON2_TIME: '1',
  }
  const portal = await startServer('main.ts', env, { path: '/health/ready' })
  const baselinePage = await startBaselinePage()
  const proxies = { portal: await openThrottledProxy(port), baseline: await openThrottledProxy(baselinePage.port) }
  const browser = await openBrowser()
  try {
    const appUrl = `http://localhost:${proxies.portal.port}/saas`
    const baselineUrl = `http://localhost:${proxies.baseline.port}/`
    const rowSelector = 'table tbody td'
    const targets: PageTargets = {
      baseline: { url: baselineUrl, selector: rowSelector },
      baselineWorker: { url: `${baselineUrl}?sw`, selector: rowSelector },
      login: { url: `${appUrl}/login`, selector: 'form input[name="password"]' },
      list: { url: `${appUrl}/app/user`, selector: 'table tbody td a[href]' },
      contracts: { url: `${appUrl}/app/contract`, selector: 'table tbody td a[href]' },
      proxies,
      session: await createSignedInState(browser, appUrl),
    }
    const plainRounds: RoundTimes[] = []
    const slowRounds: RoundTimes[] = []
    for (let n = 0; n < roundCounts.plain; n++)
      plainRounds.push(await withTimeout(runRound(browser, targets, false, report)))
    for (let n = 0; n < roundCounts.slow; n++)
      slowRounds.push(await withTimeout(runRound(browser, targets, true, report)))
    return buildFigures(plainRounds, slowRounds)
  } finally {
    await browser.close()
    await Promise.all([proxies.portal.stop(), proxies.baseline.stop(), baselinePage.stop()])
    await portal.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`a round of visits took longer than ${roundMs} ms`)), roundMs).unref()
  })
  return Promise.race([work, timeout])
}

/** Creates a state with cookies and the device's session, but without cache and worker. */
async function createSignedInState(browser: Browser, appUrl: string): Promise<Session> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${appUrl}/login`)
  await fillLogin(page, people.admin)
  await page.locator('form button[type="submit"]').click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  await page.locator('main h1').waitFor()
  const storageState = await context.storageState({ indexedDB: true })
  await context.close()
  return storageState
}

async function runRound(
  browser: Browser,
  targets: PageTargets,
  isSlow: boolean,
  report: (line: string) => void,
): Promise<RoundTimes> {
  const { proxies, session } = targets
  for (const proxy of Object.values(proxies)) proxy.setSlow(isSlow)
  const cpu = isSlow ? 4 : 1
  const visitOnce = async (target: PageTarget) => {
    const context = await browser.newContext()
    const times = await visitPage(context, target, cpu)
    await context.close()
    return times
  }
  const visitThrice = async (target: PageTarget, proxy: ThrottledProxy, state?: Session) => {
    const context = await browser.newContext(state ? { storageState: state } : {})
    const cold = await visitPage(context, target, cpu)
    await waitForWorker(context, target, proxy)
    const warm = await visitPage(context, target, cpu)
    await proxy.waitForQuiet(quietMs)
    await context.setOffline(true)
    const offline = await visitPage(context, target, cpu)
    await context.close()
    return { cold, warm, offline }
  }
  const baseline = await visitOnce(targets.baseline)
  const baselineWorker = await visitThrice(targets.baselineWorker, proxies.baseline)
  const login = await visitOnce(targets.login)
  const list = await visitThrice(targets.list, proxies.portal, session)
  const contracts = await visitThrice(targets.contracts, proxies.portal, session)
  const formatMs = (times: VisitTimes) => times.readyMs.toFixed(0)
  report(
    `${isSlow ? 'slow ' : 'plain'}  floor ${formatMs(baseline)}  floor-sw ${formatMs(baselineWorker.cold)} ${formatMs(baselineWorker.warm)} ${formatMs(baselineWorker.offline)}` +
      `  sign-in ${formatMs(login)}  list ${formatMs(list.cold)} ${formatMs(list.warm)} ${formatMs(list.offline)}  ` +
      `contracts ${formatMs(contracts.cold)} ${formatMs(contracts.warm)} ${formatMs(contracts.offline)} ms`,
  )
  return { baseline, baselineWorker, list, contracts, login }
}

/** Waits until the worker has cached everything, with a page open as for users. */
async function waitForWorker(context: BrowserContext, { url }: PageTarget, proxy: ThrottledProxy): Promise<void> {
  const page = await context.newPage()
  await page.goto(url)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await proxy.waitForQuiet(quietMs)
  await page.close()
}

function buildFigures(plainRounds: RoundTimes[], slowRounds: RoundTimes[]): BenchFigure[] {
  const createFigure = (id: string, title: string, pairs: [VisitTimes, VisitTimes][], limit: number): BenchFigure => {
    const [portalTimes, baselineTimes] = [
      pairs.map(([portalVisit]) => portalVisit.readyMs),
      pairs.map(([, baselineVisit]) => baselineVisit.readyMs),
    ]
    return {
      id,
      title,
      value: ratio(portalTimes, baselineTimes),
      unit: 'x',
      better: 'less',
      limit,
      note: `${median(portalTimes).toFixed(0)} ms against ${median(baselineTimes).toFixed(0)}`,
    }
  }
  return [
    createFigure(
      'L1',
      'first visit to the list on a slow device vs a bare page',
      slowRounds.map(({ list, baseline }) => [list.cold, baseline]),
      2.5,
    ),
    createFigure(
      'L2',
      'first visit to sign-in on a slow device vs a bare page',
      slowRounds.map(({ login, baseline }) => [login, baseline]),
      1.9,
    ),
    createFigure(
      'L3',
      'list visited before vs a bare page with a worker',
      plainRounds.map(({ list, baselineWorker }) => [list.warm, baselineWorker.warm]),
      3,
    ),
    createFigure(
      'L4',
      'list offline vs a bare page with a worker',
      plainRounds.map(({ list, baselineWorker }) => [list.offline, baselineWorker.offline]),
      3.5,
    ),
    {
      id: 'L5',
      title: 'first visit to the list on a slow device, page blocked',
      value: median(slowRounds.map(({ list }) => list.cold.blockingMs)),
      unit: 'ms',
      better: 'less',
      limit: 200,
    },
    createFigure(
      'L6',
      'first visit to the contract list vs a bare page',
      plainRounds.map(({ contracts, baseline }) => [contracts.cold, baseline]),
      3.5,
    ),
    createFigure(
      'L7',
      'first visit to the contract list on a slow device vs a bare page',
      slowRounds.map(({ contracts, baseline }) => [contracts.cold, baseline]),
      2,
    ),
    createFigure(
      'L8',
      'contract list offline on a slow device vs a bare page with a worker',
      slowRounds.map(({ contracts, baselineWorker }) => [contracts.offline, baselineWorker.offline]),
      3,
    ),
  ]
}

export const pageBench: Bench = { ids: ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'], measure }
