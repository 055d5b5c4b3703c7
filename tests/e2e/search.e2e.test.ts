/** Tests the search in Chromium: from any page to a user or contract by the keyboard, also offline after a reload. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  createVisits,
  getAddress,
  phone,
  readFocusedText,
  setUpShared,
  waitForController,
} from '#tests/support/browser/browser-setup.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const { resume } = createVisits(setUpShared())
const getActiveOption = (page: Page) => page.locator('[role=option][aria-selected=true] .search-label')

/** Presses the shortcut, types and waits until the best match is the expected one. */
async function search(page: Page, text: string, label: string) {
  await page.keyboard.press('Control+k')
  await page.locator('dialog.search').waitFor()
  await page.keyboard.type(text)
  await expect.poll(() => getActiveOption(page).allInnerTexts()).toEqual([label])
}

it('the search opens a user by pinyin and a contract by its code, online and offline after a reload', async () => {
  const { page } = await resume('admin', '/app/home')
  await waitForController(page)
  await search(page, 'dxl', '丁小龙')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit 丁小龙' }).waitFor()
  expect(getAddress(page).pathname).toBe('/saas/app/user')
  await search(page, 'acmehr', 'acmehr')
  await page.keyboard.press('Enter')
  await page.locator('main h1', { hasText: 'Acme people' }).waitFor()
  for (const part of ['pinyin', 'users', 'orders'] as const) await waitForCachedPart(page, part)

  await page.context().setOffline(true)
  await page.goto(getAddress(page).origin + '/saas/app/profile/user')
  await page.locator('main h1').waitFor()
  await search(page, 'dxl', '丁小龙')
  await expect.poll(() => page.locator('.search-foot').innerText()).toMatch(/On this device: \d+ users, \d+ contracts/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit 丁小龙' }).waitFor()
  await search(page, 'acmehr', 'acmehr')
  await page.keyboard.press('Enter')
  await page.locator('main h1', { hasText: 'Acme people' }).waitFor()
})

nightly('the search has a field of 240 x 36 in the header, and the focus returns to it', async () => {
  const { page } = await resume('admin', '/app/home')
  const field = page.getByRole('button', { name: 'Search or jump to…' })
  expect(await field.boundingBox()).toMatchObject({ width: 240, height: 36 })
  await field.click()
  await page.locator('dialog.search').waitFor()
  expect(await page.locator('dialog.search').evaluate((dialog) => dialog.getBoundingClientRect().width)).toBe(560)
  expect(await page.locator('.search-option').first().boundingBox()).toMatchObject({ height: 40 })
  await page.keyboard.press('Escape')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
  await expect.poll(() => readFocusedText(page)).toContain('Search or jump to')
})

nightly('the search is an icon of 44 px on a phone, and covers the screen with rows of 48 px', async () => {
  const { page } = await resume('admin', '/app/home', phone)
  const button = page.getByRole('button', { name: 'Search or jump to…' })
  expect(await button.boundingBox()).toMatchObject({ width: 44, height: 44 })
  await button.tap()
  await page.locator('.search-option').first().waitFor()
  expect(await page.locator('dialog.search').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 })
  expect(await page.locator('.search-option').first().boundingBox()).toMatchObject({ height: 48 })
  await page.getByRole('button', { name: 'Close' }).tap()
  await page.locator('dialog.search').waitFor({ state: 'detached' })
})
