/** Tests that input is not lost when the user leaves the form, when the session is ended or when it expires. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import {
  getButton,
  readDescription,
  findHeading,
  getNamedField,
  submit,
  typeValues,
} from '#tests/support/pages/fields.ts'
import { limitByDay, nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { password, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const company = '/app/profile/company'
const expectUnsavedNotice = async () => {
  const text = await screen.findByText('Your changes are not saved yet.')
  expect(text.closest('[role=alert]')).not.toBeNull()
}
const clickLink = async (name: string) => fixture.user.click(screen.getByRole('link', { name }))
const press = async (name: string | RegExp) => fixture.user.click(await screen.findByRole('button', { name }))

describe('leaving a form with unsaved changes', () => {
  it('asks for confirmation when a link is clicked, and keeps the input (C-22)', async () => {
    await fixture.browser.openAs('admin@alpha', company)
    await screen.findByLabelText('Company name')
    await typeValues(fixture.user, { website: 'www.alpha.example' })
    await clickLink('Users')
    await expectUnsavedNotice()
    expect(document.activeElement).toBe(getButton('Keep editing'))
    await press('Keep editing')
    expect([fixture.browser.path(), getNamedField('website').value]).toEqual([company, 'www.alpha.example'])
    await clickLink('Users')
    await press('Discard changes')
    await findHeading('Users')
    // Nothing was typed, so leaving the page asks for no confirmation.
    await fixture.browser.open('/app/profile/password')
    await clickLink('Home')
    await waitForPath(fixture.browser, '/app/home')
  })

  nightly('asks for confirmation in the account menu and on Cancel too, but not after saving (C-22)', async () => {
    await fixture.browser.openAs('admin@alpha', '/app/profile/user?edit=1')
    await screen.findByLabelText('Name')
    await typeValues(fixture.user, { name: 'Amelia Chan Mei-ling' })
    await press(/My account$/)
    await fixture.user.click(await screen.findByRole('menuitem', { name: 'This device' }))
    await expectUnsavedNotice()
    await press('Keep editing')
    await press('Cancel')
    await expectUnsavedNotice()
    await press('Keep editing')
    await submit(fixture.user)
    await expect.poll(() => document.querySelector('.profile-name')?.textContent).toContain('Amelia Chan Mei-ling')
    expect(screen.queryByText('Your changes are not saved yet.')).toBeNull()
  })
})

const typedFields = [
  ['/app/profile/user?edit=1', 'main', 'name', 'Amelia Chan Siu-wai'],
  [company, 'main', 'addr2', 'Unit 9, Harbour Road'],
  ['/app/user?user=new', '[role=dialog]', 'name', 'Nora Lam'],
]

it.each(limitByDay(typedFields, 1))(
  'Ending the session from another device loses no input at %s',
  async (path, containerSelector, name, text) => {
    await fixture.browser.openAs('admin@alpha', path)
    await expect.poll(() => document.querySelector(`${containerSelector} [name=${name}]`)).not.toBeNull()
    await typeValues(fixture.user, { [name]: text })
    const otherSession = await fixture.server.signIn('admin@alpha')
    await otherSession.send({ method: 'DELETE', url: '/api/m18s/sessions' })
    // From the response to the next request, the page learns that the session has ended. Another tab may send that request.
    const { api } = await import('#app/connection/network-bundle.ts')
    await api.call(getUser, {})
    await findHeading('Login')
    await typeValues(fixture.user, { company: 'alpha', username: 'admin@alpha.example', password })
    await submit(fixture.user)
    await expect.poll(() => fixture.browser.path()).toMatch(path.split('?')[0] ?? '')
    await expect
      .poll(() => document.querySelector<HTMLInputElement>(`${containerSelector} [name=${name}]`)?.value)
      .toBe(text)
    // The form still has its unsaved change, so it can be saved.
    const findSaveButton = () => document.querySelector(`${containerSelector} button[type="submit"]`)
    await expect.poll(() => findSaveButton()?.getAttribute('aria-disabled')).toBe(null)
  },
)

/** Imports the device for each page, because every page load has its own modules. */
const loadDevice = async () => (await import('#local/storage/device.ts')).getThisDevice()
const expireSession = async () => (await loadDevice()).directory.session.update('now', { until: Date.now() - 60_000 })

it('An expired session on a shared device is reported before the user types more (fault 44c)', async () => {
  await fixture.browser.openAs('admin@alpha', company)
  await screen.findByLabelText('Company name')
  await (await import('#local/session/shared-device.ts')).setShared(await loadDevice(), true)
  await typeValues(fixture.user, { website: 'www.alpha.example' })
  fixture.browser.goOffline()
  await expireSession()
  const findExpiredNotice = () => within(screen.getByRole('main')).findByText(/expired while you were offline/)
  await findExpiredNotice()
  await expect.poll(() => readDescription(getButton('Save changes'))).toBe('Log in again first.')
  expect(getNamedField('website').value).toBe('www.alpha.example')
  await fixture.browser.open('/app/profile/user?edit=1')
  await findExpiredNotice()
  await expect.poll(() => readDescription(getButton('Save changes'))).toBe('Log in again first.')
})

it('A change saved after the session expired offline is shown as locked until the next login (fault 44f)', async () => {
  await fixture.browser.openAs('admin@alpha', company)
  await screen.findByLabelText('Company name')
  fixture.browser.goOffline()
  await expireSession()
  await screen.findByText(/Your session has expired. You can continue/)
  await typeValues(fixture.user, { website: 'www.alpha.example' })
  await fixture.user.click(getButton('Save on this device'))
  await screen.findByText(/^Encrypted on this device\. Sent after you log in\./)
  fixture.browser.goOnline()
  const device = await loadDevice()
  const session = await (await import('#local/session/session.ts')).readSession(device)
  expect(session && (await device.getDatabase(session).outbox.count())).toBe(0)
})

nightly('The account stores the language of the login and of each later switch, also offline (D68)', async () => {
  const readLanguage = async () => (await readUser(fixture.server.app, fixture.server.world, 'user@alpha')).language
  await fixture.browser.open('/login?lang=zh')
  await typeValues(fixture.user, { company: 'alpha', username: 'user@alpha.example', password })
  await submit(fixture.user)
  await waitForPath(fixture.browser, '/app/home')
  await expect.poll(readLanguage).toBe('zh')
  // Waits for the last parts of the layout, which react to the switch. They are loaded once the page is idle.
  await screen.findByRole('button', { name: /通知/ })
  await press('English')
  await expect.poll(readLanguage).toBe('en')
  const findWaitingMark = () => document.querySelector('.bar-waiting')
  await expect.poll(findWaitingMark).toBeNull()
  fixture.browser.goOffline()
  await press('中文')
  await expect.poll(findWaitingMark).not.toBeNull()
  expect(await readLanguage()).toBe('en')
  fixture.browser.goOnline()
  await expect.poll(readLanguage).toBe('zh')
})
