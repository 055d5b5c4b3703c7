/**
 * Q1, Q2: what a price costs to work out, and whether the wizard keeps up with a hand that drags the number of users, both by a
 * list of 20 ranges and 300 modules. The hand is real input of the browser; the machine is slowed four times.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import type { PriceList, UserRange } from '#domain/fees/list.ts'
import { quoteCreate } from '#domain/fees/quote.ts'
import { fillLogin, openBrowser, people, type Person } from '#tests/support/browser.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startServer } from './child.ts'
import { type Bench, type Figure, median } from './figures.ts'

const size = { ranges: 20, modules: 300 }
const charges = (hkd: number) => ({
  hkd: `${hkd}.50`,
  usd: `${Math.round(hkd / 8)}.25`,
  rmb: `${Math.round(hkd * 0.9)}.75`,
})
const ranges: UserRange[] = Array.from({ length: size.ranges }, (_, at) => ({
  from: at * 10 + 1,
  to: at === size.ranges - 1 ? 999_999 : at * 10 + 10,
  ...charges(1200 - at * 20),
}))
const codes = Array.from({ length: size.modules }, (_, at) => `bench${String(at).padStart(3, '0')}`)
const list: PriceList = {
  uat_charge: '12.50',
  uat_cap_hkd: '5000.00',
  uat_cap_usd: '640.00',
  uat_cap_rmb: '4500.00',
  min_concurrent_user: 5,
  min_named_user: 10,
  min_fee_hkd: '20000.00',
  min_fee_usd: '2560.00',
  min_fee_rmb: '18000.00',
  concurrentUser: ranges,
  namedUser: ranges,
  module: codes.map((code, at) => ({ code, ...charges(900 + at) })),
}

/** Each quote is of another number of users and of modules chosen anew; the slowest twentieth is told, not the usual one. */
function quote(): Figure {
  const times: number[] = []
  for (let at = -2000; at < 10_000; at++) {
    const choice = { user_mode: 'CONCURRENT', users: 5 + (Math.abs(at) % 400), modules: [...codes], uat: 1 } as const
    const began = performance.now()
    const result = quoteCreate({ list, currency: 'HKD', choice }, '2026-03-01', 2)
    const took = performance.now() - began
    if (result.is !== 'quote') throw new Error(`no price: ${result.is}`)
    if (at >= 0) times.push(took * 1000)
  }
  const value = slowest(times)
  const note = `p95; usually ${median(times).toFixed(1)}`
  return {
    id: 'Q1',
    what: 'a quote of 20 ranges, 300 modules',
    value,
    unit: 'us',
    better: 'less',
    hard: 100,
    stretch: 50,
    note,
  }
}

const slowest = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN

const frameMs = 16.7
const settleMs = 5000
/** Of the numbers that were shown. */
const comparedEach = 10
const restMs = 500
const dryFrames = 20
const stepsThere = 30
/** In turns with the bare page: what else the machine does is done to both. */
const turns = 5

