/** A list that was visited stands there before any script has run, as it was last drawn (L3, L4), and only for its user. */
import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fillLogin, people, signIn } from '#tests/support/browser.ts'
import { partKept } from '#tests/support/parts.ts'
import { controlled, desk, listed, phone, rows, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()

async function inside(who: 'admin' | 'user', options = desk): Promise<{ context: BrowserContext; page: Page }> {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who)
  await controlled(page)
  return { context, page }
}

const at = (path: string) => `${the.portal.url}/saas${path}`

/** Opens the list and waits until the worker has been given what stands there. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(at(path))
  await listed(page)
  await expect.poll(() => keptPaths(page)).toContain(`drawn /saas${path}`)
}

/** Of all users of this device. */
const keptPaths = (page: Page) =>
  page.evaluate(async () => {
    const found: string[] = []
    for (const { name } of await indexedDB.databases()) {
      if (!name || !/^portal-\d+-\d+$/.test(name)) continue
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => resolve(opening.result)
        opening.onerror = () => reject(new Error(name))
      })
      const keys = await new Promise<IDBValidKey[]>((resolve, reject) => {
        const asking = db.transaction('readings').objectStore('readings').getAllKeys()
        asking.onsuccess = () => resolve(asking.result)
        asking.onerror = () => reject(new Error(name))
      })
      db.close()
      found.push(...keys.filter((key): key is string => typeof key === 'string' && key.startsWith('drawn ')))
    }
    return found
  })

/** A tab in which no script of the page runs: what stands in it came with the answer. */
async function withoutScripts(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setScriptExecutionDisabled', { value: true })
  await page.goto(at(path))
  return page
}

/** How often a page is opened that may come without its rows: the worker does not wait for a device that stands still. */
const mostTries = 3

/** What stood there when it was opened, once more if nothing did. */
async function untilDrawn(open: () => Promise<Page>, isDrawn: (page: Page) => Promise<boolean>): Promise<Page> {
  for (let tries = 1; ; tries++) {
    const page = await open()
    if (tries === mostTries || (await isDrawn(page))) return page
    await page.close()
  }
}

it.each([
  ['/app/user', desk],
  ['/app/user', phone],
  ['/app/contract', desk],
] as const)(
  '%s stands there, offline, before any script has run, and answers nothing',
  async (path, options) => {
    const { context, page } = await inside('admin', options)
    if (path === '/app/contract') await partKept(page, 'orders')
    await visit(page, path)
    const names = await rows(page).locator('a').allInnerTexts()
    expect(names.length).toBeGreaterThan(2)
    await page.close()
    await context.setOffline(true)
    const early = await untilDrawn(
      () => withoutScripts(context, path),
      async (page) => (await page.locator('#root > .drawn').count()) > 0,
    )
    expect(await early.locator('#root > .drawn[inert]').count()).toBe(1)
    expect(await rows(early).locator('a').allInnerTexts()).toEqual(names)
    // A browser reads on behind a sheet in the body only when it is here, and draws nothing before all that stands here is.
    expect(await early.locator('head link[rel=stylesheet]').count()).toBe(0)
    // In the order that React keeps: the sheets of parts, then the one of all.
    expect(await early.locator('link[rel=stylesheet]:not([data-precedence]) + #root').count()).toBe(1)
    expect(await early.locator('head link[rel=expect][blocking=render]').getAttribute('href')).toBe('#all')
    expect(await early.locator('.drawn + #all').count()).toBe(1)
    expect(await early.locator('html').getAttribute('data-theme')).toBe('light')
    expect(await early.locator('main h1').isVisible()).toBe(true)
    await expect(rows(early).locator('a').first().click({ timeout: 500 })).rejects.toThrow()
  },
  120_000,
)

/** Whether a state of the root is what the worker laid into it. */
const isDrawn = (state: string) => state.startsWith('drawn ')

/** Notes each state of the root from the first on, and what moved. */
const watchRows = (page: Page) =>
  page.addInitScript(() => {
    const seen: string[] = []
    const moved: string[] = []
    const look = () => {
      const root = document.querySelector('#root')
      if (!root) return
      const count = root.querySelectorAll('tbody tr:not(.waiting)').length
      const now = `${root.querySelector('.drawn') ? 'drawn' : 'live'} ${count}`
      if (seen.at(-1) !== now) seen.push(now)
      Object.assign(window, { seen, moved })
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true })
    const shifts = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        sources: { node: Element | null }[]
      })[])
        moved.push(`${entry.value} ${entry.sources.map(({ node }) => node?.className).join()}`)
    })
    shifts.observe({ type: 'layout-shift', buffered: true })
  })

const watched = (page: Page) =>
  page.evaluate(() => {
    const { seen, moved } = window as unknown as Record<'seen' | 'moved', string[]>
    return { seen, moved }
  })

it('is taken over without a jump: no skeleton, no empty list between, and nothing moves', async () => {
  const { context, page } = await inside('admin')
  const wrong: string[] = []
  context.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  await visit(page, '/app/user')
  await page.close()
  const next = await untilDrawn(
    async () => {
      const page = await context.newPage()
      await watchRows(page)
      await page.goto(at('/app/user'))
      await listed(page)
      // The button of activities comes late, and must not push anything either.
      await page.waitForTimeout(1_500)
      return page
    },
    async (page) => (await watched(page)).seen.some(isDrawn),
  )
  const { seen: all, moved } = await watched(next)
  // The root itself may be there a moment before what is laid into it.
  const begin = all.findIndex(isDrawn)
  expect(all.slice(0, begin).filter((one) => one !== 'live 0')).toEqual([])
  const seen = all.slice(begin)
  expect(seen.filter((one) => !isDrawn(one))).toEqual(['live 10'])
  expect(seen.at(-2)).toBe('drawn 10')
  // Beside the line's own word, which may change meanwhile; a row that moves by its height is a tenth of all there is.
  const sum = moved.reduce((sum, one) => sum + Number.parseFloat(one), 0)
  expect(sum, moved.join('\n')).toBeLessThan(0.002)
  expect(wrong).toEqual([])
  await rows(next).locator('a').first().click()
  await next.getByRole('dialog').waitFor()
}, 120_000)

it('whoever comes next on the same device is shown nothing of it, nor is anybody after a sign-out without a line', async () => {
  const { context, page } = await inside('admin')
  await visit(page, '/app/user')
  await context.setOffline(true)
  await page.goto(at('/logout'))
  await expect.poll(() => keptPaths(page)).toEqual([])
  const nobody = await withoutScripts(context, '/app/user')
  expect(await nobody.locator('.drawn').count()).toBe(0)
  await context.setOffline(false)
  await page.goto(at('/login'))
  await fillLogin(page, people.globex)
  await page.locator('form button[type="submit"]').click()
  await page.locator('.shell main h1').waitFor()
  const other = await withoutScripts(context, '/app/user')
  expect(await other.locator('.drawn').count()).toBe(0)
}, 120_000)
