import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import words from '#locales/zh/visitors.json' with { type: 'json' }
import { fillLogin } from '#tests/support/browser/browser.ts'
import {
  getAddress,
  waitForController,
  takeOwnCompany,
  setUpShared,
  createVisits,
} from '#tests/support/browser/browser-setup.ts'

const ground = setUpShared()
const { open, go } = createVisits(ground)

const readCookies = (page: Page) => page.evaluate(() => document.cookie)
const readAccessToken = async (page: Page) => /portal-access=([^;]+)/.exec(await readCookies(page))?.[1] ?? ''

it('A user logs in and out in Chinese; an offline logout reaches the server later (M19, M24, S-45)', async () => {
  const { user } = takeOwnCompany()
  const { page, close } = await open()
  await go(page, '/login?lang=zh')
  await page.getByRole('heading', { name: '登录' }).waitFor()
  await fillLogin(page, user)
  await page.keyboard.press('Enter')
  await page.locator('.shell main h1').waitFor()
  expect(getAddress(page).pathname).toBe('/saas/app/home')
  expect(await readAccessToken(page)).not.toBe('')

  await page.locator('[aria-haspopup="menu"]').last().click()
  await page.getByRole('menuitem', { name: '退出登录' }).click()
  await page.getByRole('heading', { name: '您已退出登录' }).waitFor()
  await expect.poll(() => readAccessToken(page)).toBe('')
  await page.getByRole('link', { name: '返回登录' }).click()
  await page.getByRole('heading', { name: '登录' }).waitFor()

  await fillLogin(page, user)
  await page.keyboard.press('Enter')
  await page.locator('.shell main h1').waitFor()
  const token = await readAccessToken(page)
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${ground.fixture.portal.url}/api/m18s/user`, { headers })).status
  }
  expect(await ask()).toBe(200)
  await waitForController(page)
  await page.context().setOffline(true)
  await go(page, '/logout')
  await page.getByText(words.logout.offlineText).waitFor()
  await expect.poll(() => readAccessToken(page)).toBe('')
  await page.context().setOffline(false)
  await expect.poll(ask, { timeout: 30_000 }).toBe(401)
  await close()
})
