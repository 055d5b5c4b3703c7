/**
 * Tests a contract's page in the browser: changed and paid, online and offline (contracts 2). Its other contents are tested in
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
  getRows,
  setUpShared,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { code, admin } = takeOwnCompany()

const getButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const getDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const readDueAmount = (page: Page) => page.locator('.price-due .amount').textContent()
const getSubmitButton = (page: Page) => page.locator('form button[type="submit"]')
const getUsersField = (page: Page) => page.locator('input[name="users"]')
const getHistoryRows = (page: Page) => page.locator('.order-history tbody tr')
const readFact = (page: Page, name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

async function open(page: Page, service: string) {
  await waitForList(page)
  await getRows(page).filter({ hasText: service }).locator('td').nth(1).click()
  await page.waitForURL((url) => /\/contract\/\d+$/.test(url.pathname))
  await page.locator('.order-intro').waitFor()
}

it('Removing an app by a contract change needs a confirmation; the next is paid (M78, D44, M97, M100, M101)', async () => {
  const page = await resumePage(setup, admin, '/app/contract')
  await open(page, `${code}trade`)
  const first = page.url()
  await getButton(page, 'Modify').click()
  await page.locator('input[name="module-scm"]').click()
  await getButton(getDialog(page, 'Remove Supply chain').page(), 'Remove').click()
  const appsDialog = getDialog(page, 'Apps of the service change')
  /** Submits the change and confirms that the module's price is not refunded. The dialog with the affected apps follows. */
  async function order() {
    await getSubmitButton(page).click()
    await getButton(getDialog(page, /^Change without a refund of HKD/).page(), 'Change without refund').click()
  }
  await order()
  await appsDialog.locator('li', { hasText: 'barcode' }).getByText('is removed').waitFor()
  await expectNoFaults(page, 'the question about apps')
  await getButton(page, 'Go back').click()
  await appsDialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain(first)
  await order()
  await appsDialog.locator('button.primary').click()
  await page.locator('.toast', { hasText: 'It is now in effect.' }).waitFor()
  await page.waitForURL((url) => /\/contract\/\d+$/.test(url.pathname) && url.href !== first)
  const second = page.url()

  await page.goto(first)
  await page.getByText('A newer contract has replaced this one.').waitFor()
  expect(await getButton(page, 'Modify').count()).toBe(0)
  await expectNoFaults(page, 'a replaced contract')
  await page.getByRole('link', { name: 'Open the current contract' }).click()
  // The cached list may be updated a moment after the page.
  await page.locator(`a[href="${new URL(second).pathname}"]`).click()
  await getButton(page, 'Modify').click()
  await typeInto(getUsersField(page), '45')
  await expect.poll(() => readDueAmount(page)).not.toBe('HKD 0.00')
  const amount = await readDueAmount(page)
  expect(await getSubmitButton(page).textContent()).toBe(`Order change · ${amount}`)
  await getSubmitButton(page).click()
  await typeCard(page, '5555555555554444')
  await getButton(page, `Pay ${amount} by card`).click()
  await page.locator('.toast', { hasText: 'Payment received' }).waitFor({ timeout: 30_000 })
  await expect.poll(() => readFact(page, 'Number of users').textContent()).toBe('45')
  await expect.poll(() => getHistoryRows(page).count()).toBe(4)
  expect(await listOrders(page, `${code}trade`)).toMatchObject([{ state: 'effective' }])
})

it('A contract page works offline and keeps its draft, and an order updates other tabs (M98, P-10, C-20)', async () => {
  const { code, admin } = takeOwnCompany()
  const page = await resumePage(setup, admin, '/app/contract')
  await open(page, `${code}trade`)
  await expect.poll(() => getHistoryRows(page).count()).toBe(2)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect.poll(() => getHistoryRows(other).count()).toBe(2)
  await page.bringToFront()
  await waitForController(page)
  await waitForCachedPart(page, 'orders')
  await page.context().setOffline(true)
  await page.reload()
  await page.getByText(/^Updated (just now|\d+ min ago)$/).waitFor()
  await expect.poll(() => getHistoryRows(page).count()).toBe(2)
  await getButton(page, 'Modify').click()
  await getUsersField(page).fill('50')
  await page.reload()
  await expect.poll(() => getUsersField(page).inputValue()).toBe('50')
  await page.getByText(/From the price list updated/).waitFor()
  await expect.poll(() => readDueAmount(page)).not.toBe('HKD 0.00')
  expect(await getSubmitButton(page).getAttribute('aria-disabled')).toBe('true')
  await page.context().setOffline(false)
  await expect.poll(() => getSubmitButton(page).getAttribute('aria-disabled'), { timeout: 30_000 }).toBeNull()
  await getSubmitButton(page).click()
  await getDialog(page, `Pay ${code}trade`).waitFor()
  await other.getByText(/^Change \(\d+ → \d+ users\) is unpaid:$/).waitFor({ timeout: 30_000 })
})