async function wizard(tell: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  const port = await freePort()
  const env = { DATA_DIR: folder, DEMO: '1', PORT: String(port), ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }
  const portal = await startServer('server/main.ts', env, { path: '/health/ready' })
  const browser = await openBrowser()
  try {
    const app = `http://localhost:${port}/saas`
    const open = async (who: Person) => {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      await page.goto(`${app}/login`)
      await fillLogin(page, who)
      await page.locator('form button[type="submit"]').click()
      await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
      await page.locator('main h1').waitFor()
      return page
    }
    const staff = await open(people.staff)
    await stock(staff)
    await staff.context().close()
    const page = await open(people.admin)
    const { id } = await post<{ id: number }>(page, '/api/sorder', {
      code: 'benchfrom',
      name: 'Bench',
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 20,
      modules: codes,
      period: 1,
      period_start: await today(page),
    })
    await page.goto(`${app}/app/contract/new?from=${id}`)
    await page.locator('.draft-note button').waitFor()
    // What the worker stores of a first visit is no matter of this.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.waitForTimeout(settleMs)
    const bare = await openBare(await browser.newContext({ viewport: { width: 1280, height: 800 } }))
    const closed: number[] = []
    const floor: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      closed.push(...(await drag(page)).times)
      floor.push(...(await drag(bare)).times)
    }
    // By itself: to look takes time, too.
    const { shown } = await drag(page, true)
    const behind = await countBehind(page, shown)
    await page.locator('.price-why summary').click()
    const { times: opened } = await drag(page)
    tell(`frames under the hand: ${told(closed)}; with the reasons open: ${told(opened)}; a bare page: ${told(floor)}`)
    const figure = (what: string, times: number[], hard: number | null): Figure => ({
      id: 'Q2',
      what,
      value: slowest(times),
      unit: 'ms',
      better: 'less',
      hard,
      stretch: hard && hard / 2,
      note: `p95 of ${times.length}; usually ${median(times).toFixed(1)}`,
    })
    return [
      {
        id: 'Q2',
        what: 'frames under the hand that show another number, or not its price',
        value: behind.frames,
        unit: 'n',
        better: 'less',
        hard: 0,
        stretch: null,
        note: `of ${shown.length}; ${behind.compared} numbers compared with what the form itself works out`,
      },
      figure('a frame while users are dragged, 4x CPU', closed, frameMs),
      // How much else the machine does makes a bare page late, too: by this, one run can be compared with another.
      {
        id: 'Q2',
        what: 'the same / of a bare page with a slider, a number, five texts',
        value: slowest(closed) / slowest(floor),
        unit: 'x',
        better: 'less',
        hard: 2,
        stretch: 1.2,
        note: `${slowest(closed).toFixed(1)} ms against ${slowest(floor).toFixed(1)}; usually ${median(floor).toFixed(1)}`,
      },
      figure('a frame with the reasons open', opened, null),
    ]
  } finally {
    await browser.close()
    await portal.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** How many frames did not yet show what the hand had asked for; what a number costs is asked of the form, by typing it. */
async function countBehind(page: Page, shown: readonly Shown[]): Promise<{ frames: number; compared: number }> {
  const price = new Map(shown.map(({ number, amount }) => [number, amount]))
  const wrong = new Set<string>()
  const numbers = [...price.keys()].filter((_, at) => at % comparedEach === 0)
  for (const number of numbers) {
    await page.locator('input[name="users"]').fill(number)
    await page.waitForTimeout(restMs)
    if ((await page.locator('.price-amount').textContent()) !== price.get(number)) wrong.add(number)
  }
  const isBehind = ({ asked, number, amount }: Shown) =>
    asked !== number || amount !== price.get(number) || wrong.has(number)
  return { frames: shown.filter(isBehind).length, compared: numbers.length }
}

const told = (times: readonly number[]) =>
  `${median(times).toFixed(1)} ms, p95 ${slowest(times).toFixed(1)}, ${times.length} of them`

const today = (page: Page) => page.evaluate(() => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10))

/** As the signed-in user, past the page. */
async function post<T>(page: Page, path: string, body: object): Promise<T> {
  const answer = await page.evaluate(
    async ({ path, body }) => {
      const access = /portal-access=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      const headers = { authorization: `Bearer ${access}`, 'content-type': 'application/json' }
      const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { ok: response.ok, text: await response.text() }
    },
    { path, body },
  )
  if (!answer.ok) throw new Error(`${path}: ${answer.text}`)
  return JSON.parse(answer.text) as T
}

/** The modules, and the list in force from today on. */
async function stock(page: Page): Promise<void> {
  const ids = new Map<string, number>()
  for (const code of codes) {
    const made = await post<{ id: number }>(page, '/api/module', { code, name: `Module ${code}` })
    ids.set(code, made.id)
  }
  await post(page, '/api/pricelist', {
    ...list,
    type: 'saas',
    effective_date: await today(page),
    desc: 'Bench',
    confirmed: true,
    pdbPrice: null,
    module: list.module.map((row) => ({ ...row, module_id: ids.get(row.code) ?? 0 })),
  })
}

