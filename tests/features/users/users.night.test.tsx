/** Tests the user pages: the form with its locks and messages, and the result of a change. */
import { screen, within } from '@testing-library/dom'
import { describe, expect, it, onTestFinished } from 'vitest'
import { headers } from '#contract/headers.ts'
import {
  getButton,
  readDescription,
  getNamedField,
  readProblems,
  typeValues,
  typeConfirmation,
} from '#tests/support/pages/fields.ts'
import { fillDisk } from '#tests/support/device/full-disk.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { findRow, readNames, saveUser, userAction } from '#tests/support/pages/users.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const toUserName = (role: string) => `${canaries.alpha} ${role}`
const getUserId = (userName: string) => fixture.server.world.users[userName] ?? 0
const openList = async (query = '', userName = 'admin@alpha') => {
  await fixture.browser.openAs(userName, `/app/user${query}`)
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
}
const openUser = (userName: string) => openList(`?user=${getUserId(userName)}`)
const findDialog = () => screen.findByRole('dialog')
const findDialogText = async (expectedText: string | RegExp) => within(await findDialog()).findByText(expectedText)
const waitUntilClosed = () => expect.poll(() => screen.queryByRole('dialog')).toBeNull()
const waitForText = (expectedText: string) => screen.findByText(expectedText)
/** Expects a message that names the created user and links to it. */
const expectCreatedToast = async (name: string) => {
  const toast = await waitForText(`Create successfully. ${name} –`)
  within(toast).getByRole('link', { name: `Open ${name}` })
}
const readStoredUser = (userName: string) => readUser(fixture.server.app, fixture.server.world, userName)
/** Sends a request as another administrator. */
const sendElsewhere = async (method: 'POST' | 'PUT', url: string, payload: object) => {
  const { send } = await fixture.server.signIn('second@alpha')
  expect((await send({ method, url, payload })).statusCode).toBe(200)
}
const changeElsewhere = (userName: string, payload: object) =>
  sendElsewhere('PUT', `/api/m18s/company-user/${getUserId(userName)}`, payload)

