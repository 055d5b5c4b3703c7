/** Tests the shell in Chromium: layout, painting and keyboard. */
import type { Page } from 'playwright-core'
import { packApp } from '#tests/support/uploads/packages.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  getAddress,
  waitForController,
  desktop,
  readFocusedText,
  waitForList,
  getRows,
  setUpShared,
  tablet,
  createVisits,
} from '#tests/support/browser/browser-setup.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const { resume } = createVisits(setUpShared())

describe('the shell on a desktop', () => {
  let page: Page
  beforeAll(async () => {
    ;({ page } = await resume('admin', '/app/user', { ...desktop, reducedMotion: 'reduce' }))
    await page.reload()
    await waitForList(page)
  })

  it('has a skip link as the first Tab stop (A-15)', async () => {
    await page.keyboard.press('Tab')
    expect(await readFocusedText(page)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(getAddress(page).hash).toBe('')
  })

  nightly('fits with text at 200 %, and has no animation under reduced motion (A-30, P-34)', async () => {
    await page.locator('.row-actions [aria-haspopup=menu]').first().click()
    const moving = await page.locator('.menu').evaluate((menu) => getComputedStyle(menu).animationDuration)
    expect(Number.parseFloat(moving)).toBeLessThan(0.01)
    await page.keyboard.press('Escape')
    const enlarge = (size: string) =>
      page.evaluate((fontSize) => document.documentElement.style.setProperty('font-size', fontSize), size)
    await enlarge('200%')
    expect(await cutOff(page)).toEqual([])
    await enlarge('')
  })

  it('shows the versions of page, worker and server, in a text for problem reports (P-16, W-15)', async () => {
    await waitForController(page)
    await page.getByRole('button', { name: 'My account' }).click()
    await page.getByRole('menuitem', { name: 'About this app' }).click()
    const about = page.getByRole('dialog', { name: 'About this app' })
    await about.getByText('This is the latest version.').waitFor()
    const [version = '', built, worker, server] = await about.locator('dd').allInnerTexts()
    expect(version).toMatch(/^\d{14}-[0-9a-f]+$/)
    expect([worker, server]).toEqual([version, version])
    expect(built).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(await about.locator('code').innerText()).toContain(`page ${version}, worker ${version}, server ${version}`)
    await page.keyboard.press('Escape')
    await about.waitFor({ state: 'detached' })
  })

  nightly('switches to dark colours immediately and keeps them after a reload (C-34)', async () => {
    const readBackground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await readBackground()
    await page.getByRole('button', { name: 'My account' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark colours' }).click()
    await expect.poll(readBackground).not.toBe(light)
    const dark = await readBackground()
    await page.reload()
    await page.locator('main h1').waitFor()
    expect(await readBackground()).toBe(dark)
  })
})

describe('a list at every width', () => {
  const readHeaders = (page: Page) => page.locator('thead th:visible').allInnerTexts()

  it('shows the columns of services on a tablet, and every row action on a phone (fault 36M111a)', async () => {
    const { page } = await resume('staff', '/app/service', { ...tablet, reducedMotion: 'reduce' })
    await waitForList(page)
    expect((await readHeaders(page)).map((text) => text.trim())).toEqual(
      expect.arrayContaining(['Code', 'Name', 'Status', 'Created', 'Expiry date']),
    )
    await page.setViewportSize({ width: 390, height: 844 })
    const row = page.locator('tbody tr').first()
    await row.locator('[aria-haspopup=menu]').click()
    await page.getByRole('menuitem', { name: 'Reset password' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  nightly(
    'shows the columns of contracts on a tablet, and when each ends or is due on a phone (fault 36M61a)',
    async () => {
      const { page } = await resume('admin', '/app/contract', { ...tablet, reducedMotion: 'reduce' })
      await waitForList(page)
      expect((await readHeaders(page)).map((text) => text.trim())).toEqual(
        expect.arrayContaining(['Service code', 'Name', 'Created', 'Expiry date', 'Status']),
      )
      await page.setViewportSize({ width: 390, height: 844 })
      // A row with something to pay shows when it is due, any other row when the contract ends (decision 113).
      const listUndated = async () =>
        (await getRows(page).allInnerTexts()).filter((text) => !/\d{4}-\d\d-\d\d/.test(text))
      await expect.poll(() => getRows(page).count()).toBe(5)
      await expect.poll(listUndated).toEqual([])
    },
  )

  nightly('shows the actions for all selected users on one line (fault 37e)', async () => {
    const { page } = await resume('admin', '/app/user', { ...desktop, reducedMotion: 'reduce' })
    await waitForList(page)
    await page.locator('th.pick input').check({ force: true })
    const bar = page.locator('.list-bar')
    await bar.getByRole('button', { name: /^Select all/ }).waitFor()
    const higherThanBar = () =>
      bar.evaluate((element) =>
        [...element.querySelectorAll('button, p')]
          .filter((part) => part.getClientRects().length > 0 && part.scrollHeight > element.clientHeight)
          .map(({ textContent }) => textContent),
      )
    for (const width of [1280, 1100, 1024, 900, 820]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await higherThanBar()]).toEqual([width, []])
    }
  })

  nightly('offers the client type (fault 36M3a), and a package fills its card on a phone (fault 36M156a)', async () => {
    const { page } = await resume('staff', '/app/m18/module', { ...tablet, reducedMotion: 'reduce' })
    const clientType = page.getByRole('combobox', { name: 'Client type' })
    await clientType.waitFor()
    await page.locator('.rail a[href="/saas/app/m18/upload"]').click()
    const file = { name: 'labels.mapp', mimeType: 'application/octet-stream', buffer: await packApp() }
    await page.locator('input[type=file]').setInputFiles(file)
    const card = page.locator('.packages tbody tr').first()
    await card.waitFor()
    expect(await clientType.count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    const widths = () =>
      card.evaluate((row) => [row.getBoundingClientRect().width, row.closest('.list')?.clientWidth ?? 0])
    await expect.poll(async () => (await widths())[0]).toBe((await widths())[1])
    const labels = await card.locator('td').evaluateAll((cells) => cells.map((cell) => cell.dataset['label']))
    const facts = ['Module', 'Released', 'Version', 'Current', 'Upgrades from', 'Status']
    expect(labels).toEqual(expect.arrayContaining(facts))
    await page
      .locator('.packages')
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click()
  })
})

/** Returns elements that exceed the right edge of the window, except tooltips and texts for screen readers. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.closest('.hint, .sr-only, .skip, [aria-hidden=true]'),
      )
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.tagName} ${element.className}`)
      .slice(0, 5),
  )
