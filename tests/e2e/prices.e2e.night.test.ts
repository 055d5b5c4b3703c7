/**
 * Tests price lists in the browser: created by keyboard, copied and reordered by drag, rehearsed, confirmed and used in quotes, exported
 * and imported, changed offline (M145 to M153, M55). Other contents of the pages are tested in `tests/features/prices`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  readBytes,
  waitForController,
  desktop,
  resumePage,
  getRows,
  setUp,
} from '#tests/support/browser/browser-setup.ts'
import { callApi } from '#tests/support/pages/wizard.ts'

const setup = setUp()

interface Row {
  id: number
  effective_date: string
  desc: string
  confirmed: boolean
  row_version: number
}

async function staffPage(path = '/app/m18/price', user: 'staff' | 'admin' = 'staff') {
  const page = await resumePage(setup, user, path, { ...desktop, acceptDownloads: true })
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => message.text().includes('Content Security Policy') && errors.push(message.text()))
  await waitForController(page)
  return { page, errors }
}

const listPriceLists = async (page: Page) =>
  (await callApi<{ data: Row[] }>(page, 'GET', '/api/pricelist?results=50')).body.data
const findPriceListOf = async (page: Page, day: string) =>
  (await listPriceLists(page)).find((row) => row.effective_date === day)
const readCodes = (page: Page) =>
  page
    .locator('.modules [data-cell=code]')
    .evaluateAll((all) => all.map((element) => (element as HTMLInputElement).value))
const findHeading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
/** Types at the speed of a fast typist. */
const typed = (page: Page, text: string) => page.keyboard.type(text, { delay: 10 })
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())

it('A price list is created by keyboard only (M146 to M148, A-05)', async () => {
  const { page, errors } = await staffPage()
  await getRows(page).first().waitFor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await page.getByRole('link', { name: 'New price list' }).focus()
  await press('Enter')
  await findHeading(page, 'New price list')
  await page.locator('[name=effective_date]').focus()
  // This format works in every browser language.
  await typed(page, '2031-03-01')
  await page.locator('[name=desc]').focus()
  await typed(page, 'By keys alone')
  await press('Tab')
  await typed(page, '5')
  await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab')
  await typed(page, '12.5')
  await press('Tab', 'Tab', 'Tab', 'Tab')
  for (const line of ['10 1200 150 1080', '5 1000 130 900']) {
    for (const [index, text] of line.split(' ').entries()) {
      if (index > 0) await press('Tab')
      await typed(page, text)
    }
    await press('Enter')
  }
  expect(
    await page
      .locator('.tiers [data-cell=to]')
      .evaluateAll((all) => all.map((element) => (element as HTMLInputElement).value)),
  ).toEqual([
    '10',
    // The second range starts at 11, so its typed end of 5 is raised to 11.
    '11',
    '',
    '',
  ])
  await page.getByRole('button', { name: 'Add a module' }).focus()
  await press('Enter')
  for (const line of ['core 1 2 3', 'fin 4 5 6', 'hr 7 8 9']) {
    for (const [index, text] of line.split(' ').entries()) {
      if (index > 0) await press('Tab')
      await typed(page, text)
    }
    await press('Enter')
  }
  // The row is moved by its handle with Space and the arrow keys.
  await page.getByRole('button', { name: 'Move Human resources', exact: true }).focus()
  await press('Space')
  for (const rowNumber of [2, 1]) {
    await press('ArrowUp')
    await page.getByText(`hr is over position ${rowNumber}.`).waitFor({ state: 'attached' })
  }
  await press('Space')
  await expect.poll(() => readCodes(page)).toEqual(['hr', 'core', 'fin', ''])
  await page.getByRole('button', { name: 'Save', exact: true }).focus()
  await press('Enter')
  await findHeading(page, 'Price list of 2031-03-01')
  const { body } = await callApi<object>(page, 'GET', `/api/prices/${(await findPriceListOf(page, '2031-03-01'))?.id}`)
  expect(body).toMatchObject({
    desc: 'By keys alone',
    confirmed: false,
    min_concurrent_user: 5,
    uat_charge: '12.50',
    concurrentUser: [
      { from: 1, to: 10, hkd: '1200.00', usd: '150.00', rmb: '1080.00' },
      { from: 11, to: 11, hkd: '1000.00' },
    ],
    module: [{ code: 'hr', rmb: '9.00' }, { code: 'core' }, { code: 'fin' }],
  })
  expect(errors).toEqual([])
})

