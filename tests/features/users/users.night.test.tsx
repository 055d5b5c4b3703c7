/** The users of a company on the screen: what their form allows and says, what becomes of a change, and the list around it. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { headers } from '#contract/headers.ts'
import { button, described, named, problems, type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { fillDisk } from '#tests/support/device/full-disk.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { rowOf, namesShown, saveUser, userAction } from '#tests/support/pages/users.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const nameOf = (role: string) => `${canaries.alpha} ${role}`
const idOf = (who: string) => the.server.world.users[who] ?? 0
const openList = async (query = '', who = 'admin@alpha') => {
  await the.browser.openAs(who, `/app/user${query}`)
  await expect.poll(() => namesShown().length).toBeGreaterThan(0)
}
const openUser = (who: string) => openList(`?user=${idOf(who)}`)
const dialog = () => screen.findByRole('dialog')
const text = async (words: string | RegExp) => within(await dialog()).findByText(words)
const closed = () => expect.poll(() => screen.queryByRole('dialog')).toBeNull()
const said = (words: string) => screen.findByText(words)
/** The message names who was created, and leads there. */
const created = async (name: string) => {
  const toast = await said(`Create successfully. ${name} –`)
  within(toast).getByRole('link', { name: `Open ${name}` })
}
const stored = (who: string) => readUser(the.server.app, the.server.world, who)
/** What another administrator does meanwhile. */
const sendElsewhere = async (method: 'POST' | 'PUT', url: string, payload: object) => {
  const { send } = await the.server.signIn('second@alpha')
  expect((await send({ method, url, payload })).statusCode).toBe(200)
}
const changeElsewhere = (who: string, payload: object) =>
  sendElsewhere('PUT', `/api/m18s/company-user/${idOf(who)}`, payload)

