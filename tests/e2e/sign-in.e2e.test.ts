import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '#server/db/database.ts'
import { pastPolicies, silent, testConfig } from '#tests/support/database.ts'
import {
  fillLogin,
  people,
  type Portal,
  seriousTrouble,
  sidewaysScroll,
  signIn,
  startPortal,
} from '#tests/support/browser.ts'
import { setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
beforeAll(giveInactivePassword)

const inactive = { company: 'acme', username: 'adrian.lau@acme.example', password: people.user.password }

/** Whoever registered a company has a password before the account is active; the demo world has nobody like that. */
async function giveInactivePassword() {
  await the.portal.stop()
  const database = await openDatabase(testConfig({ DATA_DIR: the.portal.dataDir }), silent)
  try {
    await pastPolicies(database, async (db) => {
      const { password_hash } = await db
        .selectFrom('portal_user')
        .select('password_hash')
        .where('email', '=', people.user.username)
        .executeTakeFirstOrThrow()
      await db.updateTable('portal_user').set({ password_hash }).where('email', '=', inactive.username).execute()
    })
  } finally {
    await database.close()
  }
  await the.portal.start()
}

async function visit(path: string, options: BrowserContextOptions = {}, at: Portal = the.portal): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await page.goto(`${at.url}/saas${path}`)
  await page.locator('h1').waitFor()
  return page
}

const submit = (page: Page) => page.locator('form button[type="submit"]').click()
const value = (page: Page, name: string) => page.locator(`input[name="${name}"]`).inputValue()
const path = (page: Page) => new URL(page.url()).pathname
const inApp = (page: Page) => page.waitForURL((url) => url.pathname.startsWith('/saas/app/'))
const stored = (page: Page) => page.evaluate(() => document.cookie)

