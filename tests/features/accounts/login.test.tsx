import { screen } from '@testing-library/dom'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reported } from '#tests/support/runner/dom.ts'
import { button, described, heading, named, problems, submit, type } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const the = setUpPages()
afterEach(() => vi.restoreAllMocks())

const user = { company: 'alpha', username: 'user@alpha.example', password }
const send = () => submit(the.user)
const alert = (text: string | RegExp) => screen.findByText(text, { selector: '[role=alert] *' })

describe('the login form', () => {
  it('asks for what is missing and goes to the first, and leaves the focus where one types (A-12)', async () => {
    await the.browser.open('/login')
    await send()
    expect(problems()).toEqual({
      company: 'Please input "Company ID" as it\'s required.',
      username: 'Please input "Username (e-mail)" as it\'s required.',
      password: 'Please input "Password" as it\'s required.',
    })
    expect(document.activeElement).toBe(named('company'))
    await the.user.click(named('password'))
    await the.user.keyboard('typed whole')
    expect(document.activeElement).toBe(named('password'))
    expect(named('password').value).toBe('typed whole')
    expect(Object.keys(problems())).toEqual(['company', 'username'])
    await type(the.user, { company: 'alpha' })
    await send()
    expect(document.activeElement).toBe(named('username'))
  })

  it('is known to password managers and lets one paste and look at the password (A-16, A-17)', async () => {
    await the.browser.open('/login')
    const tokens = ['company', 'username', 'password'].map((name) => named(name).getAttribute('autocomplete'))
    expect(tokens).toEqual(['organization', 'username', 'current-password'])
    expect(named('username').getAttribute('inputmode')).toBe('email')
    await the.user.click(named('password'))
    await the.user.paste('from the manager')
    expect(named('password').value).toBe('from the manager')
    await the.user.click(button('Show password'))
    expect(named('password').type).toBe('text')
  })

  it('fault 22g takes a company code and a user name in full-width characters for what they mean, by Enter too', async () => {
    await the.browser.open('/login')
    await the.user.type(named('company'), ' ａｌｐｈａ ')
    await the.user.tab()
    expect(named('company').value).toBe('alpha')
    await the.user.type(named('username'), 'ｕｓｅｒ＠alpha.example')
    await the.user.type(named('password'), 'not the one{Enter}')
    expect(named('username').value).toBe('user@alpha.example')
    await alert('Password Or User is wrong!')
  })

  it('with a wrong password says so beside the form, keeps the rest and forgets the password', async () => {
    await the.browser.open('/login')
    await type(the.user, { ...user, password: 'not the one' })
    await send()
    await alert('Password Or User is wrong!')
    await expect.poll(() => named('password').value).toBe('')
    expect([named('company').value, named('username').value]).toEqual([user.company, user.username])
  })

  it('tells how long to wait after too many attempts, and blocks the button with that reason (S-62)', async () => {
    await the.browser.open('/login')
    const wait = /^You can try again in \d+ (seconds|minutes?)\.$/
    for (let attempt = 0; attempt < 10 && screen.queryAllByText(wait).length === 0; attempt += 1) {
      await type(the.user, { company: 'nobody', username: 'guess@nobody.example', password: `guess ${attempt}` })
      await send()
      await expect.poll(() => named('password').value === '' || screen.queryAllByText(wait).length > 0).toBe(true)
    }
    await alert(wait)
    await expect.poll(() => button('Login').getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => described(button('Login'))).toMatch(wait)
    expect(named('password').value).toMatch(/^guess/)
  })

  it('of an account that is not activated offers the mail again and says what comes of it (M25)', async () => {
    await the.browser.open('/login')
    await type(the.user, { ...user, username: 'waiting@alpha.example' })
    await send()
    await alert('User is not activated')
    await the.user.click(button('Resend activation mail'))
    await screen.findByText(/^Active mail has been sent to waiting@alpha\.example/)
    const asked = the.browser.sent.find(({ path }) => path.startsWith('/public/users/activatemail'))
    expect(Object.fromEntries(new URLSearchParams(asked?.body ?? ''))).toEqual({
      username: 'alpha:waiting@alpha.example',
      password,
    })
  })

  it('without a connection keeps what was typed, says what is missing, and works when it is back', async () => {
    await the.browser.open('/login')
    await type(the.user, user)
    the.browser.goOffline()
    await send()
    await screen.findByText(/^Login needs a connection\./)
    await expect.poll(() => button('Login').getAttribute('aria-busy')).toBe(null)
    expect(named('password').value).toBe(password)
    the.browser.goOnline()
    await send()
    await arrived(the.browser, '/app/home')
  })

  nightly(
    "a login that no server answered is what the status says on every visitors' page, until one is there again (P-11)",
    async () => {
      await the.browser.open('/login')
      const status = () => document.querySelector('header .line')?.textContent
      await expect.poll(status).toBe('Online')
      await type(the.user, user)
      the.browser.line = 'down'
      await send()
      await expect.poll(status).toBe('Server unreachable')
      await the.user.click(screen.getByRole('link', { name: 'Forgot password?' }))
      await screen.findByText(/needs a connection/)
      expect(status()).toBe('Server unreachable')
      the.browser.line = 'up'
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      await the.user.type(document.querySelector('input') as HTMLInputElement, 'alpha')
      await expect.poll(status).toBe('Online')
    },
  )

  it('on a device that can store nothing says that, and not that a connection is missing', async () => {
    await the.browser.open('/login')
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('the disk is full', 'QuotaExceededError')
    })
    await type(the.user, user)
    await send()
    await screen.findByText(/^This device could not store/)
    expect(named('password').value).toBe(password)
    expect(reported.splice(0)).not.toEqual([])
  })

  it('leads to where one was going', async () => {
    await the.browser.open('/app/user?statusType=0&page=2')
    expect(the.browser.path()).toMatch(/^\/login\?to=/)
    await type(the.user, { ...user, username: 'admin@alpha.example' })
    await send()
    await expect.poll(() => the.browser.path()).toMatch(/^\/app\/user\?statusType=0/)
  })

  it('leads nowhere outside (S-67)', async () => {
    await the.browser.open('/login?to=//evil.example/app/user')
    await type(the.user, user)
    await send()
    await arrived(the.browser, '/app/home')
  })
})

it('the logout of a session that the server has ended goes straight to the logged-out state (M24)', async () => {
  await the.browser.open('/logout')
  await heading('You are logged out')
})
