import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { tabThrough } from '#tests/support/browser/looks.ts'
import { desktop, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture, cleanups } = setup

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await fixture.browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block', ...options })
  cleanups.push(() => context.close())
  return context.newPage()
}
const go = async (page: Page, path: string) => {
  await page.goto(`${fixture.portal.url}/saas${path}`)
  await page.locator('main h1').waitFor()
}
describe('keyboard only', () => {
  it('every focused element on the public and account pages has a visible outline (A-02)', async () => {
    const visitorPage = await open(desktop)
    for (const path of ['/login', '/signup', '/forget', '/entrance?code=acmetrade']) {
      await go(visitorPage, path)
      if (path.includes('code=')) await visitorPage.locator('.entrance-found').waitFor()
      const { stops, ringless } = await tabThrough(visitorPage)
      expect([path, ringless]).toEqual([path, []])
      expect(stops.length).toBeGreaterThan(6)
    }
    const page = await resumePage(setup, 'admin', '/app/home')
    for (const path of ['/app/profile/user?edit=1', '/app/profile/password', '/app/profile/company', '/app/device']) {
      await go(page, path)
      if (path.includes('profile')) await page.locator('main form').waitFor()
      const { stops, ringless } = await tabThrough(page)
      expect([path, ringless]).toEqual([path, []])
      expect(stops.length).toBeGreaterThan(12)
    }
  })

  it('a visitor can register a company, from the home page until the mail is sent (A-02, A-11)', async () => {
    const page = await open(desktop)
    await page.goto(`${fixture.portal.url}/index.html`)
    await page.getByRole('link', { name: 'Register your company' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('main form').waitFor()
    await page.locator('input[name="code"]').focus()
    await page.keyboard.type('kayco')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Keys Ltd')
    await page.locator('input[name="number"]').focus()
    await page.keyboard.type('12345678')
    await page.locator('input[name="dialCode"]').focus()
    await page.keyboard.type('852')
    await page.keyboard.press('Enter')
    await page.locator('input[name="user_name"]').waitFor()
    await page.locator('select[name="user_title"]').focus()
    await page.keyboard.type('Ms')
    expect(await page.locator('.account-steps [aria-current="step"]').innerText()).toContain('First user')
    for (const [name, text] of [
      ['user_name', 'Kay Chan'],
      ['user_email', 'kay@kayco.example'],
      ['user_password', 'Slow-river-under-9-bridges'],
      ['confirmPwd', 'Slow-river-under-9-bridges'],
    ] as const) {
      await page.locator(`input[name="${name}"]`).focus()
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    await page.getByText('Active mail has been sent to kay@kayco.example', { exact: false }).waitFor()
  })
})
