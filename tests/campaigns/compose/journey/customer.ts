/** A customer: signs up, orders, uses the service, subscribes to backups, and restores. */
import type { Page } from 'playwright-core'
import { choose, fill, getOrderButton, getSubmitButton, listOrders } from '#tests/support/pages/wizard.ts'
import {
  fillFields,
  getButton,
  getDialog,
  type JourneySite,
  openDevice,
  openPage,
  sendPassword,
  submit,
  typeConfirmation,
  waitFor,
  waitForHome,
  waitForToast,
} from '#tests/campaigns/compose/journey/screen.ts'

const company = 'harbour'
const email = 'ana@harbour.example'
const password = 'Slow-river-under-9-bridges'
export const serviceCode = 'harbourerp'

export async function signUp(site: JourneySite): Promise<Page> {
  const page = await openDevice(site.browser)
  await page.goto(`${site.url}/saas/signup`)
  await fillFields(page, { code: company, name: 'Harbour Ltd' })
  await page.locator('select[name="country"]').selectOption('HK')
  await fillFields(page, { number: '12345678' })
  await submit(page)
  await page.locator('input[name="user_name"]').waitFor()
  await page.locator('select[name="user_title"]').selectOption('1')
  await fillFields(page, { user_name: 'Ana Chan', user_email: email, user_password: password, confirmPwd: password })
  await submit(page)
  await page.getByText(email, { exact: false }).first().waitFor()
  await page.goto(await site.readMailLink(email, '/saas/sys/activate'))
  await page.locator('main button.primary').click()
  await page.locator('main a[href="/saas/login"]').first().waitFor()
  await sendPassword(page, site.url, { company, username: email, password })
  await waitForHome(page)
  site.report('a company signed up and activated its account by mail')
  return page
}

/** Returns the path of the contract's page. */
export async function orderContract(site: JourneySite, page: Page): Promise<string> {
  await openPage(page, site.url, '/app/contract/new')
  await fill(page, serviceCode)
  await getSubmitButton(page).click()
  await choose(page, 'core')
  await getOrderButton(page).click()
  await page.getByText(`Order ${serviceCode} created.`).waitFor()
  const order = (await listOrders(page, serviceCode))[0]
  site.report(`ordered: ${order?.amount} HKD, ${order?.state}`)
  return `/app/contract/${order?.id}`
}

/** Creates the service and returns its password. */
export async function createService(site: JourneySite, page: Page, path: string): Promise<string> {
  await waitFor('the contract is in effect', async () =>
    (await listOrders(page, serviceCode)).some(({ state }) => state === 'effective'),
  )
  await openPage(page, site.url, path)
  await getButton(page, `More for the service ${serviceCode}`).click()
  await page.getByRole('menuitem', { name: 'Create service', exact: true }).click()
  await getButton(getDialog(page, `Create the service ${serviceCode}?`), 'Create service').click()
  const dialog = getDialog(page, `New password of ${serviceCode}`)
  await getButton(dialog, 'Show password').click({ timeout: 120_000 })
  await dialog.getByText('Copy it now: it is not shown again.').waitFor()
  const servicePassword = (await dialog.locator('code').allInnerTexts())[1] ?? ''
  await getButton(dialog, 'Close').last().click()
  site.report('the service was created')
  return servicePassword
}

/** Opens the service from the entrance page in a tab of its own, and logs in. */
export async function enterService(site: JourneySite, portalPage: Page, servicePassword: string): Promise<Page> {
  const page = await portalPage.context().newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${site.url}/saas/entrance`)
  await page.locator('input').first().fill(serviceCode)
  await page.keyboard.press('Enter')
  const address = await page.locator(`a[href*="://www.${serviceCode}."]`).first().getAttribute('href')
  await page.goto(address ?? '')
  if ((await page.locator('[name=user]').count()) > 0) {
    await page.locator('[name=user]').fill('admin')
    await page.locator('[name=password]').fill(servicePassword)
    await page.locator('form.fields button').click()
    await page.locator('[name=password]').waitFor({ state: 'detached' })
  }
  return page
}

export async function addItem(service: Page, code: string, name: string): Promise<void> {
  await service.goto(new URL('/items/new', service.url()).href)
  for (const [field, value] of Object.entries({ code, name, quantity: '3', unit: 'pcs' }))
    await service.locator(`[name=${field}]`).fill(value)
  await service.locator('form.fields button').click()
  await service.getByText(name).first().waitFor()
}

/** Returns the text of the list of items. */
export async function readItems(service: Page): Promise<string> {
  await service.goto(new URL('/', service.url()).href)
  return service.locator('body').innerText()
}

/** Orders backups to the bucket for two months. They are unpaid afterwards. */
export async function orderBackups(site: JourneySite, page: Page, path: string): Promise<void> {
  await openPage(page, site.url, `${path}?tab=subscribe`)
  await getButton(page, 'Subscribe: Backup to S3').click()
  await page.locator('[name=backup-period]').press('Control+A')
  await page.keyboard.type('2')
  await page.locator('[name=backup-unit]').selectOption('month')
  await getButton(page, /^Order · /).click()
  await page.getByRole('button', { name: /^Order · / }).waitFor({ state: 'detached' })
  site.report('backups to S3 were ordered')
}

export async function backUp(site: JourneySite, page: Page, path: string): Promise<void> {
  await openPage(page, site.url, `${path}?tab=subscribe`)
  await getButton(page, 'Back up now').click()
  await getButton(getDialog(page, `Back up ${serviceCode} now?`), 'Back up now').click()
  await waitForToast(page, `${serviceCode}: the backup is done.`)
  site.report('a backup was made')
}

export async function restore(site: JourneySite, page: Page, path: string): Promise<void> {
  await openPage(page, site.url, `${path}?tab=subscribe`)
  await getButton(page, /^Restore the backup of /)
    .first()
    .click()
  const dialog = getDialog(page, /^Restore the backup of /)
  await typeConfirmation(dialog, serviceCode)
  await getButton(dialog, 'Overwrite and restore').click()
  await waitForToast(page, `${serviceCode}: the backup of`)
  site.report('the backup was restored')
}
