/**
 * L1 to L7: sign-in and the users list in Chromium, against a page that is react-dom and one fetched table (floor), and
 * the same with a hand-written worker (floor-sw). Every round visits all of them, so what drifts, drifts for all.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { fillLogin, openBrowser, people } from '#tests/support/browser.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startServer } from './child.ts'
import { type Bench, type Figure, median, ratio } from './figures.ts'
import { startFloor } from './floor.ts'
import { type Gate, openGate } from './gate.ts'
import { type Place, type Visit, visit } from './visit.ts'

const rounds = { plain: 5, slow: 3 }
/** A round takes some 20 s; one that hangs is told, not waited for. */
const roundMs = 180_000
const quietMs = 1500

interface Round {
  floor: Visit
  floorSw: Record<'cold' | 'warm' | 'offline', Visit>
  list: Record<'cold' | 'warm' | 'offline', Visit>
  login: Visit
  /** From the server, with all that the worker keeps. */
  wireBytes: number
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>

interface Places {
  floor: Place
  floorSw: Place
  login: Place
  list: Place
  gates: { portal: Gate; floor: Gate }
  session: Session
}

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'build.json')))
    throw new Error('there is no build: npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const port = await freePort()
  const env = { DATA_DIR: folder, DEMO: '1', PORT: String(port), ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }
  const portal = await startServer('server/main.ts', env, { path: '/health/ready' })
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
    const before = gate.bytes()
    const cold = await visit(context, place, cpu)
    await kept(context, place, gate)
    const wireBytes = gate.bytes() - before
    const warm = await visit(context, place, cpu)
    await gate.quiet(quietMs)
    await context.setOffline(true)
    const offline = await visit(context, place, cpu)
    await context.close()
    return { cold, warm, offline, wireBytes }
  }
  const floor = await alone(places.floor)
  const { wireBytes: _, ...floorSw } = await thrice(places.floorSw, gates.floor)
  const login = await alone(places.login)
  const { wireBytes, ...list } = await thrice(places.list, gates.portal, session)
  const ms = (found: Visit) => found.readyMs.toFixed(0)
  tell(
    `${isSlow ? 'slow ' : 'plain'}  floor ${ms(floor)}  floor-sw ${ms(floorSw.cold)} ${ms(floorSw.warm)} ${ms(floorSw.offline)}` +
      `  sign-in ${ms(login)}  list ${ms(list.cold)} ${ms(list.warm)} ${ms(list.offline)} ms`,
  )
  return { floor, floorSw, list, login, wireBytes }
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
  const times = (
    id: string,
    what: string,
    pick: (round: Round) => [Visit, Visit],
    limits: [number, number][] | null,
    when: 'readyMs' | 'answersMs' = 'readyMs',
  ): Figure[] =>
    [plain, slow].map((rounds, at) => {
      const ours = rounds.map((round) => pick(round)[0][when])
      const floor = rounds.map((round) => pick(round)[1].readyMs)
      const [hard, stretch] = limits?.[at] ?? limits?.[0] ?? [null, null]
      const note = `${median(ours).toFixed(0)} ms against ${median(floor).toFixed(0)}`
      return {
        id,
        what: `${what}, ${at === 0 ? 'plain' : 'slow'}`,
        value: ratio(ours, floor),
        unit: 'x',
        better: 'less',
        hard,
        stretch,
        note,
      }
    })
  const most = (
    id: string,
    what: string,
    unit: 'kB' | 'ms',
    values: number[],
    hard: number,
    stretch: number,
  ): Figure => ({
    id,
    what,
    value: median(values),
    unit,
    better: 'less',
    hard,
    stretch,
  })
  const kB = (bytes: number) => bytes / 1000
  const near: [number, number][] = [
    [2.5, 1.8],
    [1.8, 1.4],
  ]
  const warm = ({ list, floorSw }: Round): [Visit, Visit] => [list.warm, floorSw.warm]
  const offline = ({ list, floorSw }: Round): [Visit, Visit] => [list.offline, floorSw.offline]
  return [
    ...times('L1', 'cold list vs floor', ({ list, floor }) => [list.cold, floor], near),
    ...times('L1', 'cold sign-in vs floor', ({ login, floor }) => [login, floor], near),
    most(
      'L2',
      'script until the first list, gzip',
      'kB',
      plain.map(({ list }) => kB(list.cold.scriptBytes)),
      170,
      155,
    ),
    most(
      'L2',
      'script until sign-in, gzip',
      'kB',
      plain.map(({ login }) => kB(login.scriptBytes)),
      115,
      110,
    ),
    ...times('L3', 'warm list vs floor-sw', warm, [[1.8, 1.4]]),
    ...times('L3', 'the same until a row answers', warm, null, 'answersMs'),
    ...times('L4', 'offline list vs floor-sw', offline, [[1.8, 1.4]]),
    ...times('L4', 'the same until a row answers', offline, null, 'answersMs'),
    most(
      'L5',
      'blocking at 4x CPU, cold',
      'ms',
      slow.map(({ list }) => list.cold.blockingMs),
      150,
      50,
    ),
    most(
      'L5',
      'blocking at 4x CPU, offline',
      'ms',
      slow.map(({ list }) => list.offline.blockingMs),
      150,
      50,
    ),
    most(
      'L6',
      'wire with precache',
      'kB',
      plain.map(({ wireBytes }) => kB(wireBytes)),
      350,
      220,
    ),
    {
      id: 'L7',
      what: 'heap after the first list vs floor',
      value: ratio(
        plain.map(({ list }) => list.cold.heapMb),
        plain.map(({ floor }) => floor.heapMb),
      ),
      unit: 'x',
      better: 'less',
      hard: 3,
      stretch: 2.2,
      note: `${median(plain.map(({ list }) => list.cold.heapMb)).toFixed(1)} MB against ${median(plain.map(({ floor }) => floor.heapMb)).toFixed(1)}`,
    },
  ]
}

export const page: Bench = { ids: ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7'], measure }
