/** Logging out, a session that ended, and coming in again (M24, portal 2). */
import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import { heading, named, submit, type } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { password, readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
afterEach(() => vi.doUnmock('#request/session/sign-in.ts'))

const endSessions = (who: string) =>
  inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
    endSessionsOf(db, the.server.world.users[who] ?? 0, the.server.app.clock(), 'password'),
  )

it('says that one is leaving until the server has answered, and then one text', async () => {
  await the.browser.openAs('user@alpha')
  let answer = () => {}
  const asked = new Promise<void>((resolve) => (answer = resolve))
  const real = fetch
  let isAsked = false
  vi.stubGlobal('fetch', async (request: Request | string, init?: RequestInit) => {
    if (String(typeof request === 'string' ? request : request.url).endsWith('/logout')) {
      isAsked = true
      await asked
    }
    return await real(request, init)
  })
  const seen = new Set<string>()
  const watch = new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('main h1, main p')) seen.add(textContent ?? '')
  })
  watch.observe(document.body, { subtree: true, childList: true, characterData: true })
  await the.user.click(await screen.findByRole('button', { name: /My account$/ }))
  await the.user.click(await screen.findByRole('menuitem', { name: 'Logout' }))
  await expect.poll(() => isAsked).toBe(true)
  // Longer than the device needs to note that it is signed out.
  await new Promise((resolve) => setTimeout(resolve, 300))
  screen.getByText('You are leaving...')
  answer()
  await heading('You are logged out')
  await screen.findByText('Your session on this device has ended.')
  watch.disconnect()
  expect([...seen].filter((text) => text.includes('is told'))).toEqual([])
})

it('an invalid token goes straight to the logged-out state, whatever waits', async () => {
  await the.browser.openAs('user@alpha')
  await endSessions('user@alpha')
  await the.browser.open('/logout')
  await heading('You are logged out')
})

it('a session that ended says why one is at the login, and company and e-mail are filled in', async () => {
  await the.browser.openAs('admin@alpha', '/app/profile/company')
  // The frame's last parts come when the page has come to rest.
  await screen.findByRole('button', { name: /Background tasks/ })
  await endSessions('admin@alpha')
  // As the first answer of the server that knows it no more has it.
  const { thisDevice } = await import('#local/storage/device.ts')
  const { endSession, readSession } = await import('#local/session/session.ts')
  await endSession(thisDevice(), (await readSession(thisDevice()))?.generation ?? -1)
  await heading('Login')
  await screen.findByText(/^The session of .+ has ended\. Log in again to continue where you were\.$/)
  expect([named('company').value, named('username').value]).toEqual(['alpha', 'admin@alpha.example'])
  const wanted = new URLSearchParams(location.search).get('to') ?? ''
  expect(wanted).toBe('/app/profile/company')
  await type(the.user, { password })
  await submit(the.user)
  await arrived(the.browser, wanted)
})

nightly('who comes by an address inside is told why there is a login', async () => {
  await the.browser.open('/app/user')
  await heading('Login')
  await screen.findByText('Log in to open the page you asked for.')
})

nightly("an account's language is shown where nobody has chosen one on this device (D68)", async () => {
  await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ language: 'zh' })
      .where('id', '=', the.server.world.users['user@alpha'] ?? 0)
      .execute(),
  )
  const account = { company: 'alpha', username: 'user@alpha.example', password }
  await the.browser.open('/login')
  await type(the.user, account)
  await submit(the.user)
  await arrived(the.browser, '/app/home')
  await screen.findByRole('link', { name: '首页' })
  expect((await readUser(the.server.app, the.server.world, 'user@alpha')).language).toBe('zh')
})

it.each([
  ['/signup', 'Register your company', /^Registering needs a connection/],
  ['/forget', 'Forgot password', /^Sending the mail needs a connection/],
  ['/resetPwd?otk=key', 'Reset password', /^Resetting needs a connection/],
  ['/sys/activate?otk=key', 'Activate your account', /^Activating needs a connection/],
])('%s says what needs a connection, before anything is typed', async (path, title, said) => {
  the.browser.goOffline()
  await the.browser.open(path)
  await heading(title)
  await screen.findByText(said)
})

it('says so and lets one try again where what logs out cannot be fetched', async () => {
  await the.browser.openAs('user@alpha')
  vi.doMock('#request/session/sign-in.ts', () => {
    throw new Error('Failed to fetch dynamically imported module')
  })
  await the.browser.open('/logout')
  await screen.findByText(/^You are still logged in/)
  expect(screen.queryByText('You are leaving...')).toBeNull()
  await screen.findByRole('button', { name: 'Try again' })
})
