/** Tests complete user journeys through the portal, on different devices and in both languages. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  activateAndLogIn,
  fill,
  fillCompany,
  followLink,
  getInput,
  invite,
  logIn,
  openMail,
  submit,
} from '#tests/support/browser/newcomer.ts'
import { getLabel, getRows, setUpShared, tablet } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture, cleanups } = setup

const newPassword = 'Slow-river-under-9-bridges'

async function openPage(path: string, options: BrowserContextOptions): Promise<Page> {
  const context = await fixture.browser.newContext({ ...options, reducedMotion: 'reduce' })
  cleanups.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${fixture.portal.url}${path}`)
  return page
}

it('A company registers, logs in, invites a colleague and disables that account (M26, M30, M34, M37, M39)', async () => {
  const [company, options] = ['trip', tablet]
  const [ana, bo] = ['ana@trip.example', 'bo@trip.example']
  const page = await openPage('/saas/signup?lang=zh', options)
  await fillCompany(page, { code: company, name: 'Trip Ltd', number: '12345678' })
  await submit(page)
  await getInput(page, 'user_name').waitFor()
  await page.locator('select[name="user_title"]').selectOption('1')
  await fill(page, { user_name: 'Ana Chan', user_email: ana, user_password: newPassword, confirmPwd: newPassword })
  await submit(page)
  await page.getByText(ana, { exact: false }).first().waitFor()
  await openMail(page, fixture.portal.url, ana)
  await followLink(page, '/saas/sys/activate')
  await page.locator('main button.primary').click()
  await page.locator('main a[href="/saas/login"]').first().click()
  await logIn(page, { company, username: ana, password: newPassword })

  await page.goto(`${fixture.portal.url}/saas/app/user?user=new`)
  await invite(page, { name: 'Bo Wei', email: bo })
  await getRows(page).filter({ hasText: bo }).waitFor()
  const colleague = await openPage('/dev/mail', options)
  await activateAndLogIn(colleague, fixture.portal.url, { company, username: bo })

  // A user's rights and name are updated on the open page, without a reload (fault 30d).
  const contracts = colleague.locator('.rail a[href="/saas/app/contract"]')
  expect(await contracts.count()).toBe(0)
  const setOrder = async () => {
    await page.goto(`${fixture.portal.url}/saas/app/user?searchText=bo`)
    await getRows(page).locator('.lead a').first().click()
    await getLabel(page.locator('[role=dialog] [name=order]')).click()
    await page.locator('[role=dialog] button.primary').click()
    await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  }
  await setOrder()
  await contracts.waitFor()
  await page.goto(`${fixture.portal.url}/saas/app/profile/company`)
  await getInput(page, 'name').fill('Trip and Sons Ltd')
  // The page has a second form, in which staff are allowed to help.
  await page.getByRole('button', { name: '保存更改' }).click()
  await colleague.locator('.bar-company', { hasText: 'Trip and Sons Ltd' }).waitFor()
  await page.locator('.bar-company', { hasText: 'Trip and Sons Ltd' }).waitFor()
  await setOrder()
  await contracts.waitFor({ state: 'detached' })

  await page.goto(`${fixture.portal.url}/saas/app/user?searchText=bo`)
  await getRows(page).locator('.tag.positive').waitFor()
  await getRows(page).locator('[aria-haspopup=menu]').first().click()
  await page.getByRole('menuitem', { name: /^(Disable|停用)$/ }).click()
  await page.locator('.toast.done').waitFor()

  await colleague.goto(`${fixture.portal.url}/saas/app/home`)
  await colleague.waitForURL((url) => url.pathname === '/saas/login', { timeout: 30_000 })
  await fill(colleague, { company, username: bo, password: newPassword })
  await submit(colleague)
  await colleague.getByText('用户状态异常，请联系系统管理员', { exact: false }).waitFor()
  expect(await getInput(colleague, 'username').inputValue()).toBe(bo)
})