/** What a hand costs where nothing stands but what it moves. */
async function openBare(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.setContent(
    `<!doctype html><style>input{inline-size:600px}</style><input type="range" class="users-range" min="1" max="400">
    <input type="number">${'<p></p>'.repeat(5)}`,
  )
  await page.evaluate(() => {
    const [slider, number] = document.querySelectorAll('input')
    const texts = [...document.querySelectorAll('p')]
    slider?.addEventListener('input', () => {
      if (number) number.value = slider.value
      for (const [n, text] of texts.entries()) text.textContent = `HKD ${(Number(slider.value) * (n + 1)).toFixed(2)}`
    })
  })
  return page
}

/** What a frame shows as it is about to be drawn, and what the slider asks for. */
interface Shown {
  asked: string
  number: string
  amount: string
}

interface Dragged {
  /** Of each frame, ms. */
  times: number[]
  /** Where it was looked for. */
  shown: Shown[]
}

/**
 * From the moment the page hears of the hand until the frame is drawn, for each step of a drag from end to end. The browser
 * hands out such input right before a frame, so that there is no waiting in it. A message that the frame sends itself comes when
 * it is drawn, unless the next frame goes first; then that one's beginning is the end of this.
 */
async function drag(page: Page, looks = false): Promise<Dragged> {
  await page.bringToFront()
  await page.evaluate(
    ({ looks, dryFrames }) => {
      const times: number[] = []
      const shown: Shown[] = []
      const last = new AbortController()
      ;(window as { benchStop?: AbortController }).benchStop?.abort()
      Object.assign(window, { benchFrames: { times, shown }, benchStop: last })
      const slider = document.querySelector<HTMLInputElement>('.users-range')
      const number = document.querySelector<HTMLInputElement>('input[name="users"]')
      const amount = document.querySelector('.price-amount')
      const channel = new MessageChannel()
      let began = 0
      let frame = 0
      let isDrawing = false
      const end = (which: number) => {
        if (which !== frame || began === 0) return
        times.push(performance.now() - began)
        began = 0
        isDrawing = false
      }
      channel.port1.onmessage = ({ data }) => end(data as number)
      const hear = () => {
        if (isDrawing) end(frame)
        if (began > 0) return
        began = performance.now()
        const mine = ++frame
        requestAnimationFrame(() => {
          if (looks)
            shown.push({ asked: slider?.value ?? '', number: number?.value ?? '', amount: amount?.textContent ?? '' })
          isDrawing = true
          channel.port2.postMessage(mine)
          requestAnimationFrame(() => end(mine))
        })
      }
      // What measures has run before, so that its own first times are not the page's.
      return (async () => {
        for (let dry = 0; dry < dryFrames; dry++) {
          hear()
          await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
        }
        times.length = 0
        shown.length = 0
        slider?.addEventListener('input', hear, { capture: true, signal: last.signal })
      })()
    },
    { looks, dryFrames },
  )
  const slider = page.locator('.users-range')
  await slider.scrollIntoViewIfNeeded()
  const box = await slider.boundingBox()
  if (!box) throw new Error('there is no slider')
  const client = await page.context().newCDPSession(page)
  // Only while it is dragged: Chromium slows a page by keeping a core busy, also for one that has nothing to do.
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const at = { y: box.y + box.height / 2, button: 'left', buttons: 1 } as const
  const send = (type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', x: number) =>
    client.send('Input.dispatchMouseEvent', { type, x, clickCount: 1, ...at })
  const end = box.width - 16
  // A mouse comes from somewhere.
  for (let step = 1; step <= stepsThere; step++) {
    const part = step / stepsThere
    await client.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: (box.x + 8) * part, y: at.y * part })
  }
  await send('mousePressed', box.x + 8)
  for (let step = 0; step <= 240; step++)
    await send('mouseMoved', box.x + 8 + end * (step <= 120 ? step / 120 : 2 - step / 120))
  await send('mouseReleased', box.x + 8)
  await page.waitForTimeout(500)
  await client.detach()
  return await page.evaluate(() => (window as unknown as { benchFrames: Dragged }).benchFrames)
}

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const figure = quote()
  tell(`a quote: ${figure.note} us`)
  return [figure, ...(await wizard(tell))]
}

export const quotes: Bench = { ids: ['Q1', 'Q2'], measure }
