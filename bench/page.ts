/**
 * L1 to L8: sign-in, the users list and the contract list in Chromium, against a page that is react-dom and one fetched table (floor), and
 * the same with a hand-written worker (floor-sw). Every round visits all of them, so what drifts, drifts for all.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { fillLogin, openBrowser, people } from '#tests/support/browser/browser.ts'
import { freePort } from '#tests/support/server/free-port.ts'
import { startServer } from './server-process.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { startFloor } from './baseline-page.ts'
import { type Gate, openGate } from './throttled-proxy.ts'
import { type Place, type Visit, visit } from './visit.ts'

const rounds = { plain: 5, slow: 3 }
/** A round takes some 30 s; one that hangs is told, not waited for. */
const roundMs = 180_000
const quietMs = 1500

interface Round {
  floor: Visit
  floorSw: Record<'cold' | 'warm' | 'offline', Visit>
  list: Record<'cold' | 'warm' | 'offline', Visit>
  contracts: Record<'cold' | 'warm' | 'offline', Visit>
  login: Visit
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>

interface Places {
  floor: Place
  floorSw: Place
  login: Place
  list: Place
  contracts: Place
  gates: { portal: Gate; floor: Gate }
  session: Session
}

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'build.json')))
    throw new Error('there is no build: npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const port = await freePort()
  const env = {
    DATA_DIR: folder,
    DEMO: '1',
    REQUEST_FACTOR: '1000',
    PORT: String(port),
    ARGON2_MEMORY_KB: '4096',
    ARGON2_TIME: '1',
  }
  const portal = await startServer('main.ts', env, { path: '/health/ready' })
  const floor = await startFloor()
  const gates = { portal: await openGate(port), floor: await openGate(floor.port) }
  const browser = await openBrowser()
  try {
    const app = `http://localhost:${gates.portal.port}/saas`
    const bare = `http://localhost:${gates.floor.port}/`
    const row = 'table tbody td'
    const places: Places = {
      floor: { url: bare, selector: row },
      floorSw: { url: `${bare}?sw`, selector: row },
      login: { url: `${app}/login`, selector: 'form input[name="password"]' },
      list: { url: `${app}/app/user`, selector: 'table tbody td a[href]' },
      contracts: { url: `${app}/app/contract`, selector: 'table tbody td a[href]' },
      gates,
      session: await signedIn(browser, app),
    }
    const plain: Round[] = []
    const slow: Round[] = []
    for (let n = 0; n < rounds.plain; n++) plain.push(await inTime(round(browser, places, false, tell)))
    for (let n = 0; n < rounds.slow; n++) slow.push(await inTime(round(browser, places, true, tell)))
    return figures(plain, slow)
  } finally {
    await browser.close()
    await Promise.all([gates.portal.stop(), gates.floor.stop(), floor.stop()])
    await portal.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, fail) => {
    setTimeout(() => fail(new Error('a round of visits hung')), roundMs).unref()
  })
  return Promise.race([work, late])
}

/** Cookies and the device's word on whose session it is; no cache, no worker. */
async function signedIn(browser: Browser, app: string): Promise<Session> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${app}/login`)
  await fillLogin(page, people.admin)
  await page.locator('form button[type="submit"]').click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  await page.locator('main h1').waitFor()
  const state = await context.storageState({ indexedDB: true })
  await context.close()
  return state
}

async function round(browser: Browser, places: Places, isSlow: boolean, tell: (line: string) => void): Promise<Round> {
  const { gates, session } = places
  for (const gate of Object.values(gates)) gate.slow(isSlow)
  const cpu = isSlow ? 4 : 1
  const alone = async (place: Place) => {
    const context = await browser.newContext()
    const found = await visit(context, place, cpu)
    await context.close()
    return found
  }
  const thrice = async (place: Place, gate: Gate, state?: Session) => {
    const context = await browser.newContext(state ? { storageState: state } : {})
    const cold = await visit(context, place, cpu)
    await kept(context, place, gate)
    const warm = await visit(context, place, cpu)
    await gate.quiet(quietMs)
    await context.setOffline(true)
    const offline = await visit(context, place, cpu)
    await context.close()
    return { cold, warm, offline }
  }
  const floor = await alone(places.floor)
  const floorSw = await thrice(places.floorSw, gates.floor)
  const login = await alone(places.login)
  const list = await thrice(places.list, gates.portal, session)
  const contracts = await thrice(places.contracts, gates.portal, session)
  const ms = (found: Visit) => found.readyMs.toFixed(0)
  tell(
    `${isSlow ? 'slow ' : 'plain'}  floor ${ms(floor)}  floor-sw ${ms(floorSw.cold)} ${ms(floorSw.warm)} ${ms(floorSw.offline)}` +
      `  sign-in ${ms(login)}  list ${ms(list.cold)} ${ms(list.warm)} ${ms(list.offline)}  ` +
      `contracts ${ms(contracts.cold)} ${ms(contracts.warm)} ${ms(contracts.offline)} ms`,
  )
  return { floor, floorSw, list, contracts, login }
}

/** Until the worker has all it keeps: a page stands open, as it does with people. */
async function kept(context: BrowserContext, { url }: Place, gate: Gate): Promise<void> {
  const page = await context.newPage()
  await page.goto(url)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await gate.quiet(quietMs)
  await page.close()
}

function figures(plain: Round[], slow: Round[]): Figure[] {
  const times = (id: string, what: string, pairs: [Visit, Visit][], limit: number): Figure => {
    const [ours, floor] = [pairs.map(([visit]) => visit.readyMs), pairs.map(([, visit]) => visit.readyMs)]
    return {
      id,
      what,
      value: ratio(ours, floor),
      unit: 'x',
      better: 'less',
      limit,
      note: `${median(ours).toFixed(0)} ms against ${median(floor).toFixed(0)}`,
    }
  }
  return [
    times(
      'L1',
      'first visit to the list on a slow device vs a bare page',
      slow.map(({ list, floor }) => [list.cold, floor]),
      2.5,
    ),
    times(
      'L2',
      'first visit to sign-in on a slow device vs a bare page',
      slow.map(({ login, floor }) => [login, floor]),
      1.9,
    ),
    times(
      'L3',
      'list visited before vs a bare page with a worker',
      plain.map(({ list, floorSw }) => [list.warm, floorSw.warm]),
      3,
    ),
    times(
      'L4',
      'list offline vs a bare page with a worker',
      plain.map(({ list, floorSw }) => [list.offline, floorSw.offline]),
      3.5,
    ),
    {
      id: 'L5',
      what: 'first visit to the list on a slow device, page blocked',
      value: median(slow.map(({ list }) => list.cold.blockingMs)),
      unit: 'ms',
      better: 'less',
      limit: 200,
    },
    times(
      'L6',
      'first visit to the contract list vs a bare page',
      plain.map(({ contracts, floor }) => [contracts.cold, floor]),
      3.5,
    ),
    times(
      'L7',
      'first visit to the contract list on a slow device vs a bare page',
      slow.map(({ contracts, floor }) => [contracts.cold, floor]),
      2,
    ),
    times(
      'L8',
      'contract list offline on a slow device vs a bare page with a worker',
      slow.map(({ contracts, floorSw }) => [contracts.offline, floorSw.offline]),
      3,
    ),
  ]
}

export const page: Bench = { ids: ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'], measure }
