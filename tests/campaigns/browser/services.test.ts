/**
 * A hosted service from its order to its end, as people use it (M111 to M122, D41, D43, D50): the system is real, is signed in to,
 * and keeps what is put into it. What else its pages show and offer is in `tests/features/services`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectFine } from '#tests/support/browser/looks.ts'
import { freshPage, setUp, textOf } from '#tests/support/browser/visit.ts'
import { choose, fill, order, ordersOf, submit } from '#tests/support/pages/wizard.ts'

const setup = setUp({ HOSTING: 'local' })
const code = 'story1'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text }).waitFor({ timeout: 60_000 })
const fact = (page: Page, name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

async function act(page: Page, item: string) {
  // Behind the system's own tab it would be drawn once in two seconds.
  await page.bringToFront()
  await button(page, `More for the service ${code}`).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** What the dialog shows, once. */
async function password(page: Page): Promise<string> {
  const shown = dialog(page, `New password of ${code}`)
  await shown.getByRole('button', { name: 'Show password' }).click({ timeout: 60_000 })
  await shown.getByText('Copy it now: it is not shown again.').waitFor()
  const told = await shown.locator('code').allInnerTexts()
  expect(told[0]).toBe('admin')
  await shown.getByRole('button', { name: 'Close' }).last().click()
  return told[1] ?? ''
}

/** The system itself, through the entrance that everybody knows. */
async function enter(portalPage: Page, given: string): Promise<Page> {
  const page = await portalPage.context().newPage()
  await page.goto(`${setup.the.portal.url}/saas/entrance`)
  await page.locator('input').first().fill(code)
  await page.keyboard.press('Enter')
  const link = page.locator(`a[href^="http://www.${code}."]`).first()
  const href = (await link.getAttribute('href')) ?? ''
  await page.goto(href)
  await page.locator('[name=user]').fill('admin')
  await page.locator('[name=password]').fill(given)
  await page.locator('form.fields button').click()
  return page
}

it('is ordered, set up, entered, changed, rebooted, read, removed, set up again with its data, and deleted', async () => {
  const page = await freshPage(setup, 'admin', '/app/contract/new')
  await fill(page, code)
  await submit(page).click()
  await choose(page, 'core')
  await order(page).click()
  await page.getByText(`Order ${code} created.`).waitFor()
  await button(page, /on the payment page$/).click()
  await page.waitForURL(/\/pay\/card\//)
  await page.locator('form button').first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app/contract'))
  await expect.poll(async () => (await ordersOf(page, code))[0]?.state, { timeout: 30_000 }).toBe('effective')
  const id = (await ordersOf(page, code))[0]?.id
  await page.goto(`${setup.the.portal.url}/saas/app/contract/${id}`)

  await act(page, 'Create service')
  await expectFine(page, 'the question before a service is created')
  await dialog(page, `Create the service ${code}?`).getByRole('button', { name: 'Create service' }).click()
  await page.getByRole('progressbar', { name: `Progress of ${code}` }).waitFor()
  const first = await password(page)
  await toast(page, 'Service is created successfully')
  await expect.poll(() => fact(page, 'Health check').textContent()).toBe('Online')
  // Its set-up is no matter any more (contracts 4).
  await expect.poll(() => page.locator('.order-note').count()).toBe(0)
  await expectFine(page, 'a contract with its service')

  const system = await enter(page, first)
  await system.goto(new URL('/items/new', system.url()).href)
  for (const [name, value] of Object.entries({ code: 'X-1', name: 'A thing of mine', quantity: '3', unit: 'pcs' }))
    await system.locator(`[name=${name}]`).fill(value)
  await system.locator('form.fields button').click()
  await system.getByText('A thing of mine').waitFor()

  await act(page, 'Change configuration')
  await page.locator('[name=memory]').fill('1200')
  await dialog(page, `Configuration of ${code}`).getByRole('button', { name: 'Change configuration' }).click()
  await dialog(page, `Reboot ${code} now?`).getByRole('button', { name: 'Reboot' }).click({ timeout: 60_000 })
  await toast(page, 'Service is rebooted successfully')
  await expect
    .poll(() => page.locator('.service-config-table tbody tr').first().innerText())
    .toMatch(/1,200 MB\s+1,200 MB/)

  await page.locator('.service-links').getByRole('link', { name: 'Log' }).click()
  await page.getByRole('textbox', { name: 'Search the log' }).fill('login of admin')
  await expect.poll(() => page.locator('.log-text').allInnerTexts()).toEqual(['login of admin'])
  await expectFine(page, 'the log of a service')
  const download = page.waitForEvent('download')
  await button(page, 'Download').click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^story1-log-[\d-]+\.txt$/)
  expect(await textOf(file)).toContain('login of admin')

  await page.goto(`${setup.the.portal.url}/saas/app/contract/${id}`)
  await act(page, 'Reset password')
  await dialog(page, `Reset the password of ${code}?`).getByRole('button', { name: 'Reset password' }).click()
  const second = await password(page)
  expect(second).not.toBe(first)
  const refused = await enter(page, first)
  await refused.locator('[role=alert]').waitFor()
  await refused.close()
  const again = await enter(page, second)
  await again.getByText('A thing of mine').waitFor()
  await again.close()

  await act(page, 'Remove service')
  await dialog(page, `Remove ${code}?`).getByRole('button', { name: 'Remove service' }).click()
  await toast(page, 'Service is removed successfully')
  await page.getByText('Its data is kept until').waitFor()
  await act(page, 'Create service')
  await dialog(page, `Create the service ${code}?`).getByRole('button', { name: 'Create service' }).click()
  await toast(page, 'Service is created successfully')
  await expect.poll(() => fact(page, 'Health check').textContent()).toBe('Online')
  // Its users are those of before.
  expect(await button(page, 'Show password').count()).toBe(0)
  // Whoever was logged in there would be still.
  await page.context().clearCookies({ domain: `www.${code}.localhost` })
  const back = await enter(page, second)
  await back.getByText('A thing of mine').waitFor()
  await back.close()

  const staff = await freshPage(setup, 'staff', '/app/service')
  await staff.getByRole('link', { name: code, exact: true }).click()
  await act(staff, 'Delete service')
  const confirm = dialog(staff, `Delete ${code}`)
  await confirm.locator('.confirm-code code').first().waitFor()
  const typed = (await confirm.locator('.confirm-code code').allInnerTexts()).join('')
  await confirm.locator('[name=typed-value]').pressSequentially(code)
  await confirm.locator('[name=typed-code]').pressSequentially(typed)
  await expectFine(staff, 'the question before a service is deleted')
  await confirm.getByRole('button', { name: 'Delete service' }).click()
  await toast(staff, 'Service is deleted successfully')
  await expect
    .poll(() =>
      fetch(system.url()).then(
        ({ status }) => status,
        () => 'nobody',
      ),
    )
    .not.toBe(200)
}, 300_000)
