/**
 * Figures C2 and C3: measure the time from a user action to the rendered rows, in lists of 1,000 modules and 5,000 app versions, with the
 * CPU throttled to a quarter of its speed.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { loadCatalogue } from './catalogue-world.ts'
import { type Bench, type BenchFigure, median } from './figures.ts'

const roundCount = 5
const cpuSlowdown = 4
/** Wait after an action, until everything that it started has finished, in ms. */
const settleMs = 2_000

interface ListAction {
  name: string
  /** `round` varies, so that two runs in a row never lead to the same rows. */
  run: (page: Page, round: number) => Promise<unknown>
}
const clickButton = (name: string) => (page: Page) =>
  page.locator('main').getByRole('button', { name, exact: true }).first().click()
const fillSearch = (prefix: string) => (page: Page, round: number) =>
  page
    .locator('main [role=search] input')
    .first()
    .fill(`${prefix}${round + 1}`)
const kindValues = ['hidden', 'all', 'visible']

const turnPage: ListAction = { name: 'next page', run: clickButton('Next page') }
const sortByName: ListAction = { name: 'sort', run: clickButton('Name') }
const kindAction: ListAction = {
  name: 'kind',
  run: (page, round) =>
    page.locator('main [role=search] select').selectOption(kindValues[round % kindValues.length] as string),
}
const listCases = [
  {
    id: 'C2',
    title: '1,000 modules',
    path: '/app/m18/module',
    actions: [turnPage, sortByName, kindAction, { name: 'search', run: fillSearch('mod0') }],
  },
  {
    id: 'C3',
    title: 'the versions of 5,000 apps',
    path: '/app/apphistory',
    actions: [turnPage, sortByName, { name: 'search', run: fillSearch('app0') }],
  },
]

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  if (!existsSync(join(import.meta.dirname, '..', 'dist', 'build.json')))
    throw new Error('the client is not built: run npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'portal-bench-'))
  await loadCatalogue(folder)
  const portal = await startPortal({}, folder)
  const browser = await openBrowser()
  try {
    const figures: BenchFigure[] = []
    for (const { id, title, path, actions } of listCases) {
      const medians: { name: string; ms: number }[] = []
      for (const { name, run } of actions) {
        const times = await measureTimes(browser, portal, path, run)
        report(`${title}, ${name}: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`)
        medians.push({ name, ms: median(times) })
      }
      const [slowestAction] = medians.toSorted((a, b) => b.ms - a.ms)
      figures.push({
        id,
        title: `${title}: the slowest of page, order, filter and search`,
        value: slowestAction?.ms ?? null,
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

async function measureTimes(browser: Browser, portal: Portal, path: string, run: ListAction['run']): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await signIn(page, portal, 'staff', path)
    await page.waitForFunction(isListComplete)
    await page.waitForTimeout(settleMs)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown })
    const times: number[] = []
    for (let round = 0; round < roundCount; round++) {
      await page.evaluate(watchRows)
      await run(page, round)
      await page.waitForFunction(() => window.benchTimes?.displayedAt, null, { timeout: 20_000, polling: 100 })
      times.push(
        await page.evaluate(() => (window.benchTimes?.displayedAt ?? Number.NaN) - (window.benchTimes?.inputAt ?? 0)),
      )
      await page.waitForTimeout(settleMs)
    }
    return times
  } finally {
    await context.close()
  }
}

/** Runs in the page. Returns true if the list is complete: it shows only the time of its data, and no number of cached rows. */
function isListComplete(): boolean {
  const freshness = document.querySelector('.freshness')
  return freshness !== null && freshness.querySelector('time')?.textContent === freshness.textContent
}

declare global {
  interface Window {
    benchTimes?: { inputAt: number; displayedAt: number }
  }
}

/**
 * Runs in the page. Records when the user acted and when the new rows were rendered. The time of a search is that of the address change,
 * because the search starts after a delay.
 */
function watchRows() {
  const readCodes = () =>
    Array.from(
      document.querySelectorAll('main tbody tr:not(.waiting)'),
      (row) => row.querySelector('code')?.textContent,
    ).join()
  const codesBefore = readCodes()
  const times = { inputAt: 0, displayedAt: 0 }
  window.benchTimes = times
  const noteInput = () => (times.inputAt = performance.now())
  addEventListener('click', noteInput, { capture: true, once: true })
  addEventListener('change', noteInput, { capture: true, once: true })
  navigation.addEventListener('navigate', () => document.activeElement?.matches('[role=search] input') && noteInput(), {
    once: true,
  })
  const observer = new MutationObserver(() => {
    if (readCodes() === codesBefore || readCodes() === '') return
    observer.disconnect()
    // A message arrives after the frame that renders the rows.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (times.displayedAt = performance.now())
      port2.postMessage(null)
    })
  })
  observer.observe(document.querySelector('main') as Element, { childList: true, subtree: true, characterData: true })
}

export const catalogueBench: Bench = { ids: ['C2', 'C3'], measure }
