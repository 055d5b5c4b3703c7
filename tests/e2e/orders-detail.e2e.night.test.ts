/**
 * A contract's page as people use it: changed, paid, with a line and without (contracts 2). What else it shows and offers is in
 * `tests/features/orders/detail`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { typeCard } from '#tests/support/orders/card-fields.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  waitForList,
  takeOwnCompany,
  resumePage,
  rows,
  setUpShared,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { code, admin } = takeOwnCompany()

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const due = (page: Page) => page.locator('.price-due .amount').textContent()
const submit = (page: Page) => page.locator('form button[type="submit"]')
const users = (page: Page) => page.locator('input[name="users"]')
const history = (page: Page) => page.locator('.order-history tbody tr')
const fact = (page: Page, name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

/** From the list, by the row of that service. */
async function open(page: Page, service: string) {
  await waitForList(page)
  await rows(page).filter({ hasText: service }).locator('td').nth(1).click()
  await page.waitForURL((url) => /\/contract\/\d+$/.test(url.pathname))
  await page.locator('.order-intro').waitFor()
}

it('a change that takes an app out of a service that runs is asked about and then in effect; the contract before it leads to it, and its next change is paid at the gateway (M78, D44, M97, M100, M101)', async () => {
  const page = await resumePage(setup, admin, '/app/contract')
  await open(page, `${code}trade`)
  const first = page.url()
  await button(page, 'Modify').click()
  await page.locator('input[name="module-scm"]').click()
  await button(dialog(page, 'Remove Supply chain').page(), 'Remove').click()
  const appsDialog = dialog(page, 'Apps of the service change')
  /** What was paid for the module is not given back: that is agreed to before its apps are named. */
  async function order() {
    await submit(page).click()
    await button(dialog(page, /^Discard HKD/).page(), 'Change and discard').click()
  }
  await order()
  await appsDialog.locator('li', { hasText: 'barcode' }).getByText('is removed').waitFor()
  await expectNoFaults(page, 'the question about apps')
  await button(page, 'Go back').click()
  await appsDialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain(first)
  await order()
  await appsDialog.locator('button.primary').click()
  await page.locator('.toast', { hasText: 'It is now in effect.' }).waitFor()
  await page.waitForURL((url) => /\/contract\/\d+$/.test(url.pathname) && url.href !== first)
  const second = page.url()

  await page.goto(first)
  await page.getByText('A newer contract has replaced this one.').waitFor()
  expect(await button(page, 'Modify').count()).toBe(0)
  await expectNoFaults(page, 'a replaced contract')
  await page.getByRole('link', { name: 'Open the current contract' }).click()
  // The kept list may say so a moment later than the page.
  await page.locator(`a[href="${new URL(second).pathname}"]`).click()
  await button(page, 'Modify').click()
  await typeInto(users(page), '45')
  await expect.poll(() => due(page)).not.toBe('HKD 0.00')
  const readAmount = await due(page)
  expect(await submit(page).textContent()).toBe(`Order change · ${readAmount}`)
  await submit(page).click()
  await typeCard(page, '5555555555554444')
  await button(page, `Pay ${readAmount} by card`).click()
  await page.locator('.toast', { hasText: 'Payment received' }).waitFor({ timeout: 30_000 })
  await expect.poll(() => fact(page, 'Number of users').textContent()).toBe('45')
  await expect.poll(() => history(page).count()).toBe(4)
  expect(await listOrders(page, `${code}trade`)).toMatchObject([{ state: 'effective' }])
})

it('without a line it stands as it was read, with its age, a reload loses nothing that was typed, and what needs the server says so; what is ordered then another tab shows without a word (M98, P-10, C-20)', async () => {
  const { code, admin } = takeOwnCompany()
  const page = await resumePage(setup, admin, '/app/contract')
  await open(page, `${code}trade`)
  await expect.poll(() => history(page).count()).toBe(2)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect.poll(() => history(other).count()).toBe(2)
  await page.bringToFront()
  await waitForController(page)
  await waitForCachedPart(page, 'orders')
  await page.context().setOffline(true)
  await page.reload()
  // With its day, where that is over meanwhile.
  await page.getByText(/^Updated (\d{4}-\d\d-\d\d )?\d\d:\d\d$/).waitFor()
  await expect.poll(() => history(page).count()).toBe(2)
  await button(page, 'Modify').click()
  await users(page).fill('50')
  await page.reload()
  await expect.poll(() => users(page).inputValue()).toBe('50')
  await page.getByText(/From the price list updated/).waitFor()
  await expect.poll(() => due(page)).not.toBe('HKD 0.00')
  expect(await submit(page).getAttribute('aria-disabled')).toBe('true')
  await page.context().setOffline(false)
  await expect.poll(() => submit(page).getAttribute('aria-disabled'), { timeout: 30_000 }).toBeNull()
  await submit(page).click()
  await dialog(page, `Pay ${code}trade`).waitFor()
  await other.getByText(/^Change \(\d+ → \d+ users\) is unpaid:$/).waitFor({ timeout: 30_000 })
})
