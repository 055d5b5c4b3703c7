/** What was typed is not lost: by leaving, by the end of the session, or by a session that ran out. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { button, described, heading, named, submit, type } from '#tests/support/pages/fields.ts'
import { byDay, nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { password, readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const company = '/app/profile/company'
const question = async () => {
  const text = await screen.findByText('Your changes are not saved yet.')
  expect(text.closest('[role=alert]')).not.toBeNull()
}
const link = async (name: string) => the.user.click(screen.getByRole('link', { name }))
const press = async (name: string | RegExp) => the.user.click(await screen.findByRole('button', { name }))

describe('leaving a form by a link', () => {
  it('asks first, and loses nothing that is kept (C-22)', async () => {
    await the.browser.openAs('admin@alpha', company)
    await screen.findByLabelText('Company name')
    await type(the.user, { website: 'www.alpha.example' })
    await link('Users')
    await question()
    expect(document.activeElement).toBe(button('Keep editing'))
    await press('Keep editing')
    expect([the.browser.path(), named('website').value]).toEqual([company, 'www.alpha.example'])
    await link('Users')
    await press('Discard changes')
    await heading('Users')
    // Nothing is typed, nothing is asked.
    await the.browser.open('/app/profile/password')
    await link('Home')
    await arrived(the.browser, '/app/home')
  })

  nightly('asks in the user’s menu and at the form’s own way out too, and not after saving (C-22)', async () => {
    await the.browser.openAs('admin@alpha', '/app/profile/user?edit=1')
    await screen.findByLabelText('Name')
    await type(the.user, { name: 'Amelia Chan Mei-ling' })
    await press(/My account$/)
    await the.user.click(await screen.findByRole('menuitem', { name: 'This device' }))
    await question()
    await press('Keep editing')
    await press('Cancel')
    await question()
    await press('Keep editing')
    await submit(the.user)
    await expect.poll(() => document.querySelector('.profile-name')?.textContent).toContain('Amelia Chan Mei-ling')
    expect(screen.queryByText('Your changes are not saved yet.')).toBeNull()
  })
})

const typedIn = [
  ['/app/profile/user?edit=1', 'main', 'name', 'Amelia Chan Siu-wai'],
  [company, 'main', 'addr2', 'Unit 9, Harbour Road'],
  ['/app/user?user=new', '[role=dialog]', 'name', 'Nora Lam'],
]

it.each(byDay(typedIn, 1))(
  'a session ended from another device loses nothing typed at %s',
  async (path, place, name, typed) => {
    await the.browser.openAs('admin@alpha', path)
    await expect.poll(() => document.querySelector(`${place} [name=${name}]`)).not.toBeNull()
    await type(the.user, { [name]: typed })
    const other = await the.server.signIn('admin@alpha')
    await other.send({ method: 'DELETE', url: '/api/m18s/sessions' })
    // Whoever asks next is told, as another tab may.
    const { api } = await import('#app/connection/network-bundle.ts')
    await api.call(getUser, {})
    await heading('Login')
    await type(the.user, { company: 'alpha', username: 'admin@alpha.example', password })
    await submit(the.user)
    await expect.poll(() => the.browser.path()).toMatch(path.split('?')[0] ?? '')
    await expect.poll(() => document.querySelector<HTMLInputElement>(`${place} [name=${name}]`)?.value).toBe(typed)
    // It is as it was left: still to be saved.
    const save = () => document.querySelector(`${place} button[type="submit"]`)
    await expect.poll(() => save()?.getAttribute('aria-disabled')).toBe(null)
  },
)

/** Of the page that is open: each has modules of its own. */
const deviceNow = async () => (await import('#local/storage/device.ts')).thisDevice()
const runOut = async () => (await deviceNow()).directory.session.update('now', { until: Date.now() - 60_000 })

it('fault 44c on a shared device that is said before anything is typed in vain', async () => {
  await the.browser.openAs('admin@alpha', company)
  await screen.findByLabelText('Company name')
  await (await import('#local/session/shared-device.ts')).setShared(await deviceNow(), true)
  await type(the.user, { website: 'www.alpha.example' })
  the.browser.goOffline()
  await runOut()
  const said = () => within(screen.getByRole('main')).findByText(/expired while you were offline/)
  await said()
  await expect.poll(() => described(button('Save changes'))).toBe('Log in again first.')
  expect(named('website').value).toBe('www.alpha.example')
  await the.browser.open('/app/profile/user?edit=1')
  await said()
  await expect.poll(() => described(button('Save changes'))).toBe('Log in again first.')
})

it('fault 44f what is saved after a session ran out offline is locked until the next login, and the form says so', async () => {
  await the.browser.openAs('admin@alpha', company)
  await screen.findByLabelText('Company name')
  the.browser.goOffline()
  await runOut()
  await screen.findByText(/Your session has expired. You can go on/)
  await type(the.user, { website: 'www.alpha.example' })
  await the.user.click(button('Save changes'))
  await screen.findByText('Locked on this device. Sent after you log in.')
  the.browser.goOnline()
  const device = await deviceNow()
  const session = await (await import('#local/session/session.ts')).readSession(device)
  expect(session && (await device.of(session).outbox.count())).toBe(0)
})

nightly(
  'the account speaks the language of the sign-in, and of the switch from then on, also without a line (D68)',
  async () => {
    const language = async () => (await readUser(the.server.app, the.server.world, 'user@alpha')).language
    await the.browser.open('/login?lang=zh')
    await type(the.user, { company: 'alpha', username: 'user@alpha.example', password })
    await submit(the.user)
    await arrived(the.browser, '/app/home')
    await expect.poll(language).toBe('zh')
    // The last parts of the frame, which follow the switch, come when the page has come to rest.
    await screen.findByRole('button', { name: /后台任务/ })
    await press('English')
    await expect.poll(language).toBe('en')
    const waiting = () => document.querySelector('.bar-waiting')
    await expect.poll(waiting).toBeNull()
    the.browser.goOffline()
    await press('中文')
    await expect.poll(waiting).not.toBeNull()
    expect(await language()).toBe('en')
    the.browser.goOnline()
    await expect.poll(language).toBe('zh')
  },
)