describe('logging in', () => {
  it.each([
    ['en', 'Login', 'Log out', 'You are logged out', 'Back to login'],
    ['zh', '登录', '退出登录', '您已退出登录', '返回登录'],
  ])('and out again works in language %s (M19, M24)', async (language, title, logOut, done, back) => {
    const page = await visit(`/login?lang=${language}`)
    expect(await page.locator('h1').textContent()).toBe(title)
    await fillLogin(page, people.admin)
    await submit(page)
    await inApp(page)
    expect(path(page)).toBe('/saas/app/home')
    expect(await stored(page)).toContain('portal-access')

    await page.locator('[aria-haspopup="menu"]').last().click()
    await page.getByRole('menuitem', { name: logOut }).click()
    await page.getByRole('heading', { name: done }).waitFor()
    await expect.poll(() => stored(page)).not.toContain('portal-access')
    await page.getByRole('link', { name: back }).click()
    await page.getByRole('heading', { name: title }).waitFor()
  })

  it('asks for what is missing, in the specified words, and goes to the first (A-12)', async () => {
    const page = await visit('/login')
    await submit(page)
    for (const name of ['Company ID', 'Username (e-mail)', 'Password'])
      await page.getByText(`Please input "${name}" as it's required.`).waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('company')
    await page.locator('input[name="company"]').fill('acme')
    await submit(page)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('username')
  })

  it('leaves the focus where one types while another field is still wrong (A-12)', async () => {
    const page = await visit('/login')
    await submit(page)
    await page.locator('input[name="password"]').focus()
    await page.keyboard.type('typed whole')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password')
    expect(await value(page, 'password')).toBe('typed whole')
    expect(await page.locator('[aria-invalid]').count()).toBe(2)
  })

  it('is known to password managers and lets one paste and look at the password (A-16, A-17)', async () => {
    const page = await visit('/login')
    const tokens = await page
      .locator('form input')
      .evaluateAll((all) => all.map((input) => input.getAttribute('autocomplete')))
    expect(tokens).toEqual(['organization', 'username', 'current-password'])
    expect(await page.locator('input[name="username"]').getAttribute('inputmode')).toBe('email')
    await page.locator('input[name="password"]').focus()
    const pasted = await page.locator('input[name="password"]').evaluate((input) => {
      const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
      return input.dispatchEvent(event)
    })
    expect(pasted).toBe(true)
    await page.getByRole('button', { name: 'Show password' }).click()
    expect(await page.locator('input[name="password"]').getAttribute('type')).toBe('text')
  })

  it('with a wrong password says so beside the form, keeps the rest and forgets the password', async () => {
    const page = await visit('/login')
    await fillLogin(page, { ...people.user, password: 'not the one' })
    await submit(page)
    await page.getByRole('alert').getByText('Password Or User is wrong!').waitFor()
    await expect.poll(() => value(page, 'password')).toBe('')
    expect([await value(page, 'company'), await value(page, 'username')]).toEqual([
      people.user.company,
      people.user.username,
    ])
  })

  it('tells how long to wait after too many attempts, and blocks the button with that reason (S-62)', async () => {
    const page = await visit('/login')
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await fillLogin(page, { company: 'nobody', username: 'guess@nobody.example', password: `guess ${attempt}` })
      const answered = page.waitForResponse((response) => response.url().endsWith('/api/m18s/token'))
      await submit(page)
      if ((await answered).status() === 429) break
      // The answer empties the field, and what is typed before that goes with it.
      await expect.poll(() => value(page, 'password')).toBe('')
    }
    const told = page.getByRole('alert').getByText(/You can try again in \d+ seconds\./)
    await told.waitFor()
    await expect.poll(() => page.locator('form button[type="submit"]').getAttribute('aria-disabled')).toBe('true')
    expect(await value(page, 'password')).toMatch(/^guess/)
  })

  it('of an account that is not activated offers the mail again and says what comes of it (M25)', async () => {
    const page = await visit('/login')
    await fillLogin(page, inactive)
    await submit(page)
    await page.getByRole('alert').getByText('User is not activated').waitFor()
    const asked = page.waitForRequest((request) => request.url().endsWith('/public/users/activatemail'))
    await page.getByRole('button', { name: 'Resend activation mail' }).click()
    expect(Object.fromEntries(new URLSearchParams((await asked).postData() ?? ''))).toEqual({
      username: 'acme:adrian.lau@acme.example',
      password: people.user.password,
    })
    await page.getByText('Active mail has been sent to adrian.lau@acme.example', { exact: false }).waitFor()
  })

  it('without a connection keeps what was typed and says what is missing', async () => {
    const page = await visit('/login')
    await page.context().setOffline(true)
    await fillLogin(page, people.admin)
    await submit(page)
    await page.getByText('Logging in needs a connection.', { exact: false }).waitFor()
    expect(await value(page, 'password')).toBe(people.admin.password)
    // The words stand there as soon as the line is cut: on a line that comes back at once, the login asked for would be a success.
    await expect.poll(() => page.locator('form button[type="submit"]').getAttribute('aria-busy')).toBe(null)
    await page.context().setOffline(false)
    await submit(page)
    await inApp(page)
  })

  it('keeps what was typed when its own code is lost on a line that comes back at once (W-10)', async () => {
    const page = await visit('/login', { serviceWorkers: 'block' })
    // What the page needs of its own accord has been there for a while: only what the login asks for is lost.
    await page.waitForLoadState('networkidle')
    await fillLogin(page, people.admin)
    const scripts = /\/assets\/.*\.js$/
    const asked = page.waitForResponse((response) => response.url().endsWith('/worker.json'))
    await page.route(scripts, (route) => route.abort('internetdisconnected'))
    await submit(page)
    await page.getByText('Logging in needs a connection.', { exact: false }).waitFor()
    await page.unroute(scripts)
    // The page has asked which build there is, and heard that it is its own.
    await asked
    await page.waitForTimeout(500)
    expect(await value(page, 'password')).toBe(people.admin.password)
    await submit(page)
    await inApp(page)
  })

  it('on a device that can store nothing says that, and not that a connection is missing', async () => {
    const context = await the.browser.newContext({ serviceWorkers: 'block' })
    ends.push(() => context.close())
    await context.addInitScript(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('the disk is full', 'QuotaExceededError')
      }
    })
    const page = await context.newPage()
    await page.goto(`${the.portal.url}/saas/login`)
    await fillLogin(page, people.admin)
    await submit(page)
    await page.getByText('This device could not store', { exact: false }).waitFor()
    expect(await value(page, 'password')).toBe(people.admin.password)
  })

  it('leads to where one was going, and nowhere outside (S-67)', async () => {
    const page = await visit('/app/user?statusType=0&page=2')
    expect(path(page)).toBe('/saas/login')
    await fillLogin(page, people.admin)
    await submit(page)
    await page.waitForURL(/\/saas\/app\/user\?statusType=0&page=2/)

    const other = await visit('/login?to=//evil.example/app/user')
    await fillLogin(other, people.admin)
    await submit(other)
    await other.waitForURL(`${the.portal.url}/saas/app/home`)
  })
})