it('A copied list is reordered, rehearsed and confirmed, and the next quote uses it (M151, M153)', async () => {
  const { page, errors } = await staffPage()
  await getRows(page).filter({ hasText: 'In force today' }).getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: 'Save as' }).click()
  await findHeading(page, 'New price list')
  await page.locator('[name=effective_date]').fill(today())
  const getMoveHandle = (name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true })
  await getMoveHandle('Documents').scrollIntoViewIfNeeded()
  const [from, to] = [await getMoveHandle('Documents').boundingBox(), await getMoveHandle('Core').boundingBox()]
  if (!from || !to) throw new Error('there are no handles')
  await page.mouse.move(from.x + 10, from.y + 10)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y - 10, { steps: 4 })
  await page.mouse.move(to.x + 10, to.y + 5, { steps: 8 })
  await page.mouse.up()
  await expect.poll(() => readCodes(page)).toEqual(['doc', 'core', 'fin', 'scm', 'hr'])
  await page.getByLabel('HKD, Core').fill('24000')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await findHeading(page, `Price list of ${today()}`)

  const rehearsal = page.getByRole('region', { name: 'Trial run' })
  await rehearsal.getByRole('button', { name: 'Start trial run' }).click()
  await rehearsal.getByRole('heading', { name: /largest change/ }).waitFor({ timeout: 30_000 })
  await rehearsal.getByRole('button', { name: 'Why this amount?' }).first().click()
  await rehearsal.getByText('24,000.00').first().waitFor()
  await expectNoFaults(page, 'a rehearsed price list')
  await page.getByRole('button', { name: 'Confirm…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm price list' }).click()
  await page.getByText('This price list is confirmed, so its prices cannot be changed.').waitFor()

  const { page: customer } = await staffPage('/app/contract/new', 'admin')
  const choice = {
    client_type: 'saas',
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 20,
    modules: ['core'],
    uat: 0,
    period: 1,
    period_start: today(),
  }
  const { body } = await callApi<{ price_id: number; contract_amount: string }>(customer, 'POST', '/api/calculate', {
    type: 'create',
    ...choice,
  })
  // 10 x 1,200 + 10 x 1,000 + 24,000
  expect(body).toMatchObject({ price_id: (await findPriceListOf(page, today()))?.id, contract_amount: '46000.00' })
  expect(errors).toEqual([])
})