describe('the list', () => {
  it('shows one status, all but deleted, or the deleted as well, and all filters can be dropped at once (C-04, D91)', async () => {
    await openList()
    const shown = () => namesShown().map((name) => name.split(' ')[1])
    const all = shown()
    expect(all).not.toContain('deleted')
    const status = screen.getByLabelText('Status')
    await the.user.selectOptions(status, 'Disabled')
    await expect.poll(shown).toEqual(['disabled'])
    await the.user.selectOptions(status, 'All')
    await expect.poll(shown).toEqual(all)
    await the.user.selectOptions(status, 'Include deleted')
    await expect.poll(() => shown().length).toBe(all.length + 1)
    await the.user.selectOptions(status, 'Deleted')
    await expect.poll(shown).toEqual(['deleted'])
    await the.user.click(button('Clear filters'))
    await expect.poll(shown).toEqual(all)
    expect(the.browser.path()).toBe('/app/user')
  })

  nightly(
    'is not said to be empty before the first rows, and leads back to all when nothing is found (C-03)',
    async () => {
      // A device that knows who is there, and no user yet.
      await the.browser.openAs('admin@alpha')
      let isEmpty = false
      const look = () =>
        (isEmpty ||= document.querySelector('.list') !== null && !document.querySelector('.list table'))
      const watch = new MutationObserver(look)
      watch.observe(document, { childList: true, subtree: true })
      await the.browser.open('/app/user')
      await expect.poll(() => namesShown().length).toBeGreaterThan(1)
      expect(isEmpty).toBe(false)
      await the.browser.open('/app/user?searchText=nobody+of+that+name')
      await screen.findByRole('heading', { name: 'No user matches these filters' })
      await expect.poll(() => isEmpty).toBe(true)
      watch.disconnect()
      await expect.poll(() => document.querySelector('.list-searched')?.textContent).toMatch(/^Updated /)
      await the.user.click(await screen.findByRole('button', { name: 'Show all users' }))
      await expect.poll(() => namesShown().length).toBeGreaterThan(1)
    },
  )

  nightly(
    'without a line says what it has searched and how many changes wait, also where it finds nothing (P-12)',
    async () => {
      const reach = fetch
      // Only what is looked at comes to the device: the rest of the list is not fetched beside it.
      vi.stubGlobal('fetch', (asked: Request) =>
        String(asked.url ?? asked).includes('since=') ? Promise.reject(new TypeError()) : reach(asked),
      )
      await the.browser.openAs('admin@alpha', '/app/user?statusType=1')
      await expect.poll(() => namesShown().length).toBeGreaterThan(0)
      the.browser.goOffline()
      const label = () => document.querySelector('.freshness')?.textContent
      await the.browser.open('/app/user?searchText=second')
      await expect.poll(label).toMatch(/^Updated .*\d · 1 found among 4 saved on this device$/)
      expect(document.querySelector('.list-foot [role=status]')?.textContent).not.toContain('1 user')
      await userAction(the.user, nameOf('second'), 'Disable')
      await expect.poll(label).toMatch(/ · 1 waiting change included$/)
      await the.browser.open('/app/user?searchText=nobody+of+that+name')
      await screen.findByRole('heading', { name: 'Nothing found on this device' }, { timeout: 900 })
      await expect.poll(label).toContain('0 found among 4 saved on this device')
      expect(document.querySelector('.problem')).toBeNull()
    },
  )

  it('offline and never read here, says just that: no error, and no skeleton of rows that do not come', async () => {
    await the.browser.openAs('admin@alpha', '/app/profile/user')
    the.browser.goOffline()
    await the.browser.open('/app/user')
    await screen.findByRole('heading', { name: 'No users are saved on this device yet' }, { timeout: 1_500 })
    expect(document.querySelector('.problem, .list table, main [role=alert]:not(:empty)')).toBeNull()
  })

  it('is what its rows and controls say to readers (A-06, A-09)', async () => {
    await openList()
    const table = screen.getByRole('table')
    expect(table.querySelector('caption')?.textContent).toBe(`Users of ${canaries.alpha} Ltd`)
    expect(table.querySelectorAll('thead th[scope="col"]')).toHaveLength(7)
    button(`More for ${nameOf('invited')}`)
    await expect.poll(() => document.querySelector('.list-foot [role=status]')?.textContent).toContain('Updated')
    await expect.poll(() => document.title).toBe(`Users · ${canaries.alpha} Ltd · Service portal`)
  })
})

