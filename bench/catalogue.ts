/** C: the staff's lists of 1,000 modules and 5,000 apps, on a processor slowed four times: from the input to the rows on the screen. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { loadCatalogue } from './catalogue-world.ts'
import { type Bench, type Figure, median } from './figures.ts'

const rounds = 5
const slowed = 4
/** After an act, until all that it set going has come to rest. */
const restMs = 2_000

interface Act {
  name: string
  /** `round`: no two after each other lead to the same rows. */
  act: (page: Page, round: number) => Promise<unknown>
}
const press = (name: string) => (page: Page) =>
  page.locator('main').getByRole('button', { name, exact: true }).first().click()
const search = (begin: string) => (page: Page, round: number) =>
  page
    .locator('main [role=search] input')
    .first()
    .fill(`${begin}${round + 1}`)
const kinds = ['hidden', 'all', 'visible']

const turn: Act = { name: 'next page', act: press('Next page') }
const sort: Act = { name: 'sort', act: press('Name') }
const kind: Act = {
  name: 'kind',
  act: (page, round) => page.locator('main [role=search] select').selectOption(kinds[round % kinds.length] as string),
}
const lists = [
  {
    id: 'C2',
    what: '1,000 modules',
    path: '/app/m18/module',
    acts: [turn, sort, kind, { name: 'search', act: search('mod0') }],
  },
  {
    id: 'C3',
    what: 'the versions of 5,000 apps',
    path: '/app/apphistory',
    acts: [turn, sort, { name: 'search', act: search('app0') }],
  },
]

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'build.json')))
    throw new Error('there is no build: npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  await loadCatalogue(folder)
  const portal = await startPortal({}, folder)
  const browser = await openBrowser()
  try {
    const figures: Figure[] = []
    for (const { id, what, path, acts } of lists) {
      const medians: { name: string; ms: number }[] = []
      for (const { name, act } of acts) {
        const times = await timesOf(browser, portal, path, act)
        tell(`${what}, ${name}: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`)
        medians.push({ name, ms: median(times) })
      }
      const [slowest] = medians.toSorted((a, b) => b.ms - a.ms)
      figures.push({
        id,
        what: `${what}: page, order, filter, search; the slowest of them`,
        value: slowest?.ms ?? null,
        unit: 'ms',
        better: 'less',
        limit: 270,
        note: medians.map(({ name, ms }) => `${name} ${ms.toFixed(0)}`).join(', '),
      })
    }
    return figures
  } finally {
    await browser.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function timesOf(browser: Browser, portal: Portal, path: string, act: Act['act']): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await signIn(page, portal, 'staff', path)
    await page.waitForFunction(isWhole)
    await page.waitForTimeout(restMs)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowed })
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await page.evaluate(watch)
      await act(page, round)
      await page.waitForFunction(() => window.benchActed?.shownAt, null, { timeout: 20_000, polling: 100 })
      times.push(await page.evaluate(() => (window.benchActed?.shownAt ?? Number.NaN) - (window.benchActed?.at ?? 0)))
      await page.waitForTimeout(restMs)
    }
    return times
  } finally {
    await context.close()
  }
}

/** Runs in the page: the list says of when it is, and no longer how much of it is here. */
function isWhole(): boolean {
  const said = document.querySelector('.freshness')
  return said !== null && said.querySelector('time')?.textContent === said.textContent
}

declare global {
  interface Window {
    benchActed?: { at: number; shownAt: number }
  }
}

/** Runs in the page: notes when the input came, or the address moved (a search waits for the typing to rest), and the rows after it. */
function watch() {
  const codes = () =>
    Array.from(
      document.querySelectorAll('main tbody tr:not(.waiting)'),
      (row) => row.querySelector('code')?.textContent,
    ).join()
  const before = codes()
  const acted = { at: 0, shownAt: 0 }
  window.benchActed = acted
  const note = () => (acted.at = performance.now())
  addEventListener('click', note, { capture: true, once: true })
  addEventListener('change', note, { capture: true, once: true })
  navigation.addEventListener('navigate', () => document.activeElement?.matches('[role=search] input') && note(), {
    once: true,
  })
  const observer = new MutationObserver(() => {
    if (codes() === before || codes() === '') return
    observer.disconnect()
    // A message comes after the frame that draws them.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (acted.shownAt = performance.now())
      port2.postMessage(null)
    })
  })
  observer.observe(document.querySelector('main') as Element, { childList: true, subtree: true, characterData: true })
}

export const catalogue: Bench = { ids: ['C2', 'C3'], measure }