it('A list is exported as a file and imported again, after its differences are shown (M152, M55)', async () => {
  const { page, errors } = await staffPage()
  const row = getRows(page).filter({ hasText: '2027-01-01' })
  await row.getByRole('button', { name: /^More/ }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('price-saas-2027-01-01.zip')
  const file = {
    name: download.suggestedFilename(),
    mimeType: 'application/zip',
    buffer: await readBytes(download),
  }
  const responseBefore = await callApi<object>(
    page,
    'GET',
    `/api/prices/${(await findPriceListOf(page, '2027-01-01'))?.id}`,
  )

  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  const give = (uploadedFile: typeof file) => dialog.locator('input[type=file]').setInputFiles(uploadedFile)
  await give({ ...file, name: 'prices.txt' })
  await dialog.getByText('Choose a file that ends in .zip.').waitFor()
  await give({ ...file, buffer: file.buffer.subarray(0, -40) })
  await dialog.getByText('This is not a .zip file, or it is damaged. Export the list again.').waitFor()
  await give(file)
  await dialog.getByRole('alert').getByText('There is already a price list of 2027-01-01.').waitFor()
  await dialog.getByText(/\d+ differences from the list of/).waitFor()
  await dialog.getByLabel('Compare with').selectOption({ label: '2027-01-01: Price list 2027' })
  await dialog.getByText('It is the same as the list of 2027-01-01, field by field.').waitFor()
  await page.keyboard.press('Escape')

  await row.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: /^Withdraw/ }).click()
  await page.getByRole('dialog').locator('[name=typed-value]').pressSequentially('2027-01-01')
  const code = (await page.getByRole('dialog').locator('.confirm-code code').allInnerTexts()).join('')
  await page.getByRole('dialog').locator('[name=typed-code]').pressSequentially(code)
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw price list' }).click()
  await expect.poll(() => row.count()).toBe(0)

  await page.getByRole('button', { name: 'Import' }).click()
  await give(file)
  await dialog.getByText(/The file contains the price list of 2027-01-01/).waitFor()
  await dialog.getByRole('button', { name: 'Import' }).click()
  await findHeading(page, 'Price list of 2027-01-01')
  const priceList = await findPriceListOf(page, '2027-01-01')
  expect(priceList).toMatchObject({ confirmed: false })
  const responseAfter = await callApi<Record<string, unknown>>(page, 'GET', `/api/prices/${priceList?.id}`)
  const {
    id: _id,
    confirmed: _c,
    withdrawn: _w,
    update_time: _t,
    update_user_name: _n,
    row_version: _v,
    ...content
  } = responseAfter.body
  expect(responseBefore.body).toMatchObject(content)
  expect(errors).toEqual([])
})

it('Unsaved input survives a reload, and an offline change is sent once', async () => {
  const { page, errors } = await staffPage()
  const inForce = await findPriceListOf(page, '2026-01-01')
  const { body: list } = await callApi<Record<string, unknown>>(page, 'GET', `/api/prices/${inForce?.id}`)
  const { module, desc, type } = list
  const withoutIds = (module as { id: number }[]).map(({ id: _id, ...row }) => row)
  const priceListInput = { type, desc, effective_date: '2032-03-01', module: withoutIds }
  expect((await callApi(page, 'POST', '/api/pricelist', priceListInput)).status).toBe(200)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await getRows(page).filter({ hasText: '2032-03-01' }).waitFor()
  await waitForCachedPart(page, 'staff')
  const context = page.context()
  await page.getByRole('link', { name: '2032-03-01' }).click()
  await findHeading(page, 'Price list of 2032-03-01')
  await page.locator('[name=desc]').fill('')
  await page.locator('[name=desc]').focus()
  await typed(page, 'Typed before a reload')
  await page.reload()
  await page.getByText('What you typed here earlier has been restored.').waitFor()
  expect(await page.locator('[name=desc]').inputValue()).toBe('Typed before a reload')

  await context.setOffline(true)
  await page.reload()
  await page.getByText('What you typed here earlier has been restored.').waitFor()
  await page.getByLabel('HKD, Core').fill('77')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const row = getRows(page).filter({ hasText: 'Typed before a reload' })
  await row.waitFor()
  await row.getByRole('link', { name: '2032-03-01' }).click()
  await findHeading(page, 'Price list of 2032-03-01')
  expect(await page.getByLabel('HKD, Core').inputValue()).toBe('77.00')
  await context.setOffline(false)
  const version = async () => (await findPriceListOf(page, '2032-03-01'))?.row_version
  await expect
    .poll(async () => (await findPriceListOf(page, '2032-03-01'))?.desc, { timeout: 30_000 })
    .toBe('Typed before a reload')
  expect(await version()).toBe(2)
  const { body } = await callApi<{ module: { code: string; hkd: string }[] }>(
    page,
    'GET',
    `/api/prices/${(await findPriceListOf(page, '2032-03-01'))?.id}`,
  )
  expect(body.module.find(({ code }) => code === 'core')?.hkd).toBe('77.00')
  expect(errors).toEqual([])
})
