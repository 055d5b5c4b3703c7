/** Whole ways of people through the portal, from the first form to the last word, on the machines and in the languages they have. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import en from '#locales/en/factors.json' with { type: 'json' }
import enMail from '#locales/en/mail.json' with { type: 'json' }
import zh from '#locales/zh/factors.json' with { type: 'json' }
import zhMail from '#locales/zh/mail.json' with { type: 'json' }
import { people, type Portal, signIn, startPortal } from '#tests/support/browser.ts'
import { fill, fillCompany, followLink, input, logIn, openMail, submit } from '#tests/support/newcomer.ts'
import { desk, rows, setUp, tablet } from '#tests/support/visit.ts'
import { codeAt } from '#tests/support/otp.ts'

const { the, ends } = setUp()

const chosen = 'Slow-river-under-9-bridges'

async function visit(path: string, options: BrowserContextOptions, on: Portal = the.portal): Promise<Page> {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${on.url}${path}`)
  return page
}

const dialog = (page: Page) => page.getByRole('dialog')

async function invite(page: Page, user: { name: string; email: string }) {
  await dialog(page).locator('input[name="name"]').waitFor()
  for (const [name, value] of Object.entries(user)) await dialog(page).locator(`input[name="${name}"]`).fill(value)
  await dialog(page).locator('button[type="submit"]').click()
  await dialog(page).waitFor({ state: 'detached' })
}

/** Somebody who was invited: the mail, a password, the first login. */
async function comeIn(who: { company: string; username: string }, options: BrowserContextOptions): Promise<Page> {
  const page = await visit('/dev/mail', options)
  await openMail(page, the.portal.url, who.username)
  await followLink(page, '/saas/sys/activate')
  await fill(page, { password: chosen, confirm: chosen })
  await submit(page)
  await input(page, 'password').waitFor({ state: 'detached' })
  await page.goto(`${the.portal.url}/saas/login`)
  await logIn(page, { ...who, password: chosen })
  return page
}

const looks = [
  ['in English at a desk', 'en', desk, 'User is in invalid status, please contact your system administrator'],
  ['in Chinese on a tablet', 'zh', tablet, '用户状态无效，请联系系统管理员'],
] as const

describe('a company', () => {
  it.each(looks)(
    'registers, comes in, invites a colleague, and takes the login away again: %s (M26, M30, M34, M37, M39)',
    async (_, language, options, refused) => {
      const company = `trip_${language}`
      const [ana, bo] = [`ana@${language}.example`, `bo@${language}.example`]
      const page = await visit(`/saas/signup?lang=${language}`, options)
      await fillCompany(page, { code: company, name: 'Trip Ltd', number: '12345678' })
      await submit(page)
      await input(page, 'user_name').waitFor()
      await fill(page, { user_name: 'Ana Chan', user_email: ana, user_password: chosen, confirmPwd: chosen })
      await submit(page)
      await page.getByText(ana, { exact: false }).first().waitFor()
      await openMail(page, the.portal.url, ana)
      await followLink(page, '/saas/sys/activate')
      await page.locator('main button.primary').click()
      await page.locator('main a[href="/saas/login"]').first().click()
      await logIn(page, { company, username: ana, password: chosen })

      await page.goto(`${the.portal.url}/saas/app/user?user=new`)
      await invite(page, { name: 'Bo Wei', email: bo })
      await rows(page).filter({ hasText: bo }).waitFor()
      const colleague = await comeIn({ company, username: bo }, options)

      await page.goto(`${the.portal.url}/saas/app/user?searchText=bo`)
      await rows(page).locator('.tag.positive').waitFor()
      await rows(page).locator('[aria-haspopup=menu]').first().click()
      // Mail, disable, delete: the second one.
      await page.getByRole('menuitem').nth(1).click()
      await page.locator('.toast.done').waitFor()

      await colleague.goto(`${the.portal.url}/saas/app/home`)
      await colleague.waitForURL((url) => url.pathname === '/saas/login', { timeout: 30_000 })
      await fill(colleague, { company, username: bo, password: chosen })
      await submit(colleague)
      await colleague.getByText(refused, { exact: false }).waitFor()
      // What is wrong is said, and what was typed is still there.
      expect(await input(colleague, 'username').inputValue()).toBe(bo)
    },
  )
})

