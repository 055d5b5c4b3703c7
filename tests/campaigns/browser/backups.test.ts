/**
 * Tests a backup subscription from its order to a restore, in the browser (M123 to M130). The backup, its traffic and the billed month are
 * real. Traffic is charged from the first GB. Other contents of the backup tab are tested in `tests/features/backups`.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { toPlainDate } from '#domain/time.ts'
import { addMonths } from '#domain/plain-dates.ts'
import { typeCard } from '#tests/support/orders/card-fields.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'
import { addItems, createJourneySettings, operationMs } from '#tests/support/docker/journey-hosting.ts'
import { openFreshPage, setUp } from '#tests/support/browser/browser-setup.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

const portalName = 'b'
const setup = setUp(createJourneySettings(portalName))
const [sourceCode, targetCode] = ['acmetest', 'acmetrade']

const getButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const getDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name, exact: true })
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text }).waitFor({ timeout: operationMs })

/** Sets the demo's prices from today on, without free traffic and with a high price for it. */
async function sellTraffic() {
  const staff = await createOutsideClient(setup.fixture.portal)
  const send = async (path: string, init?: RequestInit) => {
    const response = await staff.send(path, init)
    expect(response?.status, await response?.clone().text()).toBeLessThan(300)
    return (await response?.json()) as Record<string, unknown>
  }
  const {
    id: _id,
    update_time: _time,
    update_user_name: _updateUserName,
    row_version: _version,
    ...list
  } = await send('/api/price')
  // A small backup must cost more than the smallest amount that can be paid.
  const pdbPrice = { ...(list['pdbPrice'] as object), pdb2s3_traffic: '0.00', pdb2s3_up_hkd: '2500.00' }
  const body = {
    ...list,
    pdbPrice,
    effective_date: toPlainDate('Asia/Hong_Kong', Date.now()),
    desc: 'No free traffic',
    confirmed: true,
  }
  await send('/api/pricelist', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(body),
  })
}

/** Adds so many items that the backup is larger than the free traffic. Compression hardly reduces their size. */
const fillInstance = (code: string) =>
  addItems(
    { name: portalName, dataDir: setup.fixture.portal.dataDir },
    code,
    Array.from({ length: 120_000 }, () => randomBytes(72).toString('base64')),
  )

async function openTab(page: Page, code: string) {
  const id = (await listOrders(page, code))[0]?.id
  await page.goto(`${setup.fixture.portal.url}/saas/app/contract/${id}?tab=subscribe`)
  await page.getByRole('heading', { name: 'Backup to S3' }).waitFor()
}

async function enter(portalPage: Page, code: string, password: string): Promise<Page> {
  const page = await portalPage.context().newPage()
  await page.goto(`${setup.fixture.portal.url}/saas/entrance`)
  await page.locator('input').first().fill(code)
  await page.keyboard.press('Enter')
  await page.goto((await page.locator(`a[href^="http://www.${code}."]`).first().getAttribute('href')) ?? '')
  await page.locator('[name=user]').fill('admin')
  await page.locator('[name=password]').fill(password)
  await page.locator('form.fields button').click()
  return page
}

async function newPassword(page: Page, code: string): Promise<string> {
  await getButton(page, `More for the service ${code}`).click()
  await page.getByRole('menuitem', { name: 'Reset password', exact: true }).click()
  await getDialog(page, `Reset the password of ${code}?`).getByRole('button', { name: 'Reset password' }).click()
  const passwordDialog = getDialog(page, `New password of ${code}`)
  await passwordDialog.getByRole('button', { name: 'Show password' }).click({ timeout: operationMs })
  const passwordCode = passwordDialog.locator('code').nth(1)
  await passwordCode.waitFor()
  const password = (await passwordCode.textContent()) ?? ''
  await passwordDialog.getByRole('button', { name: 'Close' }).last().click()
  return password
}

