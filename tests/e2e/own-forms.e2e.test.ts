import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fillLogin, people, seriousTrouble, signIn, startPortal } from '#tests/support/browser.ts'
import { desk, setUp, tablet } from '#tests/support/visit.ts'

const { the, ends } = setUp()

async function inside(who: keyof typeof people, path: string, options = desk): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, path)
  return page
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const question = (page: Page) => page.getByRole('alert').filter({ hasText: 'Your changes are not saved yet.' })
const at = (page: Page) => new URL(page.url()).pathname.replace('/saas', '')
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}`))
const languageOf = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const access = document.cookie.match(/portal-access=([^;]+)/)?.[1] ?? ''
    const answer = await fetch('/api/m18s/user', { headers: { authorization: `Bearer ${access}` } })
    return ((await answer.json()) as { language: string }).language
  })

it('leaving the company or the profile by a link asks first, and loses nothing that is kept (C-22)', async () => {
  const page = await inside('admin', '/app/profile/company')
  await expect.poll(() => field(page, 'City|District').count()).toBe(1)
  await field(page, 'Website').fill('www.acme.example')
  await page.getByRole('link', { name: 'Users' }).click()
  await question(page).waitFor()
  expect(await seriousTrouble(page)).toEqual([])
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Keep editing')
  await button(page, 'Keep editing').click()
  expect([at(page), await field(page, 'Website').inputValue()]).toEqual(['/app/profile/company', 'www.acme.example'])
  await page.getByRole('link', { name: 'Users' }).click()
  await button(page, 'Discard changes').click()
  await expect.poll(() => at(page)).toBe('/app/user')

  await page.getByRole('link', { name: 'Company', exact: true }).click()
  await expect.poll(() => field(page, 'Website').inputValue()).toBe('https://acme.example')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await expect.poll(() => at(page)).toBe('/app/home')

  await page.goto(`${the.portal.url}/saas/app/profile/user?edit=1`)
  await field(page, 'Name').fill('Amelia Chan Mei-ling')
  // Not a link but the user's menu, and the form's own way out.
  await page.getByRole('button', { name: 'My account' }).click()
  await page.getByRole('menuitem', { name: 'This device' }).click()
  await question(page).waitFor()
  await button(page, 'Keep editing').click()
  await button(page, 'Cancel').click()
  await question(page).waitFor()
  await button(page, 'Keep editing').click()
  await page.locator('main button[type="submit"]').click()
  // Saved: nothing is asked on the way out.
  await page.locator('.profile-name', { hasText: 'Amelia Chan Mei-ling' }).waitFor()
  expect(await question(page).count()).toBe(0)
})

it('Back asks too, on a page and in a drawer, and goes where it was going once that is said (C-22)', async () => {
  const page = await inside('admin', '/app/home')
  await page.getByRole('link', { name: 'Company', exact: true }).click()
  await field(page, 'Website').fill('www.acme.example')
  await page.goBack()
  await question(page).waitFor()
  // The step has been taken, and is put back while it is asked about.
  await expect.poll(() => at(page)).toBe('/app/profile/company')
  expect(await field(page, 'Website').inputValue()).toBe('www.acme.example')
  await button(page, 'Keep editing').click()
  await page.goBack()
  await button(page, 'Discard changes').click()
  await expect.poll(() => at(page)).toBe('/app/home')
  await page.goForward()
  await expect.poll(() => field(page, 'Website').inputValue()).toBe('https://acme.example')
  // Nothing is typed, nothing is asked.
  await page.goBack()
  await expect.poll(() => at(page)).toBe('/app/home')

  await page.goto(`${the.portal.url}/saas/app/profile/user`)
  await button(page, 'Edit profile').click()
  await field(page, 'Name').fill('Amelia Chan Mei-fong')
  await page.goBack()
  await question(page).waitFor()
  expect(await field(page, 'Name').inputValue()).toBe('Amelia Chan Mei-fong')
  await button(page, 'Discard changes').click()
  await button(page, 'Edit profile').waitFor()
  await page.getByRole('link', { name: 'Change password' }).click()
  await field(page, 'Original password').fill('Whatever-it-is-9')
  await page.goBack()
  await question(page).waitFor()
  await expect.poll(() => at(page)).toBe('/app/profile/password')
  await button(page, 'Discard changes').click()
  await button(page, 'Edit profile').waitFor()

  await page.getByRole('link', { name: 'Users' }).click()
  await button(page, 'New user').click()
  const drawer = page.getByRole('dialog', { name: 'New user' })
  await drawer.locator('input[name="name"]').fill('Nora Lam')
  await page.goBack()
  await question(page).waitFor()
  await button(page, 'Keep editing').click()
  expect(await drawer.locator('input[name="name"]').inputValue()).toBe('Nora Lam')
  // Saved: the drawer closes by a step back of its own.
  await drawer.locator('input[name="email"]').fill('nora.lam@acme.example')
  await drawer.locator('button[type="submit"]').click()
  await drawer.waitFor({ state: 'detached' })
  await expect.poll(() => new URL(page.url()).search).not.toContain('user=')
  await page.goBack()
  await expect.poll(() => at(page)).toBe('/app/profile/user')
})

it('the account speaks the language of the sign-in, and of the switch from then on, also without a line (D68)', async () => {
  const context = await the.browser.newContext(desk)
  ends.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${the.portal.url}/saas/login?lang=zh`)
  await page.locator('html[lang="zh-Hans"]').waitFor({ state: 'attached' })
  const granting = page.waitForRequest((request) => request.url().endsWith('/api/m18s/token'))
  await signIn(page, the.portal, 'user')
  expect(await (await granting).headerValue('accept-language')).toBe('zh')
  await expect.poll(() => languageOf(page)).toBe('zh')
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await button(page, 'English').click()
  await expect.poll(() => languageOf(page)).toBe('en')
  // Told here as well: else this one's mark would pass for the next one's.
  await page.locator('.bar-waiting').waitFor({ state: 'detached' })

  await page.context().setOffline(true)
  await button(page, '中文').click()
  await page.locator('.bar-waiting').waitFor()
  await page.context().setOffline(false)
  await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
  await expect.poll(() => languageOf(page)).toBe('zh')
})