describe('an invitation that was made without a line', () => {
  it.each(looks)(
    'goes out when the line is back, and whom it invites comes in by it: %s (P-13, M40)',
    async (_, language, options) => {
      const email = `later.${language}@acme.example`
      const page = await visit(`/saas/login?lang=${language}`, options)
      await signIn(page, the.portal, 'admin', '/app/user')
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      await rows(page).first().waitFor()
      await page.context().setOffline(true)
      await page.locator('.page-action .button.primary').click()
      await invite(page, { name: `Later ${language}`, email })
      await page.locator('.bar-waiting').waitFor()
      const mails = await visit('/dev/mail', options)
      expect(await mails.locator('nav a', { hasText: email }).count()).toBe(0)
      await page.context().setOffline(false)
      await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
      await comeIn({ company: people.admin.company, username: email }, options)
    },
  )
})

const factorWords = { en, zh }

describe('a second factor', () => {
  it.each(looks)('is set up, asked for, and made up for by a recovery code: %s', async (_, language, options) => {
    const words = factorWords[language]
    const who = language === 'en' ? 'user' : 'globex'
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const page = await visit(`/saas/login?lang=${language}`, options)
    await signIn(page, the.portal, who, '/app/profile/security')
    await press(words.app.add)
    await input(page, 'password').fill(people[who].password)
    await press(words.confirm.submit)
    const secret = ((await page.locator('.factor-scan code').textContent()) ?? '').replaceAll(' ', '')
    await input(page, 'otp').fill(codeAt(secret, Date.now()))
    await press(words.app.submit)
    await page.locator('.factor-codes code').first().waitFor()
    const [spare = ''] = await page.locator('.factor-codes code').allTextContents()
    await press(words.codes.done)

    const again = async () => {
      await page.goto(`${the.portal.url}/saas/logout`)
      await page.locator('main a[href^="/saas/login"]').waitFor()
      await page.goto(`${the.portal.url}/saas/login`)
      await fill(page, people[who])
      await submit(page)
      await page.getByRole('heading', { level: 1, name: words.step.title }).waitFor()
    }
    const isInside = () => page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
    await again()
    // The code that set it up is used up; the next one counts already.
    await input(page, 'otp').fill(codeAt(secret, Date.now(), 1))
    await submit(page)
    await isInside()
    await again()
    await press(words.prove.recovery_code.choose)
    await input(page, 'recovery_code').fill(spare)
    await submit(page)
    await isInside()
  })
})

describe('a session whose token runs out in the middle of a form', () => {
  it.each(looks)(
    'goes on by itself, and what was typed before and after is saved: %s (M21)',
    async (_, language, options) => {
      const portal = await startPortal({ ACCESS_SECONDS: '5' })
      ends.push(() => portal.close())
      const page = await visit(`/saas/login?lang=${language}`, options, portal)
      await signIn(page, portal, 'globex', '/app/user')
      await page.goto(`${portal.url}/saas/app/user?user=new`)
      const form = dialog(page)
      await form.locator('input[name="name"]').fill('In Time')
      await page.waitForTimeout(6_000)
      await form.locator('input[name="email"]').fill('in.time@globex.example')
      await form.locator('button[type="submit"]').click()
      await form.waitFor({ state: 'detached' })
      await rows(page).filter({ hasText: 'In Time' }).waitFor()
    },
  )
})

const subject = { en: enMail.subject.reset, zh: zhMail.subject.reset }

describe('a forgotten password', () => {
  it.each(looks)('is replaced by the link of the mail: %s (M31, M32)', async (_, language, options) => {
    const who = people[language === 'en' ? 'clerk' : 'admin']
    const page = await visit(`/saas/forget?lang=${language}`, options)
    await fill(page, { companyCode: who.company, userEmail: who.username })
    await submit(page)
    await input(page, 'companyCode').waitFor({ state: 'detached' })
    // Others of theirs may have come; it speaks their language, which need not be this screen's.
    await openMail(page, the.portal.url, new RegExp(`(?=[^]*${who.username})(?=[^]*(${subject.en}|${subject.zh}))`))
    await followLink(page, '/saas/resetPwd')
    await fill(page, { pwd: chosen, confirm: chosen })
    await submit(page)
    // By itself, as the specification has it.
    await page.waitForURL((url) => url.pathname === '/saas/login', { timeout: 15_000 })
    await logIn(page, { ...who, password: chosen })
  })
})