it('A backup is ordered, paid, created, renewed, printed, and restored into another service', async () => {
  const { portal } = setup.fixture
  await sellTraffic()
  const page = await openFreshPage(setup, 'admin', '/app/contract')
  const id = (await listOrders(page, sourceCode))[0]?.id
  await page.goto(`${portal.url}/saas/app/contract/${id}`)
  // The demo's services start automatically.
  // While a service is being created, its menu has no enabled item for the password. It gets its address at the end.
  await page.locator(`.service-panel a[href^="http://www.${sourceCode}."]`).first().waitFor({ timeout: operationMs })
  const password = await newPassword(page, sourceCode)
  const system = await enter(page, sourceCode, password)
  await system.goto(new URL('/items/new', system.url()).href)
  for (const [name, value] of Object.entries({ code: 'X-1', name: 'A thing to keep', quantity: '3', unit: 'pcs' }))
    await system.locator(`[name=${name}]`).pressSequentially(value)
  await system.locator('form.fields button').click()
  await system.getByText('A thing to keep').waitFor()
  await system.close()
  await fillInstance(sourceCode)

  await openTab(page, sourceCode)
  await getButton(page, 'Subscribe: Backup to S3').click()
  await page.locator('[name=backup-period]').press('Control+A')
  await page.keyboard.type('2')
  await page.locator('[name=backup-unit]').selectOption('month')
  await expectNoFaults(page, 'a backup subscription that is filled in')
  await getButton(page, /^Order · /).click()
  await typeCard(page, '4242424242424242')
  await getButton(page, /^Pay .* by card$/).click()
  await page
    .getByText(/^Effective until/)
    .first()
    .waitFor({ timeout: 30_000 })

  await getButton(page, 'Back up now').click()
  await page.getByText('A backup takes about 5 minutes.').waitFor()
  await getDialog(page, `Back up ${sourceCode} now?`).getByRole('button', { name: 'Back up now' }).click()
  await toast(page, `${sourceCode}: the backup is done.`)
  await page.getByText(/GB over the free limit/).waitFor({ timeout: 30_000 })
  await expectNoFaults(page, 'a tab with a backup and traffic over the limit')
  await page.context().close()

  const today = toPlainDate('Asia/Hong_Kong', Date.now())
  const nextMonthStart = Date.parse(`${addMonths(`${today.slice(0, 7)}-01`, 1)}T04:00:00Z`)
  await portal.stop()
  const clock = join(import.meta.dirname, '../../support/server/shifted-clock.mjs')
  await portal.start({ NODE_OPTIONS: `--import ${clock}`, CLOCK_SHIFT_MS: String(nextMonthStart - Date.now()) })
  const nextMonthPage = await openFreshPage(setup, 'admin', '/app/contract')
  await openTab(nextMonthPage, sourceCode)
  const row = nextMonthPage.locator('tr', { has: nextMonthPage.getByText(today.slice(0, 7), { exact: true }) })
  // A scheduled job ends the month within one or two minutes.
  await expect
    .poll(
      async () => {
        await openTab(nextMonthPage, sourceCode)
        await nextMonthPage.locator('.backup-table').first().waitFor()
        // The row is also there before the month has ended, without the button.
        return await row.getByRole('button', { name: /Pay/ }).isVisible()
      },
      { timeout: 150_000, interval: 5_000 },
    )
    .toBe(true)
  await row.getByRole('button', { name: /Pay/ }).click()
  await getButton(nextMonthPage, /on the payment page$/).click()
  await nextMonthPage.waitForURL(/\/pay\/card\//)
  await nextMonthPage.locator('form button').first().click()
  await nextMonthPage.waitForURL((url) => url.pathname.startsWith('/saas/app/contract'))
  await row.getByText(/I\d{12}/).waitFor({ timeout: 30_000 })
  const printPage = nextMonthPage.context().waitForEvent('page')
  await getButton(nextMonthPage, `Print the traffic of ${today.slice(0, 7)}`).click()
  const printedPage = await printPage
  await printedPage
    .getByText(/I\d{12}/)
    .first()
    .waitFor()
  expect(await printedPage.locator('body').innerText()).toContain(today.slice(0, 7))
  await printedPage.close()

  await getButton(nextMonthPage, /^Restore the backup of /)
    .first()
    .click()
  const restoreDialog = getDialog(nextMonthPage, /^Restore the backup of /)
  await restoreDialog.getByRole('radio', { name: new RegExp(targetCode) }).click()
  await restoreDialog.locator('.confirm-code code').first().waitFor()
  const confirmationCode = (await restoreDialog.locator('.confirm-code code').allInnerTexts()).join('')
  await restoreDialog.locator('[name=typed-value]').pressSequentially(targetCode)
  await restoreDialog.locator('[name=typed-code]').pressSequentially(confirmationCode)
  await expectNoFaults(nextMonthPage, 'the question before a restore')
  await restoreDialog.getByRole('button', { name: 'Overwrite and restore' }).click()
  await nextMonthPage.locator('.toast', { hasText: `${targetCode}: the backup of` }).waitFor({ timeout: 120_000 })
  // The service has the users of the backup.
  const otherService = await enter(nextMonthPage, targetCode, password)
  await otherService.locator('input[name=search]').fill('X-1')
  await otherService.keyboard.press('Enter')
  await otherService.getByText('A thing to keep').waitFor()
}, 800_000)
