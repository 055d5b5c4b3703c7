import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { findHeading, getNamedField, readProblems, submit, typeValues } from '#tests/support/pages/fields.ts'
import { addAuthenticatorApp } from '#tests/support/server/factors.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { calculateCode } from '#tests/support/server/otp.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const page = '/app/profile/security'
const stepMs = 30_000
const generateCode = (secret: string) => calculateCode(secret, fixture.server.clock.now)
const toCredentials = (userName: string) => ({ company: 'alpha', username: `${userName}@alpha.example`, password })
const press = async (name: string | RegExp) => fixture.user.click(await screen.findByRole('button', { name }))
const waitForApp = () => expect.poll(() => fixture.browser.path()).toMatch(/^\/app\//)

async function logOut() {
  await fixture.browser.open('/logout')
  await findHeading('You are logged out')
}
/** Logs in with the password, up to the second step. */
async function enterPassword(userName: string) {
  await fixture.browser.open('/login')
  await typeValues(fixture.user, toCredentials(userName))
  await submit(fixture.user)
  await findHeading('Confirm it is you')
}
async function confirmByPassword(typedPassword = password) {
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
  await within(dialog).findByLabelText('Password')
  await typeValues(fixture.user, { password: typedPassword })
  await press('Continue')
}
/** Sets up the authenticator app, and returns the secret and the recovery codes. */
async function setUpAuthenticatorApp() {
  await screen.findByRole('img', { name: 'QR code of the account' })
  const secret = (document.querySelector('.factor-scan code')?.textContent ?? '').replaceAll(' ', '')
  await typeValues(fixture.user, { otp: '12' })
  await press('Turn on')
  await expect.poll(readProblems).toMatchObject({ otp: expect.stringMatching(/^This code is wrong\./) })
  await typeValues(fixture.user, { otp: generateCode(secret) })
  await press('Turn on')
  await screen.findByRole('button', { name: 'I have saved them' })
  const codes = [...document.querySelectorAll('.factor-codes code')].map(({ textContent }) => textContent ?? '')
  return { secret, codes }
}

describe('an authenticator app', () => {
  it('is set up, required at the next login, and removed', async () => {
    await fixture.browser.openAs('user@alpha', page)
    await press('Add authenticator app')
    await confirmByPassword('Not-the-one-44')
    await expect.poll(readProblems).toEqual({ password: 'The password is wrong.' })
    await confirmByPassword()
    const { secret, codes } = await setUpAuthenticatorApp()
    expect(codes).toHaveLength(10)
    await press('I have saved them')
    await screen.findByText('10 left')
    await press('Rename Phone')
    const nameDialog = await screen.findByRole('dialog')
    await fixture.user.clear(within(nameDialog).getByLabelText('Name'))
    await fixture.user.type(within(nameDialog).getByLabelText('Name'), 'Work phone')
    await press('Rename')
    await screen.findByText('Work phone')

    await logOut()
    await enterPassword('user')
    await expect.poll(() => document.activeElement).toBe(getNamedField('otp'))
    expect([getNamedField('otp').autocomplete, getNamedField('otp').inputMode]).toEqual(['one-time-code', 'numeric'])
    await typeValues(fixture.user, { otp: '000 000' })
    await submit(fixture.user)
    await expect.poll(readProblems).toMatchObject({
      otp: expect.stringMatching(/^This code is wrong or was used before\./),
    })
    await press('Back to the password')
    await expect
      .poll(() => ['company', 'username', 'password'].map((name) => getNamedField(name).value))
      .toEqual(['alpha', 'user@alpha.example', ''])
    await typeValues(fixture.user, { password })
    await submit(fixture.user)
    await findHeading('Confirm it is you')
    // The code that set up the app cannot be used again, so the clock is advanced to the next code.
    fixture.server.clock.now += stepMs
    await typeValues(fixture.user, { otp: generateCode(secret).replace(/^(...)/, '$1 ') })
    await submit(fixture.user)
    await waitForApp()

    await fixture.browser.open(page)
    await press('Remove Work phone')
    await press('Use the password')
    await confirmByPassword()
    await screen.findByText(/two-step login is turned off/)
    await press('Remove')
    await screen.findByText('Off')
  })

  it('is no longer required once a user has logged in in another tab', async () => {
    await addAuthenticatorApp(await fixture.server.signIn('user@alpha'), fixture.server.clock.now)
    await enterPassword('user')
    const { signIn } = await import('#request/session/sign-in.ts')
    const { ports } = await import('#app/connection/network-bundle.ts')
    expect(await signIn(ports, { ...toCredentials('admin'), language: 'en' })).toMatchObject({ kind: 'fresh' })
    await waitForApp()
  })

  nightly('is replaced by a recovery code if it is lost, and each code works once', async () => {
    const { codes } = await addAuthenticatorApp(await fixture.server.signIn('user@alpha'), fixture.server.clock.now)
    const enterRecoveryCode = async (code = '') => {
      await enterPassword('user')
      await press('Use a recovery code')
      await typeValues(fixture.user, { recovery_code: code })
      await submit(fixture.user)
    }
    await enterRecoveryCode(codes[0]?.toUpperCase())
    await waitForApp()
    await logOut()
    await enterRecoveryCode(codes[0])
    await expect.poll(readProblems).toEqual({ recovery_code: 'This recovery code is wrong or was used before.' })
    await typeValues(fixture.user, { recovery_code: codes[1] ?? '' })
    await submit(fixture.user)
    await waitForApp()
    await fixture.browser.open(page)
    await screen.findByText('8 left')
  })

  nightly('cannot be changed without a connection, but as soon as the connection is back', async () => {
    await fixture.browser.openAs('user@alpha', page)
    const addButton = await screen.findByRole('button', { name: 'Add authenticator app' })
    fixture.browser.goOffline()
    await screen.findAllByText(/^This needs a connection\./)
    await expect.poll(() => addButton.getAttribute('aria-disabled')).toBe('true')
    fixture.browser.goOnline()
    await expect.poll(() => addButton.getAttribute('aria-disabled')).toBe(null)
  })
})

nightly(
  'An admin resets the two-step login of a user, who is logged out and can log in with the password',
  async () => {
    const lostSession = await fixture.server.signIn('user@alpha')
    await addAuthenticatorApp(lostSession, fixture.server.clock.now)
    await fixture.browser.openAs('admin@alpha', `/app/user?user=${lostSession.userId}`)
    await press('Reset two-step login')
    await confirmByPassword()
    const name = /^Reset the two-step login of .* user\?$/
    const questionDialog = await screen.findByRole('dialog', { name })
    await fixture.user.click(within(questionDialog).getByRole('button', { name: 'Reset two-step login' }))
    await screen.findByText(/^The two-step login of .* user has been reset\.$/)
    await screen.findByText('Off: the password alone logs this user in.')
    // The password was submitted in the dialog only, not in the form of the drawer behind it.
    expect(screen.getByRole('dialog', { name: /^Edit / })).toBeDefined()
    expect((await lostSession.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
    await fixture.server.signIn('user@alpha')
  },
)

it('A user of a company that requires two-step login must set it up at the next login', async () => {
  await fixture.browser.openAs('admin@alpha', page)
  await fixture.user.click(await screen.findByRole('switch', { name: 'Require two-step login' }))
  await confirmByPassword()
  await press('Require it')
  await screen.findByText('Required by your company.')
  await logOut()

  await fixture.browser.open('/login')
  await typeValues(fixture.user, toCredentials('user'))
  await submit(fixture.user)
  await findHeading('Set up two-step login')
  const appChoice = screen.queryByRole('button', { name: 'Authenticator app' })
  if (appChoice) await fixture.user.click(appChoice)
  await setUpAuthenticatorApp()
  await press('I have saved them')
  await waitForApp()
})
