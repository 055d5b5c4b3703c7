/** Every screen of visitors and of the own account, by its look: type at twice its size, no cut text, the keyboard. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '#tests/support/browser.ts'
import { expectFine, tabThrough } from '#tests/support/looks.ts'
import { desk, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await the.browser.newContext({ reducedMotion: 'reduce', ...options })
  ends.push(() => context.close())
  return context.newPage()
}
const go = async (page: Page, path: string) => {
  await page.goto(`${the.portal.url}/saas${path}`)
  await page.locator('main h1').waitFor()
}
const submit = (page: Page) => page.locator('main form button[type="submit"]').click()
const wrong = (page: Page) => page.locator('main .field-error').first().waitFor()

const looks = [
  ['en', 'light', desk],
  ['zh', 'dark', phone],
] as const

describe.each(looks)('in %s, %s', (language, colorScheme, form) => {
  it('the screens of visitors bar nobody, at twice the type too (A-01, A-30, I-13)', async () => {
    const page = await open({ ...form, colorScheme })
    await go(page, `/login?lang=${language}`)
    await submit(page)
    await wrong(page)
    await expectFine(page, 'login, with errors')
    await go(page, '/signup')
    await submit(page)
    await wrong(page)
    await expectFine(page, 'sign-up, with errors')
    await page.locator('input[name="code"]').fill(`look${language}`)
    await page.locator('input[name="name"]').fill('Look Ltd')
    await page.locator('select[name="country"]').selectOption('HK')
    await page.locator('input[name="number"]').fill('12345678')
    await submit(page)
    await page.locator('input[name="user_name"]').waitFor()
    await submit(page)
    await wrong(page)
    await expectFine(page, 'sign-up, first user, with errors')
    for (const path of ['/forget', '/resetPwd', '/sys/activate', '/nowhere/at/all', '/logout']) {
      await go(page, path)
      await expectFine(page, path)
    }
    await go(page, '/entrance?code=acmetrade')
    await page.locator('.entrance-found').waitFor()
    await expectFine(page, 'entrance, found')
    await go(page, '/entrance?code=select')
    await wrong(page)
    await expectFine(page, 'entrance, refused')
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(language === 'en' ? 'en' : 'zh-Hans')
  })

  it('the screens of the own account bar nobody, at twice the type too (A-01, A-30, A-32, C-19)', async () => {
    const page = await open({ ...form, colorScheme })
    await go(page, `/login?lang=${language}`)
    await signIn(page, the.portal, 'admin')
    const titles = new Set<string>()
    for (const path of [
      'profile/user',
      'profile/user?edit=1',
      'profile/password',
      'profile/company',
      'device',
      'activity',
      'outbox',
    ]) {
      await go(page, `/app/${path}`)
      if (path === 'profile/company') await page.locator('main form').waitFor()
      await expectFine(page, path)
      titles.add(await page.title())
    }
    expect(titles.size).toBe(7)
    expect([...titles].filter((title) => !title.includes(' · Acme Trading Limited · '))).toEqual([])
  })
})

describe('by the keyboard alone', () => {
  it('every stop of the visitors’ pages and of the account’s is seen (A-02)', async () => {
    const page = await open(desk)
    for (const path of ['/login', '/signup', '/forget', '/entrance?code=acmetrade']) {
      await go(page, path)
      if (path.includes('code=')) await page.locator('.entrance-found').waitFor()
      const { stops, ringless } = await tabThrough(page)
      expect([path, ringless]).toEqual([path, []])
      expect(stops.length).toBeGreaterThan(6)
    }
    await signIn(page, the.portal, 'admin')
    for (const path of ['/app/profile/user?edit=1', '/app/profile/password', '/app/profile/company', '/app/device']) {
      await go(page, path)
      if (path.includes('profile')) await page.locator('main form').waitFor()
      const { stops, ringless } = await tabThrough(page)
      expect([path, ringless]).toEqual([path, []])
      expect(stops.length).toBeGreaterThan(12)
    }
  })

  it('one registers, from the home page to the mail (A-02, A-11)', async () => {
    const page = await open(desk)
    await page.goto(`${the.portal.url}/index.html`)
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
