/**
 * Tests the audit trail in the browser (contracts 2, 3; M131 to M133): a change is found through the record's history, read with its
 * differences, its day selected in the chart, and exported. Other contents of the page are tested in `tests/features/audit-trail`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  getAddress,
  waitForController,
  openFreshPage,
  waitForList,
  takeOwnCompany,
  phone,
  resumePage,
  getRows,
  setUpShared,
  readText,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { admin } = takeOwnCompany()

const getDrawer = (page: Page) => page.getByRole('dialog')
const readTimes = async (page: Page) => await getRows(page).locator('td.first').allTextContents()

async function rename(page: Page): Promise<{ oldName: string; newName: string }> {
  await waitForList(page)
  await getRows(page).nth(2).locator('.lead a').click()
  const field = getDrawer(page).locator('[name=name]')
  const oldName = await field.inputValue()
  const newName = `${oldName} of Hong Kong`
  await field.fill(newName)
  await getDrawer(page).locator('button[type=submit]').click()
  await getDrawer(page).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: newName }).click()
  return { oldName, newName }
}

it("A user's change is found in the history, opened with its differences, and exported as filtered", async () => {
  const page = await resumePage(setup, admin, '/app/user')
  await waitForController(page)
  const { oldName, newName } = await rename(page)
  await getDrawer(page).getByRole('link', { name: 'History' }).click()
  await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor()
  await waitForList(page)
  // The search uses the e-mail address, because after a rename a search by name would miss earlier entries.
  const { code, searchText } = Object.fromEntries(getAddress(page).searchParams)
  expect([code, searchText]).toEqual(['user', expect.stringContaining('@')])
  const rowCount = await getRows(page).count()
  await expectNoFaults(page, 'the audit trail')

  // The link can be pressed anywhere in its row.
  await getRows(page).first().locator('td').nth(1).click()
  await expect
    .poll(() => getDrawer(page).locator('.trail-changes tbody tr').allInnerTexts())
    .toEqual([expect.stringMatching(new RegExp(`^Name\\s+${oldName}\\s+${newName}$`))])
  await expectNoFaults(page, 'an entry of the audit trail')
  await page.keyboard.press('Escape')
  await getDrawer(page).waitFor({ state: 'detached' })

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'CSV file' }).click()
    })(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-trail-\d{4}-\d{2}-\d{2}\.csv$/)
  const lines = (await readText(download)).trim().split('\r\n')
  expect(lines).toHaveLength(1 + rowCount)
  expect(lines[1]).toContain(newName)
})

it('A click in the audit chart selects a day and lists its entries; entries already read are available offline', async () => {
  const page = await resumePage(setup, admin, '/app/systrail')
  await waitForController(page)
  await waitForCachedPart(page, 'trail')
  await waitForList(page)
  const chart = page.getByRole('slider')
  const canvas = chart.locator('canvas')
  await canvas.waitFor()
  const all = await readTimes(page)
  const day = all[0]?.slice(0, 10) ?? ''
  // The latest day is the last bar.
  const { width, height } = (await canvas.boundingBox()) ?? { width: 0, height: 0 }
  await canvas.click({ position: { x: width - 8, y: height / 2 } })
  await expect.poll(() => getAddress(page).search).toBe(`?dateFrom=${day}&dateTo=${day}`)
  await waitForList(page)
  expect(new Set((await readTimes(page)).map((time) => time.slice(0, 10)))).toEqual(new Set([day]))
  await page.getByRole('button', { name: 'Show all days' }).click()
  await expect.poll(() => readTimes(page)).toEqual(all)
  await page.context().setOffline(true)
  await page.reload()
  await expect.poll(() => readTimes(page)).toEqual(all)
  await canvas.waitFor()
})

it('An audit entry has two lines in the list on a phone, and the filters open as a sheet', async () => {
  const page = await openFreshPage(setup, admin, '/app/systrail', phone)
  await waitForList(page)
  const heights = await getRows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  expect(heights.filter((height) => height < 64 || height > 74)).toEqual([])
  await expectNoFaults(page, 'the audit trail on a phone')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await getDrawer(page).getByLabel('Status').selectOption('Failed')
  await expectNoFaults(page, 'the filters of the audit trail')
  await getDrawer(page).getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('button', { name: 'Filter (1)' }).waitFor()
  expect(getAddress(page).search).toBe('?status=-1')
})
