/** Tests how many users are selected by pointer, key and touch. The actions on them are tested in `bulk-dialog.night.test.tsx`. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import {
  waitForCompleteList,
  takeOwnCompany,
  resumePage,
  getRows,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { admin } = takeOwnCompany()
let page: Page

const longTimeout = { timeout: 30_000 }

const getBox = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const getBoxes = () => page.locator('td.pick input')
const readSelectionText = () => page.locator('.picks > p').innerText()
const getDialog = () => page.getByRole('dialog')

it('Users are selected by key, range, page or on all pages; a filter or Escape clears the selection (A-02, A-08)', async () => {
  page = await resumePage(setup, admin, '/app/user')
  await getRows(page).first().waitFor()
  await waitForCompleteList(page)
  await getBoxes().first().focus()
  await page.keyboard.press('Space')
  await expect.poll(readSelectionText).toBe('1 selected')
  await getBoxes()
    .nth(3)
    .click({ modifiers: ['Shift'] })
  expect(await readSelectionText()).toBe('4 selected')
  // The check box can be clicked anywhere in its cell, by touch and by pointer.
  const cell = await getRows(page).nth(5).locator('td.pick').boundingBox()
  await page.mouse.click((cell?.x ?? 0) + 4, (cell?.y ?? 0) + 4)
  expect(await readSelectionText()).toBe('5 selected')

  const selectAllBox = page.getByRole('checkbox', { name: 'Select all on this page' })
  expect(await selectAllBox.evaluate((input: HTMLInputElement) => [input.checked, input.indeterminate])).toEqual([
    false,
    true,
  ])
  await selectAllBox.check()
  expect(await readSelectionText()).toBe('10 selected')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(readSelectionText).toBe('10 selected · 10 on other pages')
  await page.goBack()
  await expect.poll(readSelectionText).toBe('10 selected')
  await selectAllBox.uncheck()
  await page.locator('.picks').waitFor({ state: 'detached' })
  const disableButton = page.locator('.picks').getByRole('button', { name: 'Disable' })

  // Checks the look of the confirmation and of the message. Component tests check their texts.
  await getBox('Ada Wong').check()
  await getBox('Agnes Fung').check()
  await disableButton.click()
  await getDialog().getByText('Disable 1 user?', { exact: true }).waitFor()
  expect(['asked', await findViolations(page)]).toEqual(['asked', []])
  await getDialog().getByRole('button', { name: 'Disable 1 user' }).click()
  await page.locator('.toast').getByText('1 user disabled', { exact: true }).waitFor(longTimeout)
  expect(['became', await findViolations(page)]).toEqual(['became', []])
  await getDialog().waitFor({ state: 'detached' })

  await page.getByLabel('Status', { exact: true }).selectOption('Disabled')
  await page.locator('.picks').waitFor({ state: 'detached' })
  await getBoxes().first().check()
  await page.locator('.picks').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.picks').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('td')?.className)).toBe('pick')
  expect(await getRows(page).first().locator('.lead a').count()).toBe(1)
})
