/**
 * Tests a hosted service from its order to its deletion, in the browser (M111 to M122, D41, D43, D50). The service is real, has a login and
 * stores data. Its other pages are tested in `tests/features/services`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { createJourneySettings, operationMs } from '#tests/support/docker/journey-hosting.ts'
import { openFreshPage, setUp, readText } from '#tests/support/browser/browser-setup.ts'
import { choose, fill, getOrderButton, listOrders, getSubmitButton } from '#tests/support/pages/wizard.ts'

const setup = setUp(createJourneySettings('s'))
const code = 'story1'

const getButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const getDialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text }).waitFor({ timeout: operationMs })
const getFact = (page: Page, name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

async function selectAction(page: Page, item: string) {
  // The browser repaints a hidden tab only every two seconds, and the service's own tab would hide this page.
  await page.bringToFront()
  await getButton(page, `More for the service ${code}`).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function readNewPassword(page: Page): Promise<string> {
  const passwordDialog = getDialog(page, `New password of ${code}`)
  await passwordDialog.getByRole('button', { name: 'Show password' }).click({ timeout: operationMs })
  await passwordDialog.getByText('Copy it now: it is not shown again.').waitFor()
  const codeTexts = await passwordDialog.locator('code').allInnerTexts()
  expect(codeTexts[0]).toBe('admin')
  await passwordDialog.getByRole('button', { name: 'Close' }).last().click()
  return codeTexts[1] ?? ''
}

async function enter(portalPage: Page, servicePassword: string): Promise<Page> {
  const page = await portalPage.context().newPage()
  await page.goto(`${setup.fixture.portal.url}/saas/entrance`)
  await page.locator('input').first().fill(code)
  await page.keyboard.press('Enter')
  const link = page.locator(`a[href^="http://www.${code}."]`).first()
  const href = (await link.getAttribute('href')) ?? ''
  await page.goto(href)
  await page.locator('[name=user]').fill('admin')
  await page.locator('[name=password]').fill(servicePassword)
  await page.locator('form.fields button').click()
  return page
}

it('A service is ordered, created, opened, changed, rebooted, removed, created again with its data, and deleted', async () => {
  const page = await openFreshPage(setup, 'admin', '/app/contract/new')
  await fill(page, code)
  await getSubmitButton(page).click()
  await choose(page, 'core')
  await getOrderButton(page).click()
  await page.getByText(`Order ${code} created.`).waitFor()
  await getButton(page, /on the payment page$/).click()
  await page.waitForURL(/\/pay\/card\//)
  await page.locator('form button').first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app/contract'))
  await expect.poll(async () => (await listOrders(page, code))[0]?.state, { timeout: 30_000 }).toBe('effective')
  const id = (await listOrders(page, code))[0]?.id
  await page.goto(`${setup.fixture.portal.url}/saas/app/contract/${id}`)

  await selectAction(page, 'Create service')
  await expectNoFaults(page, 'the question before a service is created')
  await getDialog(page, `Create the service ${code}?`).getByRole('button', { name: 'Create service' }).click()
  await page.getByRole('progressbar', { name: `Progress of ${code}` }).waitFor()
  const firstPassword = await readNewPassword(page)
  await toast(page, 'Service is created successfully')
  await expect.poll(() => getFact(page, 'Health check').textContent()).toBe('Online')
  // The set-up note is no longer shown (contracts 4).
  await expect.poll(() => page.locator('.order-note').count()).toBe(0)
  await expectNoFaults(page, 'a contract with its service')

  const system = await enter(page, firstPassword)
  await system.goto(new URL('/items/new', system.url()).href)
  for (const [name, value] of Object.entries({ code: 'X-1', name: 'A thing of mine', quantity: '3', unit: 'pcs' }))
    await system.locator(`[name=${name}]`).fill(value)
  await system.locator('form.fields button').click()
  await system.getByText('A thing of mine').waitFor()

  await selectAction(page, 'Change configuration')
  await page.locator('[name=memory]').fill('1200')
  await getDialog(page, `Configuration of ${code}`).getByRole('button', { name: 'Change configuration' }).click()
  await getDialog(page, `Reboot ${code} now?`).getByRole('button', { name: 'Reboot' }).click({ timeout: operationMs })
  await toast(page, 'Service is rebooted successfully')
  await expect
    .poll(() => page.locator('.service-config-table tbody tr').first().innerText())
    .toMatch(/1,200 MB\s+1,200 MB/)

  await selectAction(page, 'Update')
  await getDialog(page, `Update ${code}?`).getByRole('button', { name: 'Update' }).click()
  await toast(page, 'Service is updated successfully')
  await expect.poll(() => getFact(page, 'Health check').textContent()).toBe('Online')

  await page.locator('.service-links').getByRole('link', { name: 'Log' }).click()
  await page.getByRole('textbox', { name: 'Search the log' }).fill('login of admin')
  await expect.poll(() => page.locator('.log-text').allInnerTexts()).toEqual(['login of admin'])
  await expectNoFaults(page, 'the log of a service')
  const download = page.waitForEvent('download')
  await getButton(page, 'Download').click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^story1-log-[\d-]+\.txt$/)
  expect(await readText(file)).toContain('login of admin')

  await page.goto(`${setup.fixture.portal.url}/saas/app/contract/${id}`)
  await selectAction(page, 'Reset password')
  await getDialog(page, `Reset the password of ${code}?`).getByRole('button', { name: 'Reset password' }).click()
  const secondPassword = await readNewPassword(page)
  expect(secondPassword).not.toBe(firstPassword)
  const refusedPage = await enter(page, firstPassword)
  await refusedPage.locator('[role=alert]').waitFor()
  await refusedPage.close()
  const secondPage = await enter(page, secondPassword)
  await secondPage.getByText('A thing of mine').waitFor()
  await secondPage.close()

  await selectAction(page, 'Remove service')
  await getDialog(page, `Remove ${code}?`).getByRole('button', { name: 'Remove service' }).click()
  await toast(page, 'Service is removed successfully')
  await page.getByText('Its data is kept until').waitFor()
  await selectAction(page, 'Create service')
  await getDialog(page, `Create the service ${code}?`).getByRole('button', { name: 'Create service' }).click()
  await toast(page, 'Service is created successfully')
  await expect.poll(() => getFact(page, 'Health check').textContent()).toBe('Online')
  // The service has its earlier users.
  expect(await getButton(page, 'Show password').count()).toBe(0)
  // Logs the user out, because an existing session would still be valid.
  await page.context().clearCookies({ domain: `www.${code}.localhost` })
  const returnedPage = await enter(page, secondPassword)
  await returnedPage.getByText('A thing of mine').waitFor()
  await returnedPage.close()

  const staff = await openFreshPage(setup, 'staff', '/app/service')
  await staff.getByRole('link', { name: code, exact: true }).click()
  await selectAction(staff, 'Delete service')
  const confirmDialog = getDialog(staff, `Delete ${code}`)
  await confirmDialog.locator('.confirm-code code').first().waitFor()
  const confirmationCode = (await confirmDialog.locator('.confirm-code code').allInnerTexts()).join('')
  await confirmDialog.locator('[name=typed-value]').pressSequentially(code)
  await confirmDialog.locator('[name=typed-code]').pressSequentially(confirmationCode)
  await expectNoFaults(staff, 'the question before a service is deleted')
  await confirmDialog.getByRole('button', { name: 'Delete service' }).click()
  await toast(staff, 'Service is deleted successfully')
  await expect
    .poll(() =>
      fetch(system.url()).then(
        ({ status }) => status,
        () => 'nobody',
      ),
    )
    .not.toBe(200)
}, 900_000)
