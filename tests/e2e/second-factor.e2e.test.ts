import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fillLogin, people, type Person, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { desk, phone, setUp } from '#tests/support/visit.ts'
import { codeAt } from '#tests/support/otp.ts'

const { the, ends } = setUp()

async function open(options: BrowserContextOptions = desk): Promise<Page> {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  return context.newPage()
}
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const codeOf = (secret: string, steps = 0) => codeAt(secret, Date.now(), steps)
const go = (page: Page, path: string) => page.goto(`${the.portal.url}/saas${path}`)
const submit = (page: Page) => page.locator('form button[type="submit"]').click()
const isInside = (page: Page) => page.waitForURL((url) => url.pathname.startsWith('/saas/app'))

async function leave(page: Page) {
  await go(page, '/logout')
  await page.getByText('You are logged out', { exact: true }).waitFor()
}

/** To the second step. */
async function passwordStep(page: Page, who: Person) {
  await go(page, '/login')
  await fillLogin(page, who)
  await submit(page)
  await page.getByRole('heading', { level: 1, name: 'Confirm it is you' }).waitFor()
}

async function confirmByPassword(page: Page, { password }: Person) {
  await page.getByRole('dialog').last().waitFor()
  const other = button(page, 'Use the password')
  await page.locator('input[name="password"]').or(other).first().waitFor()
  if (await other.isVisible()) await other.click()
  await page.locator('input[name="password"]').fill(password)
  await button(page, 'Continue').click()
}

/** Answers the secret and the recovery codes. */
async function setUpApp(page: Page): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole('img', { name: 'QR code of the account' }).waitFor()
  const secret = ((await page.locator('.factor-scan code').textContent()) ?? '').replaceAll(' ', '')
  await page.locator('input[name="otp"]').fill('12')
  await button(page, 'Turn on').click()
  await page.getByText('This code does not fit.', { exact: false }).waitFor()
  await page.locator('input[name="otp"]').fill(codeOf(secret))
  await button(page, 'Turn on').click()
  await button(page, 'I have kept them').waitFor()
  const codes = await page.locator('.factor-codes code').allTextContents()
  return { secret, codes }
}

/** As a device with a fingerprint reader has it. */
async function withAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

describe('an authenticator app', () => {
  it('is set up, asked for at the next login, and replaced by a recovery code when it is lost', async () => {
    const page = await open()
    await signIn(page, the.portal, 'user', '/app/profile/user')
    await page.getByRole('link', { name: 'Security' }).click()
    await button(page, 'Add authenticator app').click()
    await page.locator('input[name="password"]').fill('Not-the-one-44')
    await button(page, 'Continue').click()
    await page.getByText('The password is wrong.').waitFor()
    await confirmByPassword(page, people.user)
    const { secret, codes } = await setUpApp(page)
    expect(codes).toHaveLength(10)
    expect(await seriousTrouble(page)).toEqual([])
    const download = page.waitForEvent('download')
    await button(page, 'Download').click()
    expect((await download).suggestedFilename()).toBe('recovery-codes.txt')
    await button(page, 'I have kept them').click()
    await page.locator('.factor-list', { hasText: 'Phone' }).waitFor()
    await page.getByText('10 left').waitFor()

    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    await page.getByText('This needs a connection.', { exact: false }).first().waitFor({ state: 'attached' })
    await page.reload()
    await page.getByText('Security settings need a connection.', { exact: false }).waitFor()
    await page.context().setOffline(false)
    await page.locator('.factor-list', { hasText: 'Phone' }).waitFor({ timeout: 30_000 })

    await leave(page)
    await passwordStep(page, people.user)
    const field = page.locator('input[name="otp"]')
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await field.getAttribute('inputmode')).toBe('numeric')
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    await field.fill('000 000')
    await submit(page)
    await page.getByText('This code is wrong or was used before.', { exact: false }).waitFor()
    expect(await seriousTrouble(page)).toEqual([])

    await button(page, 'Back to the password').click()
    expect(await page.locator('input[name="company"]').inputValue()).toBe(people.user.company)
    expect(await page.locator('input[name="username"]').inputValue()).toBe(people.user.username)
    expect(await page.locator('input[name="password"]').inputValue()).toBe('')
    await page.locator('input[name="password"]').fill(people.user.password)
    await submit(page)
    // The code that set it up is used up; the next one counts already.
    await field.fill(codeOf(secret, 1).replace(/^(...)/, '$1 '))
    await submit(page)
    await isInside(page)

    await leave(page)
    await passwordStep(page, people.user)
    await button(page, 'Use a recovery code').click()
    await page.locator('input[name="recovery_code"]').fill(codes[0]?.toUpperCase() ?? '')
    await submit(page)
    await isInside(page)
    await leave(page)
    await passwordStep(page, people.user)
    await button(page, 'Use a recovery code').click()
    await page.locator('input[name="recovery_code"]').fill(codes[0] ?? '')
    await submit(page)
    await page.getByText('This recovery code is wrong or was used before.').waitFor()
    await page.locator('input[name="recovery_code"]').fill(codes[1] ?? '')
    await submit(page)
    await isInside(page)
    await go(page, '/app/profile/security')
    await page.getByText('8 left').waitFor()

    await button(page, 'Remove Phone').click()
    await confirmByPassword(page, people.user)
    await page.getByText('two-step login is turned off', { exact: false }).waitFor()
    await button(page, 'Remove').click()
    await page.locator('.tag', { hasText: 'Off' }).waitFor()
    await leave(page)
    await signIn(page, the.portal, 'user')
  })
})

