import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { people, seriousTrouble, sidewaysScroll } from '#tests/support/browser.ts'
import { fill, fillCompany, input, logIn, openMail, submit } from '#tests/support/newcomer.ts'
import { address, desk, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()

const chosen = 'Slow-river-under-9-bridges'
const first = { user_name: 'Ana Chan', user_email: 'ana@nova.example', user_password: chosen, confirmPwd: chosen }

async function visit(path: string, options: BrowserContextOptions = desk): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${the.portal.url}${path}`)
  await page.locator('h1').waitFor()
  return page
}

const told = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()

const company = (code = 'nova') => ({ code, name: 'Nova Ltd', number: '12345678' })

const isFine = async (page: Page) => {
  expect(await seriousTrouble(page)).toEqual([])
  expect(await sidewaysScroll(page)).toBe(0)
}

describe('registering a company', () => {
  it('from the form by the mail to the first login, in English (M26, M30)', async () => {
    const page = await visit('/saas/signup?lang=en')
    await fillCompany(page, company())
    expect(await input(page, 'dialCode').inputValue()).toBe('852')
    await submit(page)
    await input(page, 'user_name').waitFor()
    await fill(page, first)
    await page.getByText('Very hard to guess', { exact: true }).waitFor()
    await submit(page)
    await told(
      page,
      'Active mail has been sent to ana@nova.example, please check your mailbox and follow the instruction to active your account.',
    )
    await page.getByRole('button', { name: 'Resend activation mail' }).click()
    await told(page, 'A new mail is on its way. It ends the older link.')

    await openMail(page, the.portal.url, 'Activate your account', 2)
    await page.frameLocator('iframe').getByRole('link', { name: 'Activate account' }).click()
    await page.waitForURL((url) => url.pathname === '/saas/sys/activate')
    await told(page, 'Your link is valid. Activate your account to log in with the password you registered with.')
    // S-36: the key is in no address that is looked at, copied or kept.
    await expect.poll(() => address(page).search).toBe('')
    await page.getByRole('button', { name: 'Activate account' }).click()
    await page.getByRole('heading', { name: 'Activate successful' }).waitFor()
    await page.locator('main').getByRole('link', { name: 'Go to login' }).click()
    await logIn(page, { company: 'nova', username: 'ana@nova.example', password: chosen })
  })

  it('says what is wrong in the specified words, and goes to the first (portal 5, A-12)', async () => {
    const page = await visit('/saas/signup')
    await submit(page)
    await told(page, 'Please input "Company code" as it\'s required.')
    await told(page, 'Please input company name')
    await told(page, 'Please input "Telephone" as it\'s required.')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('code')
    await fill(page, { code: 'a-b', email: 'nobody' })
    await submit(page)
    await told(page, 'Only number&character is allowed')
    await told(page, 'Email format is invalid!')
    await input(page, 'code').fill('MySQL')
    await submit(page)
    await told(page, '"MySQL" is reserved by system')
    await input(page, 'code').fill('acme')
    await input(page, 'name').focus()
    await told(page, '"acme" is occupied.')
    // While others are wrong too it is not forgotten.
    await submit(page)
    await told(page, '"acme" is occupied.')
    await fill(page, { email: '' })
    await fillCompany(page, { ...company('other'), number: '1234-5678' })
    await submit(page)
    await told(page, 'Please use digits only: the country code, then the number.')
    await input(page, 'number').fill(company().number)
    await submit(page)
    await fill(page, { ...first, confirmPwd: 'another one' })
    await submit(page)
    await told(page, 'The passwords you entered do not match!')
    await fill(page, { ...first, user_password: 'password1!', confirmPwd: 'password1!' })
    await submit(page)
    await told(page, 'Many people use this password. Please choose another one.')
  })

  it('keeps what was typed over a reload and a lost network, and never a password', async () => {
    const page = await visit('/saas/signup')
    await fillCompany(page, company('kept'))
    await submit(page)
    await fill(page, { ...first, user_email: 'kept@nova.example' })
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
    expect(kept).toContain('kept@nova.example')
    expect(kept).not.toContain(chosen)
    await page.reload()
    await input(page, 'user_name').waitFor()
    expect(await input(page, 'user_email').inputValue()).toBe('kept@nova.example')
    expect(await input(page, 'user_password').inputValue()).toBe('')
    await page.context().setOffline(true)
    await fill(page, { user_password: chosen, confirmPwd: chosen })
    await submit(page)
    await page.getByText('Registering needs a connection.', { exact: false }).waitFor()
    await page.context().setOffline(false)
    await submit(page)
    await page.getByText('Active mail has been sent to kept@nova.example', { exact: false }).waitFor()
    await page.reload()
    await page.getByText('Active mail has been sent to kept@nova.example', { exact: false }).waitFor()
  })
})

it('is shown without a line again, with what was typed and no password, by what the worker kept (W-04)', async () => {
  const page = await visit('/saas/signup')
  await fillCompany(page, company('offline'))
  await submit(page)
  await fill(page, { ...first, user_email: 'offline@nova.example' })
  await page.waitForFunction(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
    const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return kept.flat().some(({ url }) => url.includes('/assets/signup-'))
  })
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  // Without the browser's own cache, which promises nothing.
  const tools = await page.context().newCDPSession(page)
  await tools.send('Network.clearBrowserCache')
  await tools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.context().setOffline(true)
  await page.reload()
  await input(page, 'user_name').waitFor()
  expect(await input(page, 'user_email').inputValue()).toBe('offline@nova.example')
  expect(await input(page, 'user_password').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Back' }).click()
  expect(await input(page, 'code').inputValue()).toBe('offline')
})

describe('a forgotten password', () => {
  it('is replaced by the link of the mail, in Chinese (M31, M32)', async () => {
    const page = await visit('/saas/forget?lang=zh')
    await fill(page, { companyCode: 'globex', userEmail: people.globex.username })
    await submit(page)
    await told(page, '请查收邮箱中的密码重置链接。')
    await openMail(page, the.portal.url, '重置您的密码')
    await page.frameLocator('iframe').getByRole('link', { name: '重置密码' }).click()
    await page.waitForURL((url) => url.pathname === '/saas/resetPwd')
    await page.getByRole('heading', { name: '重置密码' }).waitFor()
    await expect.poll(() => address(page).search).toBe('')
    await fill(page, { pwd: chosen, confirm: 'another' })
    await submit(page)
    await told(page, '两次输入的密码不一致！')
    await fill(page, { confirm: chosen })
    await submit(page)
    await told(page, '重置成功。')
    // By itself, as the specification has it.
    await page.waitForURL((url) => url.pathname === '/saas/login', { timeout: 15_000 })
    await logIn(page, { ...people.globex, password: chosen })
  })

  it('a link that no longer works says so, and how to get another (portal 8)', async () => {
    const page = await visit('/saas/resetPwd?otk=no-such-key')
    await fill(page, { pwd: chosen, confirm: chosen })
    await submit(page)
    await page.getByText('Reset failed. Password reset link is invalid or overdue.').waitFor()
    await page.getByRole('link', { name: 'Send a new link' }).click()
    await page.getByRole('heading', { name: 'Forgot password' }).waitFor()
    const mangled = await visit(`/saas/resetPwd?otk=${'x'.repeat(300)}`)
    await fill(mangled, { pwd: chosen, confirm: chosen })
    await submit(mangled)
    await mangled.getByText('Reset failed. Password reset link is invalid or overdue.').waitFor()
    const none = await visit('/saas/resetPwd')
    await none.getByText('Reset failed. Password reset link is invalid or overdue.').waitFor()
  })
})

describe.each([
  ['on a desk', desk],
  ['on a phone', phone],
])('every screen of it %s', (_, options) => {
  it('is accessible and does not scroll sideways (A-01, T-02)', async () => {
    for (const path of ['/saas/signup', '/saas/forget?lang=zh', '/saas/resetPwd?otk=x', '/dev/mail']) {
      const page = await visit(path, options)
      await isFine(page)
    }
    const page = await visit('/saas/signup?lang=zh', options)
    await submit(page)
    await fillCompany(page, company(`screen${options === phone ? 1 : 2}`))
    await isFine(page)
    await submit(page)
    await fill(page, first)
    await isFine(page)
  })
})