describe('a user', () => {
  it('is created with the specified checks; an e-mail that is taken is told before sending (M37)', async () => {
    await openList()
    await the.user.click(button('New user'))
    await arrived(the.browser, '/app/user?user=new')
    await dialog()
    await saveUser(the.user)
    await expect.poll(problems).toEqual({
      name: 'Please input "Name" as it\'s required.',
      email: 'Please input "E-mail" as it\'s required.',
    })
    await expect.poll(() => document.activeElement).toBe(named('name'))
    expect(described(named('name'))).toContain('Please input "Name" as it\'s required.')

    await type(the.user, { name: 'Zhu Ming', email: 'zhu@' })
    await saveUser(the.user)
    await expect.poll(problems).toEqual({ email: 'Email format is invalid!' })
    await type(the.user, { email: 'ADMIN@alpha.example' })
    await the.user.click(named('name'))
    await expect.poll(problems).toEqual({ email: 'User with the same email exists already.' })

    await type(the.user, { email: 'zhu.ming@alpha.example' })
    await the.user.selectOptions(named('title'), 'Ms')
    await the.user.click(within(await dialog()).getByLabelText('Order'))
    await saveUser(the.user)
    await created('Zhu Ming')
    await closed()
    await expect.poll(() => rowOf('Zhu Ming')?.textContent).toMatch(/Zhu Ming.*Not activated.*Order/)
  })

  nightly(
    'is shown on top when created, whatever page and filter, and marked as new until the list is asked again',
    async () => {
      await openList('?statusType=-1')
      const create = async (name: string) => {
        await the.user.click(button('New user'))
        await dialog()
        await type(the.user, { name, email: `${name.toLowerCase().replace(' ', '.')}@alpha.example` })
        await saveUser(the.user)
        await closed()
      }
      await create('Zoe Last')
      await expect.poll(() => namesShown()[0]).toBe('Zoe LastNew')
      await create('Zoe Later')
      await expect.poll(() => namesShown().slice(0, 2)).toEqual(['Zoe LaterNew', 'Zoe LastNew'])

      // One that waits says so, and is new once the server has it.
      the.browser.goOffline()
      await create('Zoe Offline')
      await expect.poll(() => namesShown()[0]).toBe('Zoe OfflineWaiting to be created')
      the.browser.goOnline()
      await expect.poll(() => namesShown()[0]).toBe('Zoe OfflineNew')

      // Another view is another question.
      await the.user.click(button('Clear filters'))
      await expect.poll(() => namesShown().slice(-3)).toEqual(['Zoe Last', 'Zoe Later', 'Zoe Offline'])
      await create('Zoe Left')
      await expect.poll(() => namesShown()[0]).toBe('Zoe LeftNew')
      await the.user.click(screen.getAllByRole('link', { name: 'Home' })[0] as HTMLElement)
      await screen.findByRole('heading', { name: /^Good /, level: 1 })
      await the.user.click(screen.getAllByRole('link', { name: 'Users' })[0] as HTMLElement)
      await expect.poll(() => namesShown()).toContain('Zoe Left')
      expect(namesShown().join()).not.toContain('New')
    },
  )

  it('that the server refuses keeps its form, and is sent again as the same wish', async () => {
    await openList('?user=new')
    await dialog()
    await type(the.user, { name: 'Twice', email: 'user@alpha.example' })
    // As Enter does, before the field was left, so the server is the first to find out.
    named('email').form?.requestSubmit()
    await expect.poll(problems).toEqual({ email: 'User with the same email exists already.' })
    expect(named('name').value).toBe('Twice')
    await type(the.user, { email: 'twice@alpha.example' })
    named('email').form?.requestSubmit()
    await created('Twice')
    await expect.poll(() => namesShown().filter((row) => row.includes('Twice'))).toHaveLength(1)
    const intents = the.browser.sent
      .filter(({ method, path }) => method === 'POST' && path === '/api/m18s/user')
      .map(({ headers }) => headers['idempotency-intent'] ?? headers['idempotency-key'])
    expect(new Set(intents).size).toBe(1)
  })

  it('is edited as far as the locks of its state allow, and each lock says why (M38)', async () => {
    await openUser('invited@alpha')
    await text('The e-mail is the login name and cannot be changed.')
    expect([named('email').readOnly, named('name').readOnly]).toEqual([true, false])
    const save = within(await dialog()).getByRole('button', { name: 'Save changes' })
    expect(save.getAttribute('aria-disabled')).toBe('true')
    await type(the.user, { name: 'Adrian Lau Kwok-wah' })
    await saveUser(the.user)
    await said('Update successfully.')
    await closed()
    await expect.poll(() => rowOf('Adrian Lau Kwok-wah')).not.toBeUndefined()

    await the.browser.open(`/app/user?user=${idOf('user@alpha')}`)
    await text('Activated users change this in their own profile.')
    // The profile has no title to change (portal 2).
    await text('The title of an activated user cannot be changed.')
    expect([named('email').readOnly, named('name').readOnly]).toEqual([true, true])
    expect(named('title').disabled).toBe(true)

    await the.browser.open(`/app/user?user=${idOf('admin@alpha')}`)
    await text('You change your own name in My profile.')
    expect(within(await dialog()).getAllByText('You cannot change this on your own account.').length).toBeGreaterThan(0)
    expect(named('admin').disabled).toBe(true)
    expect(named('order').disabled).toBe(false)
    // An access level is for the provider's delete level to grant.
    expect(within(await dialog()).queryByText('Access level')).toBeNull()
  })

  it('is disabled, taken back by Undo, enabled and deleted, and only where its state allows (M39)', async () => {
    await openList()
    const name = nameOf('user')
    await userAction(the.user, name, 'Disable')
    await said('Disable successfully.')
    await expect.poll(() => rowOf(name)?.textContent).toContain('Disabled')
    await the.user.click(button('Undo'))
    await said('Enable successfully.')
    await expect.poll(() => rowOf(name)?.textContent).toContain('Activated')

    await the.user.click(button(`More for ${name}`))
    const mail = await screen.findByRole('menuitem', { name: /^Send activation mail/ })
    expect(mail.textContent).toContain('Only for a user who is not activated yet.')
    await the.user.keyboard('{Escape}')

    await userAction(the.user, name, 'Delete')
    await text(new RegExp(`${name} \\(user@alpha\\.example\\)`))
    const remove = async () => the.user.click(within(await dialog()).getByRole('button', { name: 'Delete user' }))
    // The e-mail and the code, both typed (M52).
    await remove()
    await expect.poll(problems).toEqual({ 'typed-value': 'Input Error!', 'typed-code': 'Input Error!' })
    await typeConfirmation(the.user, 'user@alpha.example')
    await remove()
    await said('Delete successfully.')
    await expect.poll(() => rowOf(name)).toBeUndefined()

    // Never oneself (portal 4).
    await the.user.click(button(`More for ${nameOf('admin')}`))
    for (const action of [/^Disable/, /^Delete/]) {
      const item = await screen.findByRole('menuitem', { name: action })
      expect(item.textContent).toContain('You cannot do this to your own account.')
    }
  })

  nightly(
    'who is not activated has the mail sent once more, and their form says how long its link works (M40, D75)',
    async () => {
      await openList()
      await userAction(the.user, nameOf('invited'), 'Send activation mail')
      await said('Send activation mail successfully.')
      await mailBox(() => the.server.app).fetch()
      await the.browser.open(`/app/user?user=${idOf('invited@alpha')}`)
      await text(/^Invited on 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d, not activated yet\.$/)
      await text(/^The link in the latest mail works until 20\d\d-/)
      await the.user.click(within(await dialog()).getByRole('button', { name: 'Send activation mail' }))
      await text('A new mail is on its way. It replaces the older link.')
    },
  )

  nightly('that somebody else changed in another field meanwhile keeps both changes (protocol 14)', async () => {
    await openUser('invited@alpha')
    await dialog()
    await type(the.user, { name: 'Adrian the First' })
    await changeElsewhere('invited@alpha', { alert: true })
    await saveUser(the.user)
    await said('Update successfully.')
    expect(await stored('invited@alpha')).toMatchObject({ name: 'Adrian the First', alert: true })
  })

  it('that somebody else changed in the same field is shown as it is now, what was typed still there (412)', async () => {
    await openUser('invited@alpha')
    await dialog()
    await type(the.user, { name: 'Andrew the First' })
    await changeElsewhere('invited@alpha', { name: 'Andrew of Theirs' })
    await saveUser(the.user)
    await text(/^This user was changed by somebody else in the meantime/)
    await text('Name: Andrew of Theirs')
    expect(named('name').value).toBe('Andrew the First')
    await saveUser(the.user)
    await said('Update successfully.')
    expect(await stored('invited@alpha')).toMatchObject({ name: 'Andrew the First' })
  })

  it('is kept on this device while there is no network, marked, and sent when it is back', async () => {
    await openUser('invited@alpha')
    await dialog()
    the.browser.goOffline()
    await expect
      .poll(() => document.querySelector('[role=dialog]')?.textContent)
      .toContain('Rights take effect at once, so changing this needs a connection.')
    await type(the.user, { name: 'Alan Yip Ho-man' })
    await saveUser(the.user)
    await screen.findByText(/^Saved on this device\./)
    await expect.poll(() => rowOf('Alan Yip Ho-man')?.querySelector('.pending-mark')).toBeTruthy()
    // The bar counts what waits by itself.
    await expect.poll(() => document.querySelector('.bar-waiting')).not.toBeNull()
    the.browser.goOnline()
    await expect.poll(() => document.querySelector('.pending-mark')).toBeNull()
    expect(await stored('invited@alpha')).toMatchObject({ name: 'Alan Yip Ho-man' })
  })

  it('cannot be kept on a device without room: its form says so before anything is typed, and saves at once when it is back', async () => {
    await openList()
    the.browser.goOffline()
    const [{ clearCache }, { thisDevice }] = await Promise.all([
      import('#local/space/clear-cache.ts'),
      import('#local/storage/device.ts'),
    ])
    await clearCache(thisDevice())
    const disk = fillDisk()
    onTestFinished(() => disk.mend())
    await the.user.click(button('New user'))
    const full = 'There is no space left on this device, so a change cannot be saved offline.'
    await expect.poll(() => document.querySelector('[role=dialog]')?.textContent).toContain(full)
    const save = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create user' })
    await expect.poll(() => described(save)).toBe('There is no space left on this device.')

    the.browser.goOnline()
    await expect.poll(() => screen.queryByText(full, { exact: false })).toBeNull()
    await type(the.user, { name: 'Aaron Ng', email: 'aaron.ng@alpha.example' })
    await saveUser(the.user)
    await created('Aaron Ng')
    const key = ({ headers: sent }: { headers: Record<string, string> }) => sent[headers.key]
    expect(the.browser.sent.filter((sent) => sent.path === '/api/m18s/user' && key(sent))).toHaveLength(1)
  })

  nightly('made offline and refused later stays on its row, and is mended in its form', async () => {
    await openList()
    the.browser.goOffline()
    await the.user.click(button('New user'))
    await text("You're offline: duplicates are checked when it is sent.")
    // Nobody on this device has the address; meanwhile another administrator gives it away.
    await sendElsewhere('POST', '/api/m18s/user', { title: 0, name: 'Somebody', email: 'a.ng@alpha.example' })
    await type(the.user, { name: 'Aaron Ng', email: 'a.ng@alpha.example' })
    await saveUser(the.user)
    await screen.findByText(/^Saved on this device\./)
    const mark = () => rowOf('Aaron Ng')?.querySelector('.pending-mark')
    await expect.poll(mark).toBeTruthy()
    the.browser.goOnline()
    await expect.poll(() => mark()?.textContent).toContain('Refused')
    await the.user.click(within(rowOf('Aaron Ng') as HTMLElement).getByRole('link'))
    await text('User with the same email exists already.')
    expect(named('name').value).toBe('Aaron Ng')
    await type(the.user, { email: 'aaron.ng@alpha.example' })
    await saveUser(the.user)
    await created('Aaron Ng')
    await expect.poll(() => document.querySelector('.pending-mark')).toBeNull()
    expect(namesShown().filter((row) => row.includes('Aaron Ng'))).toHaveLength(1)
  })

  nightly('that the address names and nobody has here says so, with a line and without', async () => {
    await openList()
    the.browser.goOffline()
    await the.browser.open('/app/user?user=999999')
    await screen.findByRole('dialog', { name: 'This user is not on this device' })
    the.browser.goOnline()
    await screen.findByRole('dialog', { name: 'There is no such user' })
    await the.user.keyboard('{Escape}')
    await closed()
  })

  it('of the provider is given an access level by the delete level, only with a connection (D48)', async () => {
    await openList(`?user=${idOf('user@m18')}`, 'delete@m18')
    await dialog()
    await the.user.selectOptions(named('access_level'), 'Debug')
    await saveUser(the.user)
    await said('Update successfully.')
    the.browser.goOffline()
    await the.browser.open(`/app/user?user=${idOf('user@m18')}`)
    await dialog()
    await expect.poll(() => named('access_level').disabled).toBe(true)
  })
})