describe('who has lost everything', () => {
  it('is helped by an admin from the users’ drawer, is out at once, and logs in with the password', async () => {
    const lost = await open()
    await signIn(lost, the.portal, 'user', '/app/profile/security?lang=en')
    await button(lost, 'Add authenticator app').click()
    await confirmByPassword(lost, people.user)
    await setUpApp(lost)
    await button(lost, 'I have kept them').click()
    await button(lost, 'Rename Phone').click()
    await lost.getByRole('dialog').getByLabel('Name').fill('Work phone')
    await button(lost, 'Rename').click()
    await lost.locator('.factor-list', { hasText: 'Work phone' }).waitFor()

    const admin = await open()
    await signIn(admin, the.portal, 'admin', '/app/user?results=50&lang=en')
    await admin.getByRole('link', { name: 'Victor Yeung' }).click()
    await button(admin, 'Reset two-step login').click()
    await admin.getByRole('dialog', { name: 'Confirm it is you' }).waitFor()
    expect(await seriousTrouble(admin)).toEqual([])
    await confirmByPassword(admin, people.admin)
    await admin.getByRole('dialog', { name: 'Reset the two-step login of Victor Yeung?' }).waitFor()
    await admin.getByRole('dialog').last().getByRole('button', { name: 'Reset two-step login' }).click()
    await admin.locator('.toast', { hasText: 'The two-step login of Victor Yeung has been reset.' }).waitFor()
    await admin.getByText('Off: the password alone logs this user in.').waitFor()
    // What was given to the dialog was no saving of the drawer behind it.
    expect(await admin.getByRole('dialog', { name: 'Edit Victor Yeung' }).isVisible()).toBe(true)
    expect(await seriousTrouble(admin)).toEqual([])

    await lost.reload()
    await lost.waitForURL((url) => url.pathname.endsWith('/login'))
    await signIn(await open(), the.portal, 'user')
  })
})

describe('a passkey', () => {
  it('is made on this device and opens the account after the password', async () => {
    const page = await open()
    await withAuthenticator(page)
    await signIn(page, the.portal, 'globex', '/app/profile/security?lang=en')
    await button(page, 'Add passkey').click()
    await confirmByPassword(page, people.globex)
    await page.getByLabel('Name').fill('Office laptop')
    await button(page, 'Create passkey').click()
    await button(page, 'I have kept them').click()
    await page.locator('.factor-list', { hasText: 'Office laptop' }).waitFor()

    await leave(page)
    await passwordStep(page, people.globex)
    await page.getByText('Your device will ask', { exact: false }).waitFor()
    expect(await seriousTrouble(page)).toEqual([])
    await button(page, 'Use passkey').click()
    await isInside(page)
    await go(page, '/app/profile/security')
    await page.getByText('last used', { exact: false }).waitFor()

    // Another passkey of the same device is refused by the device itself; the factor proves who asks.
    await button(page, 'Add passkey').click()
    await button(page, 'Use passkey').click()
    await button(page, 'Create passkey').click()
    await page.getByText('This device has a passkey for your account already.').waitFor()
  })
})

describe('a company that requires it', () => {
  it('has its users set it up at their next login, before anything else', async () => {
    const admin = await open()
    await signIn(admin, the.portal, 'admin', '/app/profile/security')
    await admin.getByRole('switch', { name: 'Require two-step login' }).click()
    await confirmByPassword(admin, people.admin)
    await button(admin, 'Require it').click()
    await admin.getByText('Required by your company.').waitFor()

    const page = await open(phone)
    const ada = { ...people.user, username: 'ada.wong@acme.example' }
    await go(page, '/login')
    await fillLogin(page, ada)
    await submit(page)
    await page.getByRole('heading', { level: 1, name: 'Set up two-step login' }).waitFor()
    expect(await seriousTrouble(page)).toEqual([])
    await button(page, 'Authenticator app').click()
    await setUpApp(page)
    expect(await sidewaysScroll(page)).toBe(0)
    expect(await seriousTrouble(page)).toEqual([])
    await button(page, 'I have kept them').click()
    await isInside(page)

    await admin.getByRole('switch', { name: 'Require two-step login' }).click()
    await confirmByPassword(admin, people.admin)
    await button(admin, 'No longer require it').click()
    await expect.poll(() => admin.getByText('Required by your company.').count()).toBe(0)
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('the page fits a phone and bars nobody, in both languages (A-01, T-02)', async () => {
    const page = await open({ ...phone, colorScheme })
    await signIn(page, the.portal, 'admin', '/app/profile/security')
    for (const language of ['en', 'zh']) {
      await go(page, `/app/profile/security?lang=${language}`)
      await page.locator('.factor-head').first().waitFor()
      expect({ language, trouble: await seriousTrouble(page) }).toEqual({ language, trouble: [] })
      expect({ language, sideways: await sidewaysScroll(page) }).toEqual({ language, sideways: 0 })
    }
  })
})
