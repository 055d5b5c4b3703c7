import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { desk, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
const path = '/app/profile/sessions'

async function inside(who: keyof typeof people, at: string, options: BrowserContextOptions = desk): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, at)
  return page
}
const sessions = (page: Page) => page.locator('.sessions li')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const isOut = async (page: Page) => {
  await page.reload()
  await page.waitForURL((url) => url.pathname.endsWith('/login'), { timeout: 15_000 })
}

it('one sees where one is logged in, and ends one or all of the others (S-46)', async () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0'
  const office = await inside('user', '/app/home', { ...desk, userAgent: `${windows} Safari/537.36 Edg/150.0.0.0` })
  const tablet = await inside('user', '/app/home')
  const page = await inside('user', '/app/profile/user')
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect.poll(() => sessions(page).count()).toBe(3)
  await sessions(page).first().getByText('This one').waitFor()
  await sessions(page).first().getByText('Chrome on Linux').waitFor()
  expect(await seriousTrouble(page)).toEqual([])

  const edge = sessions(page).filter({ hasText: 'Microsoft Edge on Windows' })
  await edge.getByRole('button').click()
  await page.locator('.toast', { hasText: 'The session has ended.' }).waitFor()
  await expect.poll(() => sessions(page).count()).toBe(2)
  await isOut(office)

  await button(page, 'End all other sessions').click()
  await button(page, 'Keep them').click()
  await button(page, 'End all other sessions').click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByText('You are logged in nowhere else.').waitFor()
  await isOut(tablet)
  await page.reload()
  await expect.poll(() => sessions(page).count()).toBe(1)
})

it('an admin logs a colleague out everywhere, and changes nothing of them (S-46)', async () => {
  const colleague = await inside('user', '/app/home')
  const page = await inside('admin', '/app/user?results=50')
  await page.getByRole('link', { name: 'Victor Yeung' }).click()
  await button(page, 'End all sessions').click()
  await page.locator('.toast', { hasText: 'has been logged out on every device.' }).waitFor()
  await isOut(colleague)
})

it('without a line the page says why it is empty, and fills when the line is back', async () => {
  const page = await inside('user', '/app/home')
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.context().setOffline(true)
  await page.goto(`${the.portal.url}/saas${path}`)
  await page.getByText('Your sessions need a connection.').waitFor()
  await page.context().setOffline(false)
  await sessions(page).first().waitFor({ timeout: 20_000 })
})

it.each(['light', 'dark'] as const)('fits a phone in both languages, in %s (A-01, T-02)', async (colorScheme) => {
  const page = await inside('user', '/app/home', { ...phone, colorScheme })
  await inside('user', '/app/home')
  for (const language of ['en', 'zh']) {
    await page.goto(`${the.portal.url}/saas${path}?lang=${language}`)
    await sessions(page).nth(1).waitFor()
    expect([await sidewaysScroll(page), await seriousTrouble(page)]).toEqual([0, []])
  }
})