describe('a user', () => {
  it('is created with the specified checks, and a used e-mail is reported before sending (M37)', async () => {
    await openList()
    await fixture.user.click(getButton('New user'))
    await waitForPath(fixture.browser, '/app/user?user=new')
    await findDialog()
    await saveUser(fixture.user)
    await expect.poll(readProblems).toEqual({
      name: 'Please input "Name" as it\'s required.',
      email: 'Please input "E-mail" as it\'s required.',
    })
    await expect.poll(() => document.activeElement).toBe(getNamedField('name'))
    expect(readDescription(getNamedField('name'))).toContain('Please input "Name" as it\'s required.')

    await typeValues(fixture.user, { name: 'Zhu Ming', email: 'zhu@' })
    await saveUser(fixture.user)
    await expect.poll(readProblems).toEqual({ email: 'Email format is invalid!' })
    await typeValues(fixture.user, { email: 'ADMIN@alpha.example' })
    await fixture.user.click(getNamedField('name'))
    await expect.poll(readProblems).toEqual({ email: 'User with the same email exists already.' })

    await typeValues(fixture.user, { email: 'zhu.ming@alpha.example' })
    await fixture.user.selectOptions(getNamedField('title'), 'Ms')
    await fixture.user.click(within(await findDialog()).getByLabelText('Order'))
    await saveUser(fixture.user)
    await expectCreatedToast('Zhu Ming')
    await waitUntilClosed()
    await expect.poll(() => findRow('Zhu Ming')?.textContent).toMatch(/Zhu Ming.*Not activated.*Order/)
  })

  nightly('is shown first after its creation, on any page and filter, until the list is loaded again', async () => {
    await openList('?statusType=-1')
    const createByForm = async (name: string) => {
      await fixture.user.click(getButton('New user'))
      await findDialog()
      await typeValues(fixture.user, { name, email: `${name.toLowerCase().replace(' ', '.')}@alpha.example` })
      await saveUser(fixture.user)
      await waitUntilClosed()
    }
    await createByForm('Zoe Last')
    await expect.poll(() => readNames()[0]).toBe('Zoe LastNew')
    await createByForm('Zoe Later')
    await expect.poll(() => readNames().slice(0, 2)).toEqual(['Zoe LaterNew', 'Zoe LastNew'])

    // A waiting row is marked as waiting, and as new once the server has created it.
    fixture.browser.goOffline()
    await createByForm('Zoe Offline')
    await expect.poll(() => readNames()[0]).toBe('Zoe OfflineWaiting to be created')
    fixture.browser.goOnline()
    await expect.poll(() => readNames()[0]).toBe('Zoe OfflineNew')

    // Another view loads the list again.
    await fixture.user.click(getButton('Clear filters'))
    await expect.poll(() => readNames().slice(-3)).toEqual(['Zoe Last', 'Zoe Later', 'Zoe Offline'])
    await createByForm('Zoe Left')
    await expect.poll(() => readNames()[0]).toBe('Zoe LeftNew')
    await fixture.user.click(screen.getAllByRole('link', { name: 'Home' })[0] as HTMLElement)
    await screen.findByRole('heading', { name: 'Home', level: 1 })
    await fixture.user.click(screen.getAllByRole('link', { name: 'Users' })[0] as HTMLElement)
    await expect.poll(() => readNames()).toContain('Zoe Left')
    expect(readNames().join()).not.toContain('New')
  })

  it('keeps the form after a refusal by the server, and is sent again with the same intent', async () => {
    await openList('?user=new')
    await findDialog()
    await typeValues(fixture.user, { name: 'Twice', email: 'user@alpha.example' })
    // Submits as Enter does, without leaving the field, so the server detects the duplicate first.
    getNamedField('email').form?.requestSubmit()
    await expect.poll(readProblems).toEqual({ email: 'User with the same email exists already.' })
    expect(getNamedField('name').value).toBe('Twice')
    await typeValues(fixture.user, { email: 'twice@alpha.example' })
    getNamedField('email').form?.requestSubmit()
    await expectCreatedToast('Twice')
    await expect.poll(() => readNames().filter((row) => row.includes('Twice'))).toHaveLength(1)
    const requestKeys = fixture.browser.sentRequests
      .filter(({ method, path }) => method === 'POST' && path === '/api/m18s/user')
      .map(({ headers }) => headers['idempotency-intent'] ?? headers['idempotency-key'])
    expect(new Set(requestKeys).size).toBe(1)
  })

  it('is edited except for its locked fields, and each lock shows its reason (M38)', async () => {
    await openUser('invited@alpha')
    await findDialogText('The e-mail is the login name and cannot be changed.')
    expect([getNamedField('email').readOnly, getNamedField('name').readOnly]).toEqual([true, false])
    const saveButton = within(await findDialog()).getByRole('button', { name: 'Save changes' })
    expect(saveButton.getAttribute('aria-disabled')).toBe('true')
    await typeValues(fixture.user, { name: 'Adrian Lau Kwok-wah' })
    await saveUser(fixture.user)
    await waitForText('Update successfully.')
    await waitUntilClosed()
    await expect.poll(() => findRow('Adrian Lau Kwok-wah')).not.toBeUndefined()

    await fixture.browser.open(`/app/user?user=${getUserId('user@alpha')}`)
    await findDialogText('Activated users change this in their own profile.')
    // Name, e-mail and title are plain lines, with one sentence for all three.
    const facts = [...(await findDialog()).querySelectorAll('.user-facts dd')].map(({ textContent }) => textContent)
    expect(facts).toEqual([toUserName('user'), 'user@alpha.example', 'Mr'])
    expect(document.querySelector('[role=dialog] :is([name=name], [name=email], [name=title])')).toBeNull()

    await fixture.browser.open(`/app/user?user=${getUserId('admin@alpha')}`)
    await findDialogText('You change your own name in My account.')
    expect(
      within(await findDialog()).getAllByText('You cannot change this on your own account.').length,
    ).toBeGreaterThan(0)
    expect(getNamedField('admin').disabled).toBe(true)
    expect(getNamedField('order').disabled).toBe(false)
    // Only users of the provider with the delete level can grant an access level.
    expect(within(await findDialog()).queryByText('Access level')).toBeNull()
  })

  it('is disabled, restored by "Undo", enabled and deleted, only where its state allows (M39)', async () => {
    await openList()
    const name = toUserName('user')
    await userAction(fixture.user, name, 'Disable')
    await waitForText('Disable successfully.')
    await expect.poll(() => findRow(name)?.textContent).toContain('Disabled')
    await fixture.user.click(getButton('Undo'))
    await waitForText('Enable successfully.')
    await expect.poll(() => findRow(name)?.textContent).toContain('Activated')

    await fixture.user.click(getButton(`More for ${name}`))
    const mailItem = await screen.findByRole('menuitem', { name: /^Send activation mail/ })
    expect(mailItem.textContent).toContain('Only for a user who is not activated yet.')
    await fixture.user.keyboard('{Escape}')

    await userAction(fixture.user, name, 'Delete')
    await findDialogText(new RegExp(`${name} \\(user@alpha\\.example\\)`))
    const pressDelete = async () =>
      fixture.user.click(within(await findDialog()).getByRole('button', { name: 'Delete user' }))
    // The e-mail and the code must be typed (M52).
    await pressDelete()
    await expect.poll(readProblems).toEqual({ 'typed-value': 'Input Error!', 'typed-code': 'Input Error!' })
    await typeConfirmation(fixture.user, 'user@alpha.example')
    await pressDelete()
    await waitForText('Delete successfully.')
    await expect.poll(() => findRow(name)).toBeUndefined()

    // A user cannot disable or delete their own account (portal 4).
    await fixture.user.click(getButton(`More for ${toUserName('admin')}`))
    for (const action of [/^Disable/, /^Delete/]) {
      const item = await screen.findByRole('menuitem', { name: action })
      expect(item.textContent).toContain('You cannot do this to your own account.')
    }
  })

  nightly(
    'gets the activation mail again if not activated, and its form shows until when the link works (M40, D75)',
    async () => {
      await openList()
      await userAction(fixture.user, toUserName('invited'), 'Send activation mail')
      await waitForText('Send activation mail successfully.')
      await createMailBox(() => fixture.server.app).fetch()
      await fixture.browser.open(`/app/user?user=${getUserId('invited@alpha')}`)
      await findDialogText(/^Invited on 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d, not activated yet\.$/)
      await findDialogText(/^The link in the latest mail works until 20\d\d-/)
      await fixture.user.click(within(await findDialog()).getByRole('button', { name: 'Send activation mail' }))
      await findDialogText('A new mail is on its way. It replaces the older link.')
    },
  )

  nightly('keeps both changes if another user changed a different field meanwhile (protocol 14)', async () => {
    await openUser('invited@alpha')
    await findDialog()
    await typeValues(fixture.user, { name: 'Adrian the First' })
    await changeElsewhere('invited@alpha', { alert: true })
    await saveUser(fixture.user)
    await waitForText('Update successfully.')
    expect(await readStoredUser('invited@alpha')).toMatchObject({ name: 'Adrian the First', alert: true })
  })

  it("shows the server's value if another user changed the same field, and keeps the input (412)", async () => {
    await openUser('invited@alpha')
    await findDialog()
    await typeValues(fixture.user, { name: 'Andrew the First' })
    await changeElsewhere('invited@alpha', { name: 'Andrew of Theirs' })
    await saveUser(fixture.user)
    await findDialogText(/^This user was changed by somebody else in the meantime/)
    await findDialogText('Name: Andrew of Theirs')
    expect(getNamedField('name').value).toBe('Andrew the First')
    await saveUser(fixture.user)
    await waitForText('Update successfully.')
    expect(await readStoredUser('invited@alpha')).toMatchObject({ name: 'Andrew the First' })
  })

  it('is saved on the device while there is no network, marked as waiting, and sent later', async () => {
    await openUser('invited@alpha')
    await findDialog()
    fixture.browser.goOffline()
    await expect
      .poll(() => document.querySelector('[role=dialog]')?.textContent)
      .toContain('Rights take effect at once, so changing this needs a connection.')
    await typeValues(fixture.user, { name: 'Alan Yip Ho-man' })
    await saveUser(fixture.user)
    await screen.findByText(/^Saved on this device\./)
    await expect.poll(() => findRow('Alan Yip Ho-man')?.querySelector('.pending-mark')).toBeTruthy()
    // The top bar updates its count of waiting changes by itself.
    await expect.poll(() => document.querySelector('.bar-waiting')).not.toBeNull()
    fixture.browser.goOnline()
    await expect.poll(() => document.querySelector('.pending-mark')).toBeNull()
    expect(await readStoredUser('invited@alpha')).toMatchObject({ name: 'Alan Yip Ho-man' })
  })

  it('cannot be saved on a full device: the form warns before input, and saves once online', async () => {
    await openList()
    fixture.browser.goOffline()
    const [{ clearCache }, { getThisDevice }] = await Promise.all([
      import('#local/space/clear-cache.ts'),
      import('#local/storage/device.ts'),
    ])
    await clearCache(getThisDevice())
    const disk = fillDisk()
    onTestFinished(() => disk.repair())
    await fixture.user.click(getButton('New user'))
    const noSpaceMessage = 'There is no space left on this device, so a change cannot be saved offline.'
    await expect.poll(() => document.querySelector('[role=dialog]')?.textContent).toContain(noSpaceMessage)
    const saveButton = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create user' })
    await expect.poll(() => readDescription(saveButton)).toBe('There is no space left on this device.')

    fixture.browser.goOnline()
    await expect.poll(() => screen.queryByText(noSpaceMessage, { exact: false })).toBeNull()
    await typeValues(fixture.user, { name: 'Aaron Ng', email: 'aaron.ng@alpha.example' })
    await saveUser(fixture.user)
    await expectCreatedToast('Aaron Ng')
    const getIdempotencyKey = ({ headers: requestHeaders }: { headers: Record<string, string> }) =>
      requestHeaders[headers.key]
    expect(
      fixture.browser.sentRequests.filter((sent) => sent.path === '/api/m18s/user' && getIdempotencyKey(sent)),
    ).toHaveLength(1)
  })

  nightly(
    'stays in the list if it was created offline and refused later, and can be corrected in its form',
    async () => {
      await openList()
      fixture.browser.goOffline()
      await fixture.user.click(getButton('New user'))
      await findDialogText("You're offline: duplicates are checked when it is sent.")
      // Nobody on this device has the e-mail. Meanwhile another administrator creates a user with it.
      await sendElsewhere('POST', '/api/m18s/user', { title: 0, name: 'Somebody', email: 'a.ng@alpha.example' })
      await typeValues(fixture.user, { name: 'Aaron Ng', email: 'a.ng@alpha.example' })
      await saveUser(fixture.user)
      await screen.findByText(/^Saved on this device\./)
      const findPendingMark = () => findRow('Aaron Ng')?.querySelector('.pending-mark')
      await expect.poll(findPendingMark).toBeTruthy()
      fixture.browser.goOnline()
      await expect.poll(() => findPendingMark()?.textContent).toContain('Refused')
      await fixture.user.click(within(findRow('Aaron Ng') as HTMLElement).getByRole('link'))
      await findDialogText('User with the same email exists already.')
      expect(getNamedField('name').value).toBe('Aaron Ng')
      await typeValues(fixture.user, { email: 'aaron.ng@alpha.example' })
      await saveUser(fixture.user)
      await expectCreatedToast('Aaron Ng')
      await expect.poll(() => document.querySelector('.pending-mark')).toBeNull()
      expect(readNames().filter((row) => row.includes('Aaron Ng'))).toHaveLength(1)
    },
  )

  nightly('is reported as missing if the id in the address is unknown, online and offline', async () => {
    await openList()
    fixture.browser.goOffline()
    await fixture.browser.open('/app/user?user=999999')
    await screen.findByRole('dialog', { name: 'This user is not on this device' })
    fixture.browser.goOnline()
    await screen.findByRole('dialog', { name: 'There is no such user' })
    await fixture.user.keyboard('{Escape}')
    await waitUntilClosed()
  })

  it('of the provider can get an access level only from the delete level, and only online (D48)', async () => {
    await openList(`?user=${getUserId('user@m18')}`, 'delete@m18')
    await findDialog()
    await fixture.user.selectOptions(getNamedField('access_level'), 'Debug')
    await saveUser(fixture.user)
    await waitForText('Update successfully.')
    fixture.browser.goOffline()
    await fixture.browser.open(`/app/user?user=${getUserId('user@m18')}`)
    await findDialog()
    await expect.poll(() => getNamedField('access_level').disabled).toBe(true)
  })
})
