/** Tests the watcher of `npm run campaign -- monkey` on a real page: it finds nothing in a good page, and each fault that is planted. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addWatcher, buildWatcher } from '#tests/campaigns/monkey/round.ts'
import type { RuleName } from '#tests/campaigns/monkey/rules.ts'
import { signIn } from '#tests/support/browser/browser.ts'
import { setUpShared, takeOwnCompany } from '#tests/support/browser/browser-setup.ts'

const { fixture } = setUpShared()

const readFaults = (page: Page) =>
  page.evaluate(() => [...new Set(window.monkeyWatcher.faults.map(({ rule }) => rule))])

/** Changes of a page by the rule that finds them. They run in the page. */
const plantedFaults: Partial<Record<RuleName, () => void>> = {
  typedTextStays: () => void ((document.activeElement as HTMLInputElement).value = ''),
  hasNoRawText: () => document.querySelector('main')?.append('Hello {name}'),
  fitsWindow: () => document.querySelector<HTMLElement>('footer')?.style.setProperty('width', '3000px'),
  connectionIsTrue: () =>
    (document.querySelector('header .line') as HTMLElement).classList.replace('online', 'offline'),
  hasOneHeading: () => document.querySelector('main')?.append(document.createElement('h1')),
  hasWayOn: () =>
    document.querySelectorAll('main a, main button, main input, main select').forEach((control) => control.remove()),
  noErrorPage: () => {
    const detail = document.createElement('p')
    detail.className = 'broken-detail'
    detail.append(Object.assign(document.createElement('code'), { textContent: 'x is null' }))
    document.querySelector('main')?.append(detail)
  },
}

it('The watcher of the monkey finds each planted fault, and none before', { timeout: 300_000 }, async () => {
  const context = await fixture.browser.newContext()
  await addWatcher(context, await buildWatcher())
  const page = await context.newPage()
  await signIn(page, fixture.portal, takeOwnCompany().admin, '/app/user')
  await page.locator('main tbody a').first().waitFor()
  await page.locator('main .filters input').first().click()
  await page.keyboard.type('a')
  const readSnapshotCount = () => page.evaluate(() => window.monkeyWatcher.snapshotCount)
  const countBefore = await readSnapshotCount()
  // More than the rules of this test need.
  await expect.poll(readSnapshotCount, { timeout: 60_000 }).toBeGreaterThan(countBefore + 12)
  expect(await readFaults(page)).toEqual([])
  for (const [rule, plant] of Object.entries(plantedFaults)) {
    await page.evaluate(plant)
    await expect.poll(() => readFaults(page), { timeout: 60_000 }).toContain(rule)
  }
  await context.close()
})
