import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { heading, named, problems, submit, type } from '#tests/support/pages/fields.ts'
import { withApp } from '#tests/support/server/factors.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { codeAt } from '#tests/support/server/otp.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const the = setUpPages()
const page = '/app/profile/security'
const step = 30_000
const codeOf = (secret: string) => codeAt(secret, the.server.clock.now)
const credentials = (who: string) => ({ company: 'alpha', username: `${who}@alpha.example`, password })
const press = async (name: string | RegExp) => the.user.click(await screen.findByRole('button', { name }))
const isInside = () => expect.poll(() => the.browser.path()).toMatch(/^\/app\//)

async function leave() {
  await the.browser.open('/logout')
  await heading('You are logged out')
}
/** To the second step. */
async function passwordStep(who: string) {
  await the.browser.open('/login')
  await type(the.user, credentials(who))
  await submit(the.user)
  await heading('Confirm it is you')
}
async function confirmByPassword(given = password) {
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
  await within(dialog).findByLabelText('Password')
  await type(the.user, { password: given })
  await press('Continue')
}
/** Answers the secret and the recovery codes. */
async function setUpApp() {
  await screen.findByRole('img', { name: 'QR code of the account' })
  const secret = (document.querySelector('.factor-scan code')?.textContent ?? '').replaceAll(' ', '')
  await type(the.user, { otp: '12' })
  await press('Turn on')
  await expect.poll(problems).toMatchObject({ otp: expect.stringMatching(/^This code does not fit\./) })
  await type(the.user, { otp: codeOf(secret) })
  await press('Turn on')
  await screen.findByRole('button', { name: 'I have saved them' })
  const codes = [...document.querySelectorAll('.factor-codes code')].map(({ textContent }) => textContent ?? '')
  return { secret, codes }
}

describe('an authenticator app', () => {
  it('is set up, asked for at the next login, and removed', async () => {
    await the.browser.openAs('user@alpha', page)
    await press('Add authenticator app')
    await confirmByPassword('Not-the-one-44')
    await expect.poll(problems).toEqual({ password: 'The password is wrong.' })
    await confirmByPassword()
    const { secret, codes } = await setUpApp()
    expect(codes).toHaveLength(10)
    await press('I have saved them')
    await screen.findByText('10 left')
    await press('Rename Phone')
    const naming = await screen.findByRole('dialog')
    await the.user.clear(within(naming).getByLabelText('Name'))
    await the.user.type(within(naming).getByLabelText('Name'), 'Work phone')
    await press('Rename')
    await screen.findByText('Work phone')

    await leave()
    await passwordStep('user')
    await expect.poll(() => document.activeElement).toBe(named('otp'))
    expect([named('otp').autocomplete, named('otp').inputMode]).toEqual(['one-time-code', 'numeric'])
    await type(the.user, { otp: '000 000' })
    await submit(the.user)
    await expect.poll(problems).toMatchObject({
      otp: expect.stringMatching(/^This code is wrong or was used before\./),
    })
    await press('Back to the password')
    await expect
      .poll(() => ['company', 'username', 'password'].map((name) => named(name).value))
      .toEqual(['alpha', 'user@alpha.example', ''])
    await type(the.user, { password })
    await submit(the.user)
    await heading('Confirm it is you')
    // The code that set it up is used up.
    the.server.clock.now += step
    await type(the.user, { otp: codeOf(secret).replace(/^(...)/, '$1 ') })
    await submit(the.user)
    await isInside()

    await the.browser.open(page)
    await press('Remove Work phone')
    await press('Use the password')
    await confirmByPassword()
    await screen.findByText(/two-step login is turned off/)
    await press('Remove')
    await screen.findByText('Off')
  })

  nightly('that is lost is replaced by a recovery code, which works once', async () => {
    const { codes } = await withApp(await the.server.signIn('user@alpha'), the.server.clock.now)
    const give = async (code = '') => {
      await passwordStep('user')
      await press('Use a recovery code')
      await type(the.user, { recovery_code: code })
      await submit(the.user)
    }
    await give(codes[0]?.toUpperCase())
    await isInside()
    await leave()
    await give(codes[0])
    await expect.poll(problems).toEqual({ recovery_code: 'This recovery code is wrong or was used before.' })
    await type(the.user, { recovery_code: codes[1] ?? '' })
    await submit(the.user)
    await isInside()
    await the.browser.open(page)
    await screen.findByText('8 left')
  })

  nightly('cannot be looked after without a connection, and the page goes on when there is one', async () => {
    await the.browser.openAs('user@alpha', page)
    const add = await screen.findByRole('button', { name: 'Add authenticator app' })
    the.browser.goOffline()
    await screen.findAllByText(/^This needs a connection\./)
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true')
    the.browser.goOnline()
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe(null)
  })
})

nightly('who has lost everything is helped by an admin, is out at once, and logs in with the password', async () => {
  const lost = await the.server.signIn('user@alpha')
  await withApp(lost, the.server.clock.now)
  await the.browser.openAs('admin@alpha', `/app/user?user=${lost.userId}`)
  await press('Reset two-step login')
  await confirmByPassword()
  const name = /^Reset the two-step login of .* user\?$/
  const question = await screen.findByRole('dialog', { name })
  await the.user.click(within(question).getByRole('button', { name: 'Reset two-step login' }))
  await screen.findByText(/^The two-step login of .* user has been reset\.$/)
  await screen.findByText('Off: the password alone logs this user in.')
  // What was given to the dialog was no saving of the drawer behind it.
  expect(screen.getByRole('dialog', { name: /^Edit / })).toBeDefined()
  expect((await lost.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
  await the.server.signIn('user@alpha')
})

it('a company that requires it has its users set it up at their next login, before anything else', async () => {
  await the.browser.openAs('admin@alpha', page)
  await the.user.click(await screen.findByRole('switch', { name: 'Require two-step login' }))
  await confirmByPassword()
  await press('Require it')
  await screen.findByText('Required by your company.')
  await leave()

  await the.browser.open('/login')
  await type(the.user, credentials('user'))
  await submit(the.user)
  await heading('Set up two-step login')
  const choice = screen.queryByRole('button', { name: 'Authenticator app' })
  if (choice) await the.user.click(choice)
  await setUpApp()
  await press('I have saved them')
  await isInside()
})
