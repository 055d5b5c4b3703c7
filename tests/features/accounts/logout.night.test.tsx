/** Tests the logout, a session that has ended, and the next login (M24, portal 2). */
import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { findHeading, getNamedField, submit, typeValues } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { password, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
afterEach(() => vi.doUnmock('#request/session/sign-in.ts'))

const endSessions = (userName: string) =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    endAllSessions(db, fixture.server.world.users[userName] ?? 0, fixture.server.app.clock(), 'password'),
  )

it('/logout shows "You are leaving..." until the server responds, and then only the result', async () => {
  await fixture.browser.openAs('user@alpha')
  let respond = () => {}
  const response = new Promise<void>((resolve) => (respond = resolve))
  const originalFetch = fetch
  let isRequested = false
  vi.stubGlobal('fetch', async (request: Request | string, init?: RequestInit) => {
    if (String(typeof request === 'string' ? request : request.url).endsWith('/logout')) {
      isRequested = true
      await response
    }
    return await originalFetch(request, init)
  })
  const seenTexts = new Set<string>()
  const observer = new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('main h1, main p')) seenTexts.add(textContent ?? '')
  })
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  await fixture.user.click(await screen.findByRole('button', { name: /My account$/ }))
  await fixture.user.click(await screen.findByRole('menuitem', { name: 'Logout' }))
  await expect.poll(() => isRequested).toBe(true)
  // Waits longer than the device needs to store that it is signed out.
  await new Promise((resolve) => setTimeout(resolve, 300))
  screen.getByText('You are leaving...')
  respond()
  await findHeading('You are logged out')
  await screen.findByText('Your session on this device has ended.')
  observer.disconnect()
  expect([...seenTexts].filter((text) => text.includes('is informed'))).toEqual([])
})

it('/logout shows the logged-out state at once if the token is invalid', async () => {
  await fixture.browser.openAs('user@alpha')
  await endSessions('user@alpha')
  await fixture.browser.open('/logout')
  await findHeading('You are logged out')
})

it('The login page reports the ended session, and fills in company and e-mail', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/profile/company')
  // Waits for the last parts of the layout. They are loaded once the page is idle.
  await screen.findByRole('button', { name: /Notifications/ })
  await endSessions('admin@alpha')
  // Ends the session on the device, as the first response of the server would after it ended the session.
  const { getThisDevice } = await import('#local/storage/device.ts')
  const { endSession, readSession } = await import('#local/session/session.ts')
  await endSession(getThisDevice(), (await readSession(getThisDevice()))?.generation ?? -1)
  await findHeading('Login')
  await screen.findByText(/^The session of .+ has ended\. Log in again to continue where you were\.$/)
  expect([getNamedField('company').value, getNamedField('username').value]).toEqual(['alpha', 'admin@alpha.example'])
  const returnPath = new URLSearchParams(location.search).get('to') ?? ''
  expect(returnPath).toBe('/app/profile/company')
  await typeValues(fixture.user, { password })
  await submit(fixture.user)
  await waitForPath(fixture.browser, returnPath)
})

nightly('The login page explains that the requested page needs a login', async () => {
  await fixture.browser.open('/app/user')
  await findHeading('Login')
  await screen.findByText('Log in to open the page you requested.')
})

nightly('The language of the account is used if none was chosen on this device (D68)', async () => {
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ language: 'zh' })
      .where('id', '=', fixture.server.world.users['user@alpha'] ?? 0)
      .execute(),
  )
  const credentials = { company: 'alpha', username: 'user@alpha.example', password }
  await fixture.browser.open('/login')
  await typeValues(fixture.user, credentials)
  await submit(fixture.user)
  await waitForPath(fixture.browser, '/app/home')
  await screen.findByRole('link', { name: '首页' })
  expect((await readUser(fixture.server.app, fixture.server.world, 'user@alpha')).language).toBe('zh')
})

it.each([
  ['/signup', 'Register your company', /^Registering needs a connection/],
  ['/forget', 'Forgot password', /^Sending the mail needs a connection/],
  ['/resetPwd?otk=key', 'Reset password', /^Resetting needs a connection/],
  ['/sys/activate?otk=key', 'Activate your account', /^Activating needs a connection/],
])('%s shows that it needs a connection before anything is typed', async (path, title, expectedText) => {
  fixture.browser.goOffline()
  await fixture.browser.open(path)
  await findHeading(title)
  await screen.findByText(expectedText)
})

it('/logout shows that the user is still logged in if its code cannot be loaded, and offers a retry', async () => {
  await fixture.browser.openAs('user@alpha')
  vi.doMock('#request/session/sign-in.ts', () => {
    throw new Error('Failed to fetch dynamically imported module')
  })
  await fixture.browser.open('/logout')
  await screen.findByText(/^You are still logged in/)
  expect(screen.queryByText('You are leaving...')).toBeNull()
  await screen.findByRole('button', { name: 'Try again' })
})
