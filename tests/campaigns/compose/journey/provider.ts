/** The provider's first administrator: password, second factor, company, first catalogue; later: payments of customers. */
import type { Page } from 'playwright-core'
import { calculateCode } from '#tests/support/server/otp.ts'
import { packList } from '#tests/support/orders/price-files.ts'
import {
  fillFields,
  getButton,
  type JourneySite,
  openDevice,
  openPage,
  sendPassword,
  submit,
  waitFor,
  waitForHome,
} from '#tests/campaigns/compose/journey/screen.ts'

const password = 'Quiet-harbour-over-7-hills'

/** Opens the one-time link of the start, and stays signed in. `email` is PROVIDER_EMAIL. */
export async function startAsProvider(site: JourneySite, firstLink: string, email: string): Promise<Page> {
  const page = await openDevice(site.browser)
  await page.goto(firstLink)
  await fillFields(page, { password, confirm: password })
  await submit(page)
  await page.locator('input[name="password"]').waitFor({ state: 'detached' })
  await sendPassword(page, site.url, { company: 'm18', username: email, password })
  await getButton(page, 'Authenticator app').click()
  const keyText = await page.locator('.factor-scan code').first().innerText()
  await fillFields(page, { otp: calculateCode(keyText.replaceAll(' ', ''), Date.now()) })
  await getButton(page, 'Turn on').click()
  const download = page.waitForEvent('download')
  await getButton(page, 'Download').click()
  await download
  await getButton(page, 'I have saved them').click()
  await waitForHome(page)
  site.report('the first administrator has a password and a second factor')
  return page
}

const toPrices = (hkd: string, usd: string, rmb: string) => ({ hkd, usd, rmb })
const toNamedPrices = (name: string, [hkd, usd, rmb]: [string, string, string]) => ({
  [`${name}_hkd`]: hkd,
  [`${name}_usd`]: usd,
  [`${name}_rmb`]: rmb,
})

function buildPriceList(effectiveDate: string) {
  const ranges = [{ from: 1, to: 999_999, ...toPrices('1000.00', '128.50', '900.00') }]
  return {
    type: 'saas',
    effective_date: effectiveDate,
    desc: 'First prices',
    uat_charge: '20.00',
    ...toNamedPrices('uat_cap', ['5000.00', '640.00', '4500.00']),
    min_concurrent_user: 5,
    min_named_user: 10,
    ...toNamedPrices('min_fee', ['20000.00', '2560.00', '18000.00']),
    concurrentUser: ranges,
    namedUser: ranges,
    module: [{ code: 'core', ...toPrices('12000.00', '1540.00', '10800.00') }],
    pdbPrice: {
      ...toNamedPrices('pdb2s3_fee', ['6000.00', '770.00', '5400.00']),
      pdb2s3_traffic: '50.00',
      pdb2s3_discount: '10.00',
      ...toNamedPrices('pdb2s3_up', ['12.50', '1.60', '11.25']),
      ...toNamedPrices('pdb2rds_fee', ['15000.00', '1925.00', '13500.00']),
      pdb2rds_discount: '0.00',
    },
  }
}

/** Creates a module, imports a price list from a file and confirms it. `today` is the date in the business time zone. */
export async function createCatalogue(site: JourneySite, page: Page, today: string): Promise<void> {
  await openPage(page, site.url, '/app/m18/module/new')
  await fillFields(page, { code: 'core', name: 'Core' })
  await getButton(page, 'Create').click()
  await page.getByRole('link', { name: 'core', exact: true }).waitFor()

  await openPage(page, site.url, '/app/m18/price')
  await getButton(page, 'Import').click()
  const file = await packList(JSON.stringify(buildPriceList(today)))
  const dialog = page.getByRole('dialog')
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'prices.zip', mimeType: 'application/zip', buffer: file })
  await dialog.getByText(`The file contains the price list of ${today}`).waitFor()
  await getButton(dialog, 'Import').click()
  await page.getByRole('heading', { level: 1, name: `Price list of ${today}` }).waitFor()
  // A list can be confirmed after a trial run. No contract exists yet, so it has no result.
  await getButton(page, 'Start trial run').click()
  await getButton(page, 'Confirm…').click()
  await getButton(page.getByRole('dialog'), 'Confirm price list').click()
  await page.getByText('This price list is confirmed').first().waitFor()
  site.report('the first module and the first price list are in force')
}

/** Marks the open amount on a contract's page as paid without money (SIMULATED_PAYMENT). `path` is the page. */
export async function payForCustomer(site: JourneySite, page: Page, path: string): Promise<void> {
  await openPage(page, site.url, path)
  const simulate = page.getByRole('button', { name: /^Simulate payment of/ })
  const open = page.getByRole('button', { name: /^Pay/ }).first()
  await waitFor('a button to pay', async () => (await simulate.count()) > 0 || (await open.count()) > 0)
  if ((await simulate.count()) === 0) await open.click()
  await simulate.click()
  await simulate.waitFor({ state: 'detached' })
}
