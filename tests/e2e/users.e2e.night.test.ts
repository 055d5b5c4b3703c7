/**
 * Tests the list of a company's users in Chromium: its address, its history and the keyboard. The contents of list and form are tested in
 * `tests/features/users`.
 */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitForCompleteList, takeOwnCompany, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { admin } = takeOwnCompany()
let page: Page

const getRows = () => page.locator('table.table tbody tr:not(.waiting)')
const getLinks = () => getRows().locator('.lead a')
const readNames = async () => (await getLinks().allTextContents()).map((name) => name.trim())
const query = () => new URL(page.url()).search
const getDrawer = () => page.getByRole('dialog')
const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement)

/** Waits until the list is completely cached, so that each step is rendered from the cache and no late response renders it again. */
async function enter() {
  page = await resumePage(setup, admin, '/app/user')
  await getLinks().first().waitFor()
  await waitForCompleteList(page)
}

it('Paging, sorting, filters and search are in the address; Back and reload restore them (C-01, C-02, C-03, M36)', async () => {
  await enter()
  const first = await readNames()
  expect(first).toHaveLength(10)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(query).toBe('?page=2')
  await expect.poll(async () => (await readNames()).filter((name) => !first.includes(name)).length).toBe(10)
  const second = await readNames()

  await page.getByRole('columnheader', { name: 'E-mail' }).getByRole('button').click()
  await expect.poll(query).toBe('?sortField=email&sortOrder=asc')
  await expect.poll(readNames).not.toEqual(second)
  // The e-mail is in the third column, after the check box and the name.
  const readMails = async () => await getRows().locator('td:nth-child(3)').allTextContents()
  await expect.poll(async () => (await readMails()).length).toBe(10)
  const sorted = await readMails()
  expect(sorted).toEqual([...sorted].sort())
  expect(await page.locator('th[aria-sort="ascending"]').textContent()).toContain('E-mail')

  await page.goBack()
  await expect.poll(readNames).toEqual(second)
  expect(await page.locator('[aria-current="page"]', { hasText: '2' }).count()).toBe(1)
  await page.reload()
  await expect.poll(readNames).toEqual(second)
  await page.getByLabel('Rows per page').selectOption('50')
  await expect.poll(query).toBe('?results=50')
  await expect.poll(() => getRows().count()).toBe(50)
  await page.getByLabel('Rows per page').selectOption('10')
  await expect.poll(() => getRows().count()).toBe(10)

  await page.keyboard.press('/')
  await page.keyboard.type('欧阳')
  await expect.poll(readNames).toEqual(['欧阳雪'])
  await page.keyboard.press('Escape')
  await expect.poll(query).toBe('')

  await page.getByLabel('Status', { exact: true }).selectOption('Disabled')
  await expect.poll(query).toBe('?statusType=-1')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
  await page.getByRole('link', { name: 'Users', exact: true }).first().click()
  await expect.poll(query).toBe('?statusType=-1')
})

it('A user is opened by keyboard, and closing returns the focus to the row (A-02, A-10)', async () => {
  await enter()
  await getLinks().first().focus()
  await page.keyboard.press('Enter')
  await getDrawer().getByLabel('Name', { exact: true }).waitFor()
  await expect.poll(() => getDrawer().evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Tab')
    expect(await getDrawer().evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true)
  }
  await page.keyboard.press('Escape')
  await getDrawer().waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(getLinks().first())).toBe(true)

  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-haspopup'))).toBe('menu')

  // The delete dialog asks for the e-mail and a code. Escape closes it (M39, M52).
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect.poll(() => getDrawer().getByLabel('Confirmation code').isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await getDrawer().waitFor({ state: 'detached' })
})
