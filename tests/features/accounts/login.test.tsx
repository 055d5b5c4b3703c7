import { screen } from '@testing-library/dom'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reported } from '#tests/support/runner/dom.ts'
import {
  getButton,
  readDescription,
  findHeading,
  getNamedField,
  readProblems,
  submit,
  typeValues,
} from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const fixture = setUpPages()
afterEach(() => vi.restoreAllMocks())

const credentials = { company: 'alpha', username: 'user@alpha.example', password }
const submitForm = () => submit(fixture.user)
const findAlert = (text: string | RegExp) => screen.findByText(text, { selector: '[role=alert] *' })

describe('the login form', () => {
  it('asks for what is missing and goes to the first, and leaves the focus where one types (A-12)', async () => {
    await fixture.browser.open('/login')
    await submitForm()
    expect(readProblems()).toEqual({
      company: 'Please input "Company ID" as it\'s required.',
      username: 'Please input "Username (e-mail)" as it\'s required.',
      password: 'Please input "Password" as it\'s required.',
    })
    expect(document.activeElement).toBe(getNamedField('company'))
    await fixture.user.click(getNamedField('password'))
    await fixture.user.keyboard('typed whole')
    expect(document.activeElement).toBe(getNamedField('password'))
    expect(getNamedField('password').value).toBe('typed whole')
    expect(Object.keys(readProblems())).toEqual(['company', 'username'])
    await typeValues(fixture.user, { company: 'alpha' })
    await submitForm()
    expect(document.activeElement).toBe(getNamedField('username'))
  })

  it('is known to password managers and lets one paste and look at the password (A-16, A-17)', async () => {
    await fixture.browser.open('/login')
    const autocompleteTokens = ['company', 'username', 'password'].map((name) =>
      getNamedField(name).getAttribute('autocomplete'),
    )
    expect(autocompleteTokens).toEqual(['organization', 'username', 'current-password'])
    expect(getNamedField('username').getAttribute('inputmode')).toBe('email')
    await fixture.user.click(getNamedField('password'))
    await fixture.user.paste('from the manager')
    expect(getNamedField('password').value).toBe('from the manager')
    await fixture.user.click(getButton('Show password'))
    expect(getNamedField('password').type).toBe('text')
  })

  it('fault 22g takes a company code and a user name in full-width characters for what they mean, by Enter too', async () => {
    await fixture.browser.open('/login')
    await fixture.user.type(getNamedField('company'), ' ａｌｐｈａ ')
    await fixture.user.tab()
    expect(getNamedField('company').value).toBe('alpha')
    await fixture.user.type(getNamedField('username'), 'ｕｓｅｒ＠alpha.example')
    await fixture.user.type(getNamedField('password'), 'not the one{Enter}')
    expect(getNamedField('username').value).toBe('user@alpha.example')
    await findAlert('Password Or User is wrong!')
  })

  it('with a wrong password says so beside the form, keeps the rest and forgets the password', async () => {
    await fixture.browser.open('/login')
    await typeValues(fixture.user, { ...credentials, password: 'not the one' })
    await submitForm()
    await findAlert('Password Or User is wrong!')
    await expect.poll(() => getNamedField('password').value).toBe('')
    expect([getNamedField('company').value, getNamedField('username').value]).toEqual([
      credentials.company,
      credentials.username,
    ])
  })

  it('tells how long to wait after too many attempts, and blocks the button with that reason (S-62)', async () => {
    await fixture.browser.open('/login')
    const waitText = /^You can try again in \d+ (seconds|minutes?)\.$/
    for (let attempt = 0; attempt < 10 && screen.queryAllByText(waitText).length === 0; attempt += 1) {
      await typeValues(fixture.user, {
        company: 'nobody',
        username: 'guess@nobody.example',
        password: `guess ${attempt}`,
      })
      await submitForm()
      await expect
        .poll(() => getNamedField('password').value === '' || screen.queryAllByText(waitText).length > 0)
        .toBe(true)
    }
    await findAlert(waitText)
    await expect.poll(() => getButton('Login').getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => readDescription(getButton('Login'))).toMatch(waitText)
    expect(getNamedField('password').value).toMatch(/^guess/)
  })

  it('of an account that is not activated offers the mail again and says what comes of it (M25)', async () => {
    await fixture.browser.open('/login')
    await typeValues(fixture.user, { ...credentials, username: 'waiting@alpha.example' })
    await submitForm()
    await findAlert('User is not activated')
    await fixture.user.click(getButton('Resend activation mail'))
    await screen.findByText(/^Active mail has been sent to waiting@alpha\.example/)
    const mailRequest = fixture.browser.sentRequests.find(({ path }) => path.startsWith('/public/users/activatemail'))
    expect(Object.fromEntries(new URLSearchParams(mailRequest?.body ?? ''))).toEqual({
      username: 'alpha:waiting@alpha.example',
      password,
    })
  })

  it('without a connection keeps what was typed, says what is missing, and works when it is back', async () => {
    await fixture.browser.open('/login')
    await typeValues(fixture.user, credentials)
    fixture.browser.goOffline()
    await submitForm()
    await screen.findByText(/^Login needs a connection\./)
    await expect.poll(() => getButton('Login').getAttribute('aria-busy')).toBe(null)
    expect(getNamedField('password').value).toBe(password)
    fixture.browser.goOnline()
    await submitForm()
    await waitForPath(fixture.browser, '/app/home')
  })

  nightly(
    "a login that no server answered is what the status says on every visitors' page, until one is there again (P-11)",
    async () => {
      await fixture.browser.open('/login')
      const readConnectionText = () => document.querySelector('header .line')?.textContent
      await expect.poll(readConnectionText).toBe('Online')
      await typeValues(fixture.user, credentials)
      fixture.browser.connectionState = 'down'
      await submitForm()
      await expect.poll(readConnectionText).toBe('Server unreachable')
      await fixture.user.click(screen.getByRole('link', { name: 'Forgot password?' }))
      await screen.findByText(/needs a connection/)
      expect(readConnectionText()).toBe('Server unreachable')
      fixture.browser.connectionState = 'up'
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      await fixture.user.type(document.querySelector('input') as HTMLInputElement, 'alpha')
      await expect.poll(readConnectionText).toBe('Online')
    },
  )

  it('on a device that can store nothing says that, and not that a connection is missing', async () => {
    await fixture.browser.open('/login')
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('the disk is full', 'QuotaExceededError')
    })
    await typeValues(fixture.user, credentials)
    await submitForm()
    await screen.findByText(/^This device could not store/)
    expect(getNamedField('password').value).toBe(password)
    expect(reported.splice(0)).not.toEqual([])
  })

  it('leads to where one was going', async () => {
    await fixture.browser.open('/app/user?statusType=0&page=2')
    expect(fixture.browser.path()).toMatch(/^\/login\?to=/)
    await typeValues(fixture.user, { ...credentials, username: 'admin@alpha.example' })
    await submitForm()
    await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/user\?statusType=0/)
  })

  it('leads nowhere outside (S-67)', async () => {
    await fixture.browser.open('/login?to=//evil.example/app/user')
    await typeValues(fixture.user, credentials)
    await submitForm()
    await waitForPath(fixture.browser, '/app/home')
  })
})

it('the logout of a session that the server has ended goes straight to the logged-out state (M24)', async () => {
  await fixture.browser.open('/logout')
  await findHeading('You are logged out')
})
