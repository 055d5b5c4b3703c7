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
  it('marks missing fields, focuses the first and leaves the focus while the user types (A-12)', async () => {
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

  it('supports password managers, pasting and showing the password (A-16, A-17)', async () => {
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

  it('accepts a company code and a user name in full-width characters (fault 22g)', async () => {
    await fixture.browser.open('/login')
    await fixture.user.type(getNamedField('company'), ' ａｌｐｈａ ')
    await fixture.user.tab()
    expect(getNamedField('company').value).toBe('alpha')
    await fixture.user.type(getNamedField('username'), 'ｕｓｅｒ＠alpha.example')
    await fixture.user.type(getNamedField('password'), 'not the one{Enter}')
    expect(getNamedField('username').value).toBe('user@alpha.example')
    await findAlert('Password Or User is wrong!')
  })

  it('shows that the password is wrong, clears it and keeps the other fields', async () => {
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

  it('shows the waiting time after too many attempts, and disables the button (S-62)', async () => {
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

  it('offers to resend the activation mail, and shows the result (M25)', async () => {
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

  it('keeps the input while offline, shows that login needs a connection, and works when it is back', async () => {
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

  nightly('reports an unreachable server on all public pages until it responds again (P-11)', async () => {
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
  })

  it('reports a device that cannot store anything, not a missing connection', async () => {
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

  it('returns to the requested page', async () => {
    await fixture.browser.open('/app/user?statusType=0&page=2')
    expect(fixture.browser.path()).toMatch(/^\/login\?to=/)
    await typeValues(fixture.user, { ...credentials, username: 'admin@alpha.example' })
    await submitForm()
    await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/user\?statusType=0/)
  })

  it('never leads to another site (S-67)', async () => {
    await fixture.browser.open('/login?to=//evil.example/app/user')
    await typeValues(fixture.user, credentials)
    await submitForm()
    await waitForPath(fixture.browser, '/app/home')
  })
})

it('/logout shows the logged-out state at once if the server has ended the session (M24)', async () => {
  await fixture.browser.open('/logout')
  await findHeading('You are logged out')
})
