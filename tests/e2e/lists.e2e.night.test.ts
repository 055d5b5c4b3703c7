/** Tests lists on a phone, with the mouse, with Back, and with a screen reader. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { countCachedFiles, waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  waitForCompleteList,
  takeOwnCompany,
  openFreshPage,
  phone,
  resumePage,
  getRows,
  setUpShared,
  tablet,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { admin, user } = takeOwnCompany()

const getLinks = (page: Page) => getRows(page).locator('.lead a')
const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY))

async function enter(path: string, options = {}): Promise<Page> {
  const page = await resumePage(setup, admin, path, options)
  await getLinks(page).first().waitFor()
  await waitForCompleteList(page)
  return page
}

it('On a phone, ten users fit on 1.6 screens, and Back restores the added rows and the position (C-23)', async () => {
  const page = await enter('/app/user', phone)
  await expect.poll(() => getRows(page).count()).toBe(10)
  const heights = await getRows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  // A user whose roles do not fit next to the address has a third line.
  expect(Math.max(...heights)).toBeLessThanOrEqual(92)
  expect(heights.reduce((sum, height) => sum + height, 0)).toBeLessThanOrEqual(730)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1.6 * 844)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  const menu = await page.locator('.row-actions button').first().boundingBox()
  expect([menu?.width, menu?.height].every((size) => (size ?? 0) >= 44)).toBe(true)
  // After Escape, the button's tooltip is shown. It must not make the page wider.
  await page.locator('.row-actions button').first().focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=menu]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.row-actions .hint').first().waitFor()
  expect(await page.evaluate(() => innerWidth)).toBe(390)

  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => getRows(page).count()).toBe(20)
  expect(new URL(page.url()).search).toBe('?page=2')
  await getLinks(page).nth(15).scrollIntoViewIfNeeded()
  const scrollTop = await scrolled(page)
  expect(scrollTop).toBeGreaterThan(300)
  // Playwright's own click would scroll the page for a sticky element.
  await page.getByRole('button', { name: 'Open menu' }).evaluate((button: HTMLElement) => button.click())
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('.rows').count()).toBe(0)
  await page.goBack()
  await expect.poll(() => getRows(page).count()).toBe(20)
  await expect.poll(() => scrolled(page)).toBe(scrollTop)

  await page.evaluate(() => scrollTo(0, 0))
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByLabel('Status').selectOption('Disabled')
  await sheet.getByLabel('Sort by').selectOption('Name, descending')
  await sheet.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('button', { name: 'Filter (1)' }).waitFor()
  expect(new URL(page.url()).search).toBe('?statusType=-1&sortField=name&sortOrder=desc')
})

it('Back restores page 3 of a list at the same scroll position (C-01, C-23)', async () => {
  const page = await enter('/app/user?page=3', tablet)
  await expect.poll(() => getRows(page).count()).toBe(10)
  const names = await getLinks(page).allTextContents()
  await page.evaluate(() => scrollTo(0, 120))
  const scrollTop = await scrolled(page)
  expect(scrollTop).toBeGreaterThan(50)
  await page.getByRole('link', { name: 'Contracts', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
  await expect.poll(() => scrolled(page)).toBe(0)
  await page.goBack()
  await expect.poll(() => getLinks(page).allTextContents()).toEqual(names)
  await expect.poll(() => scrolled(page)).toBe(scrollTop)
  expect(new URL(page.url()).search).toBe('?page=3')
})

it('The roles of ten users are changed with 13 clicks, in a bar that replaces the table header', async () => {
  const page = await enter('/app/user?statusType=0')
  await expect.poll(() => getRows(page).count()).toBe(10)
  await page.evaluate(() => {
    const count = () => (document.body.dataset['presses'] = String(Number(document.body.dataset['presses'] ?? 0) + 1))
    document.addEventListener('pointerdown', count, true)
  })
  const top = async () => (await getRows(page).first().boundingBox())?.y
  const topBefore = await top()
  for (let index = 0; index < 10; index += 1) await getRows(page).nth(index).locator('td.pick').click()
  await page.locator('.picks').getByText('10 selected').waitFor()
  expect(await top()).toBe(topBefore)
  await page.getByRole('button', { name: 'Change roles' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('group', { name: 'Alert' }).getByText('Add', { exact: true }).click()
  await dialog.getByRole('button', { name: /^Apply to \d+ users?$/ }).click()
  await page
    .locator('.toast')
    .getByText(/^\d+ users? now gets? alerts/)
    .waitFor()
  expect(await page.evaluate(() => Number(document.body.dataset['presses']))).toBe(13)
  await dialog.waitFor({ state: 'detached' })
  for (const row of await getRows(page).allTextContents()) expect(row).toContain('Alert')
})

it('Screen readers announce the selection count, the sort order and an empty result (A-08)', async () => {
  const page = await enter('/app/user')
  const log = await page.evaluateHandle(() => {
    const announcements: string[] = []
    for (const region of document.querySelectorAll('[role=status]')) {
      const addAnnouncement = () => announcements.push(region.textContent ?? '')
      new MutationObserver(addAnnouncement).observe(region, { childList: true, characterData: true, subtree: true })
    }
    return announcements
  })
  const readAnnouncements = () => log.evaluate((all) => all.join('\n'))
  await getRows(page).nth(2).locator('td.pick').click()
  await expect.poll(readAnnouncements).toContain('1 selected')
  // The selection bar replaces the table header until the selection ends.
  await page.locator('.picks').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.picks').waitFor({ state: 'detached' })
  await page.getByRole('columnheader', { name: 'E-mail' }).getByRole('button').click()
  await expect.poll(readAnnouncements).toContain('Sorted by E-mail, ascending')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(readAnnouncements).toContain('11–20 of')
  await page.keyboard.press('/')
  await page.keyboard.type('nobody of that name')
  await expect.poll(readAnnouncements).toContain('Nothing found')
})

it('On a phone, the code of a service is complete, and its long notes have a line of their own', async () => {
  const page = await openFreshPage(setup, 'staff', '/app/outbox', { ...phone, serviceWorkers: 'block' })
  await page.route(/\/api\/aws\/service\?/, async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const faults = { code: 'acmeproduction16', fault: 'node_lost', deployment_fault: 'no_memory', needs_reboot: true }
    await route.fulfill({ response, json: { ...body, data: body.data?.map((row: object) => ({ ...row, ...faults })) } })
  })
  await page.goto(`${setup.fixture.portal.url}/saas/app/service`)
  const row = getRows(page).first()
  const note = row.locator('.service-note')
  await expect.poll(() => note.textContent()).toContain('Change not in effect: Not enough free memory')
  const isCut = (element: HTMLElement) => element.scrollWidth > element.clientWidth
  for (const selector of ['td.on-primary .lead', '.service-code', '.service-note'])
    expect({ selector, isCut: await row.locator(selector).first().evaluate(isCut) }).toEqual({ selector, isCut: false })
  const code = await row.locator('.service-code').boundingBox()
  const noteBox = await note.boundingBox()
  expect(noteBox?.y).toBeGreaterThan((code?.y ?? 0) + (code?.height ?? 0))
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

it('Only devices of admins store the code of user administration (P-09)', async () => {
  const page = await enter('/app/user')
  await waitForController(page)
  await waitForCachedPart(page, 'users')
  const context = await setup.fixture.browser.newContext()
  setup.cleanups.push(() => context.close())
  const plain = await context.newPage()
  await signIn(plain, setup.fixture.portal, user, '/app/home')
  await waitForController(plain)
  await plain.waitForTimeout(5_000)
  expect(await countCachedFiles(plain, 'users')).toBe(0)
})
