/**
 * Counts the clicks of common tasks: presses of the mouse that the browser reports, from the home page to the result. Typing is free, and so
 * is the search by its shortcut. The table is in `docs/benchmarks.md`.
 */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openFreshPage, readFocusedText, setUp, typeInto } from '#tests/support/browser/browser-setup.ts'
import { getCardField, typeCard } from '#tests/support/orders/card-fields.ts'
import { callApi } from '#tests/support/pages/wizard.ts'

const setup = setUp()

/** Opens the home page and starts to count. `count` returns the number of presses since then. */
async function openHome(person: 'admin' | 'staff') {
  const page = await openFreshPage(setup, person, '/app/home')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.evaluate(() => {
    const state = Object.assign(globalThis, { presses: 0 })
    addEventListener('pointerdown', ({ isTrusted }) => (state.presses += Number(isTrusted)), true)
  })
  const count = () => page.evaluate(() => (globalThis as unknown as { presses: number }).presses)
  const openPage = (name: string) => page.getByRole('link', { name, exact: true }).first().click()
  return { page, count, openPage }
}

async function jumpTo(page: Page, text: string, label: string) {
  await page.keyboard.press('Control+k')
  await page.locator('dialog.search').waitFor()
  await page.keyboard.type(text)
  await page.locator('[role=option][aria-selected=true]', { hasText: label, hasNotText: 'Search all' }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
}

async function payByCard(page: Page, button: Locator) {
  await getCardField(page, 'number').waitFor()
  await typeCard(page, '4242424242424242')
  await button.click()
  await page.getByText('Payment received').waitFor()
}

it('Any user, contract and page opens with the shortcut, a text and Enter: no click', async () => {
  const { page, count } = await openHome('admin')
  await jumpTo(page, 'dxl', '丁小龙')
  await page.getByRole('dialog', { name: 'Edit 丁小龙' }).waitFor()
  await jumpTo(page, 'acmehr', 'acmehr')
  await page.getByRole('heading', { level: 1, name: 'Acme people' }).waitFor()
  await jumpTo(page, 'sessions', 'Sessions')
  await page.getByRole('heading', { name: 'Sessions' }).first().waitFor()
  expect(await count()).toBe(0)
})

it('What is due is paid from the home page with two clicks, one item or several', async () => {
  const { page, count } = await openHome('admin')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: /^Pay 2 items · HKD/ }).click()
  await payByCard(page, dialog.getByRole('button', { name: /by card$/ }))
  expect(await count()).toBe(2)
  await dialog.waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Pay (?!\d)/ })
    .first()
    .click()
  await payByCard(page, dialog.getByRole('button', { name: /by card$/ }))
  expect(await count()).toBe(4)
})

it('A contract is extended from the home page with four clicks, its payment included', async () => {
  const { page, count } = await openHome('admin')
  const dialog = page.getByRole('dialog')
  await page
    .getByRole('link', { name: /Acme trading/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Extend' }).click()
  await dialog.getByRole('button', { name: /^Order extension · HKD/ }).click()
  await payByCard(page, dialog.getByRole('button', { name: /by card$/ }))
  expect(await count()).toBe(4)
})

it('A user is invited with one click after the search', async () => {
  const { page, count } = await openHome('admin')
  await jumpTo(page, 'new user', 'New user')
  await page.getByRole('dialog').locator('[name=name]').waitFor()
  await typeInto(page.locator('[name=name]'), 'Few Clicks')
  await typeInto(page.locator('[name=email]'), 'few.clicks@acme.example')
  await page.getByRole('dialog').getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await count()).toBe(1)
})

it('The document of a contract opens with three clicks', async () => {
  const { page, count } = await openHome('admin')
  await page
    .getByRole('link', { name: /Acme trading/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'More', exact: true }).first().click()
  const print = page.getByRole('menuitem', { name: 'Print', exact: true })
  const [printPage] = await Promise.all([page.context().waitForEvent('page'), print.click()])
  await printPage.getByText('Service contract').first().waitFor()
  expect(await count()).toBe(3)
})

it('An invoice opens with two clicks', async () => {
  const { page, count } = await openHome('admin')
  await page
    .getByRole('link', { name: /Acme trading/ })
    .first()
    .click()
  const invoice = page
    .locator('.order-history')
    .getByRole('button', { name: /Print the invoice/ })
    .first()
  const [printPage] = await Promise.all([page.context().waitForEvent('page'), invoice.click()])
  await printPage
    .getByText(/Invoice/)
    .first()
    .waitFor()
  expect(await count()).toBe(2)
})

it('The language is switched with one click', async () => {
  const { page, count } = await openHome('admin')
  await page.getByRole('button', { name: '中文' }).click()
  await page.getByRole('heading', { level: 1, name: '首页' }).waitFor()
  expect(await count()).toBe(1)
  expect(await readFocusedText(page)).not.toBe('')
})

it('The staff read the unpaid amounts of a customer after two clicks', async () => {
  const { page, count, openPage } = await openHome('staff')
  await openPage('Customers')
  const row = page.locator('tbody tr', { hasText: 'acme' })
  const amount = /[A-Z]{3}\s[\d,]+\.\d\d/
  await expect.poll(() => row.locator('.customer-unpaid').allInnerTexts()).toEqual([expect.stringMatching(amount)])
  expect(await count()).toBe(1)
  await row.getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: 'Acme Trading Limited' }).waitFor()
  await expect.poll(() => page.locator('main').innerText()).toMatch(amount)
  expect(await count()).toBe(2)
})

it('The staff read who changed a price after one click, as a sentence with both values', async () => {
  const { page, count, openPage } = await openHome('staff')
  const { body: list } = await callApi<{ data: { id: number }[] }>(page, 'GET', '/api/pricelist?results=50')
  const { body } = await callApi<Record<string, unknown>>(page, 'GET', `/api/prices/${list.data[0]?.id}`)
  const withoutIds = (body['module'] as { id: number; code: string }[]).map(({ id: _id, ...row }) => row)
  const input = { type: body['type'], desc: 'Few clicks', effective_date: '2033-01-01' }
  const created = await callApi<{ id: number }>(page, 'POST', '/api/pricelist', { ...input, module: withoutIds })
  expect(created.status).toBe(200)
  const { body: copy } = await callApi<{ row_version: number; module: { code: string }[] }>(
    page,
    'GET',
    `/api/prices/${created.body.id}`,
  )
  const changed = copy.module.map((row) => (row.code === 'core' ? { ...row, hkd: '31000.00' } : row))
  const { status } = await callApi(page, 'PUT', '/api/pricelist', {
    id: created.body.id,
    row_version: copy.row_version,
    module: changed,
  })
  expect(status).toBe(200)
  await openPage('Price lists')
  await page
    .getByText(/^Stella Chan changed Module core, HKD: [\d,.]+ → 31,000\.00 in the price list of 2033-01-01$/)
    .waitFor()
  expect(await count()).toBe(1)
})

it('The question that restarts a service opens with three clicks, and its button is the fourth', async () => {
  const { page, count, openPage } = await openHome('staff')
  await openPage('Services')
  const row = page.locator('tbody tr', { hasText: 'acmetrade' })
  await row.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: 'Reboot', exact: true }).click()
  // This portal hosts nothing, so the question is not answered.
  await page.getByRole('dialog').getByRole('button', { name: 'Reboot' }).waitFor()
  expect(await count()).toBe(3)
})