describe('logging out', () => {
  it('works without a network, and the server is told as soon as it is back (S-45)', async () => {
    const page = await visit('/login')
    await signIn(page, the.portal, 'clerk')
    const token = (await stored(page)).match(/portal-access=([^;]+)/)?.[1] ?? ''
    const ask = () => fetch(`${the.portal.url}/api/m18s/user`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)

    // The network goes once the worker has everything, as it has after the first seconds of a first visit.
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    await page.goto(`${the.portal.url}/saas/logout`)
    await page.getByText('The server will be told as soon as there is a connection.', { exact: false }).waitFor()
    await expect.poll(() => stored(page)).not.toContain('portal-access')

    await page.context().setOffline(false)
    await page.reload()
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(401)
  })

  it('of a session that the server has ended goes straight to the logged-out state (M24)', async () => {
    const page = await visit('/logout')
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
  })
})

describe('an activation link', () => {
  let fresh: Portal
  beforeAll(async () => {
    fresh = await startPortal({ DEMO: '0' })
  })
  afterAll(async () => await fresh?.close())

  it('sets a password once, leaves the address at once, and the password is good (M30, S-36)', async () => {
    const link = /\/saas(\/sys\/activate\?otk=[\w-]+)/.exec(fresh.output())?.[1] ?? ''
    const page = await visit(link, {}, fresh)
    await page.getByRole('heading', { name: 'Set your password' }).waitFor()
    expect(page.url()).toBe(`${fresh.url}/saas/sys/activate`)
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)

    await page.locator('input[name="password"]').fill('short')
    await submit(page)
    await page.getByText('Please use at least 8 characters.').waitFor()
    await page.locator('input[name="password"]').fill('password123')
    await page.locator('input[name="confirm"]').fill('password124')
    await submit(page)
    await page.getByText('The passwords you entered do not match!').waitFor()
    await page.locator('input[name="confirm"]').fill('password123')
    await submit(page)
    await page.locator('.field-error').first().waitFor()
    for (const name of ['password', 'confirm'])
      await page.locator(`input[name="${name}"]`).fill('a quiet harbour at dawn')
    await submit(page)
    await page.getByRole('heading', { name: 'Activate successful' }).waitFor()

    const again = await visit(link, {}, fresh)
    await again.getByText('Activate key is invalid or overdue.').waitFor()

    await page.getByRole('link', { name: 'Go to login' }).click()
    await fillLogin(page, { company: 'm18', username: 'provider-admin@m18.local', password: 'a quiet harbour at dawn' })
    await submit(page)
    // The provider's staff come in with a second factor only (second-factor.e2e.test.ts).
    await page.getByRole('heading', { level: 1, name: 'Set up two-step login' }).waitFor()
  })

  it('without a key, and with what the address says about it, shows the specified words', async () => {
    const page = await visit('/sys/activate')
    await page.getByText('No activate key provided.').waitFor()
    await page.goto(`${the.portal.url}/saas/sys/activate?code=ACTIVATE_OK`)
    await page.getByRole('heading', { name: 'Activate successful' }).waitFor()
    await page.goto(`${the.portal.url}/saas/sys/activate?code=ODD_ONE&message=Ask+your+operator`)
    await page.getByText('Ask your operator').waitFor()
    await page.goto(`${the.portal.url}/saas/sys/activate?code=`)
    await page.getByText('Error Found').waitFor()
  })
})

describe.each([
  ['en', 'light'],
  ['en', 'dark'],
  ['zh', 'light'],
  ['zh', 'dark'],
] as const)('the pages outside the app, in %s and %s', (language, colorScheme) => {
  const places = ['/login', '/logout', '/sys/activate', '/signup', '/forget', '/resetPwd']

  it('have nothing serious for axe and never scroll sideways (A-01, T-02)', async () => {
    const page = await visit(`/login?lang=${language}`, { colorScheme })
    for (const place of places) {
      await page.goto(`${the.portal.url}/saas${place}`)
      await page.locator('.account-card h1').waitFor()
      if (place === '/login') await submit(page)
      expect({ place, found: await seriousTrouble(page) }).toEqual({ place, found: [] })
      for (const width of [1280, 1024, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        expect([place, width, await sidewaysScroll(page)]).toEqual([place, width, 0])
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    }
  })
})