const forms = [
  { path: '/app/profile/user?edit=1', typed: 'Amelia Chan Siu-wai', input: 'main input[name="name"]' },
  { path: '/app/profile/company', typed: 'Unit 9, Harbour Road', input: 'main input[name="addr2"]' },
  { path: '/app/user?user=new', typed: 'Nora Lam', input: '[role=dialog] input[name="name"]' },
]
it.each(forms)('a session ended from another device loses nothing typed at $path', async ({ path, typed, input }) => {
  const page = await inside('admin', path)
  await page.locator(input).fill(typed)
  const other = await inside('admin', '/app/profile/sessions')
  await button(other, 'End all other sessions').click()
  await other.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click()
  await other.getByText('You are logged in nowhere else.').waitFor()
  // Whichever tab asks first is told, and all of this browser are out (M21).
  const tab = await page.context().newPage()
  await tab.goto(`${the.portal.url}/saas/app/user`)
  await page.waitForURL((url) => url.pathname.endsWith('/login'), { timeout: 30_000 })

  await fillLogin(page, people.admin)
  await page.locator('main button[type="submit"]').click()
  await expect.poll(() => at(page), { timeout: 20_000 }).toBe(path.split('?')[0])
  await expect.poll(() => page.locator(input).inputValue()).toBe(typed)
  // It is as it was left: still to be saved.
  await page
    .locator(input.split(' ')[0] ?? '')
    .locator('button[type="submit"]:not([aria-disabled])')
    .waitFor()
})

it('a session that ran out offline is said in both forms before anything is typed in vain (W-06)', async () => {
  const portal = await startPortal({ ACCESS_SECONDS: '5', REFRESH_IDLE_SECONDS: '20' })
  ends.push(() => portal.close())
  const context = await the.browser.newContext(desk)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, portal, 'admin', '/app/profile/company')
  await expect.poll(() => field(page, 'Website').count()).toBe(1)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await field(page, 'Website').fill('www.acme.example')
  await context.setOffline(true)
  const said = page.locator('form').getByText('ran out while there was no connection')
  const submit = page.locator('main button[type="submit"]')
  const why = (control: Element) => document.getElementById(control.getAttribute('aria-describedby') ?? '')?.textContent
  await said.waitFor({ timeout: 60_000 })
  await expect.poll(() => submit.evaluate(why)).toBe('Log in again first.')
  expect(await field(page, 'Website').inputValue()).toBe('www.acme.example')

  await page.goto(`${portal.url}/saas/app/profile/user?edit=1`)
  await said.waitFor({ timeout: 30_000 })
  await expect.poll(() => submit.evaluate(why)).toBe('Log in again first.')
}, 120_000)

it('why a button cannot be pressed is told to who presses it, and not to who has just saved by it (T-04)', async () => {
  const page = await inside('globex', '/app/profile/company', tablet)
  await expect.poll(() => field(page, 'City|District').count()).toBe(1)
  const save = page.locator('main button[type="submit"]')
  const reason = page.locator('.hint', { hasText: 'Nothing has been changed yet.' })
  await field(page, 'Website').fill('https://globex.example/new')
  // The pointer stays on it, as after a tap.
  await save.click()
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
  await expect.poll(() => reason.count()).toBe(1)
  expect(await save.evaluate((button) => button.matches(':hover'))).toBe(true)
  expect(await reason.isVisible()).toBe(false)
  await page.locator('h1').tap()
  // Pressed without being hovered: not every browser takes a finger for a mouse.
  await save.dispatchEvent('click')
  await expect.poll(() => reason.isVisible()).toBe(true)
  await page.locator('h1').tap()
  await expect.poll(() => reason.isVisible()).toBe(false)
  await save.tap({ force: true })
  await expect.poll(() => reason.isVisible()).toBe(true)
})
