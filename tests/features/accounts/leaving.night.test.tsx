/** Tests the logout with changes that the server does not have yet (M24). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { getButton, readDescription, findHeading } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const findChoice = (label: string) => screen.getByRole<HTMLInputElement>('radio', { name: new RegExp(`^${label}`) })
const waitForLogout = () => findHeading('You are logged out')
const readAlertFlag = async () => (await readUser(fixture.server.app, fixture.server.world, 'user@alpha')).alert
const getColleagueId = () => fixture.server.world.users['user@alpha'] ?? 0

/** Changes one user offline, then opens the logout page. */
beforeEach(async () => {
  await fixture.browser.openAs('admin@alpha', `/app/user?user=${getColleagueId()}`)
  const dialog = await screen.findByRole('dialog', { name: /^Edit / })
  fixture.browser.goOffline()
  await fixture.user.click(within(dialog).getByLabelText('Alert'))
  await fixture.user.click(await within(dialog).findByRole('button', { name: 'Save on this device' }))
  await screen.findByText(/^Saved on this device\./)
  await fixture.browser.open('/logout')
  await findHeading('1 change has not been sent yet')
  await screen.findByText(/^It is safe on this device\./)
})

it('Logout asks what to do with a waiting change, and by default keeps the change', async () => {
  await expect.poll(() => findChoice('Keep for my next login').checked).toBe(true)
  await fixture.user.click(getButton('Keep and log out'))
  await waitForLogout()
  expect(await readAlertFlag()).toBe(false)
  fixture.browser.goOnline()
  await fixture.browser.openAs('admin@alpha')
  await expect.poll(readAlertFlag).toBe(true)
})

it('The login page shows how many changes are waiting, and how many the browser has deleted', async () => {
  await fixture.user.click(getButton('Keep and log out'))
  await waitForLogout()
  await fixture.browser.open('/login')
  await screen.findByText('1 change is waiting on this device. It is sent once its user logs in.')
  const { getThisDevice } = await import('#local/storage/device.ts')
  for (const occupant of await getThisDevice().directory.occupants.toArray())
    await Promise.all(
      getThisDevice()
        .getDatabase(occupant)
        .tables.map((table) => table.clear()),
    )
  await fixture.browser.open('/login')
  await screen.findByText(/^1 change saved here is lost: the browser cleared its storage\./)
})

nightly('The login page names the owner of a waiting change after the server ended the session', async () => {
  await fixture.browser.open('/app/home')
  const { getThisDevice } = await import('#local/storage/device.ts')
  const { endSession, readSession } = await import('#local/session/session.ts')
  const session = await readSession(getThisDevice())
  expect(await endSession(getThisDevice(), session?.generation ?? -1)).toBe(true)
  await screen.findByText(/^The session of .+ has ended\. Log in again to continue where you were\.$/)
  await screen.findByText(/^1 change of .+ is waiting on this device\. It is sent after login\.$/)
})

it('"Send and log out" waits for a connection, sends the change and then logs out', async () => {
  await fixture.user.click(findChoice('Send now, then log out'))
  const sendButton = getButton('Send and log out')
  await expect.poll(() => sendButton.getAttribute('aria-disabled')).toBe('true')
  expect(readDescription(sendButton)).toBe("You're offline, so nothing can be sent.")
  fixture.browser.goOnline()
  await waitForLogout()
  expect(await readAlertFlag()).toBe(true)
})

it('Logout discards a waiting change only after a second confirmation', async () => {
  await fixture.user.click(findChoice('Discard'))
  await fixture.user.click(getButton('Discard and log out'))
  await screen.findByText('1 change will be lost for good.')
  await fixture.user.click(getButton('Yes, discard and log out'))
  await waitForLogout()
  fixture.browser.goOnline()
  await fixture.browser.openAs('admin@alpha')
  expect(document.querySelector('.bar-waiting')).toBeNull()
  expect(await readAlertFlag()).toBe(false)
})
