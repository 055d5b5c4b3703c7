/** Leaving with changes that the server does not have yet (M24). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { button, described, heading } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const choice = (label: string) => screen.getByRole<HTMLInputElement>('radio', { name: new RegExp(`^${label}`) })
const left = () => heading('You are logged out')
const isWarned = async () => (await readUser(the.server.app, the.server.world, 'user@alpha')).alert
const colleague = () => the.server.world.users['user@alpha'] ?? 0

/** One change of a colleague, made without a connection; then to where one leaves. */
beforeEach(async () => {
  await the.browser.openAs('admin@alpha', `/app/user?user=${colleague()}`)
  const dialog = await screen.findByRole('dialog', { name: /^Edit / })
  the.browser.goOffline()
  await the.user.click(within(dialog).getByLabelText('Alert'))
  await the.user.click(within(dialog).getByRole('button', { name: 'Save changes' }))
  await screen.findByText(/^Saved on this device\./)
  await the.browser.open('/logout')
  await heading('1 change has not been sent yet')
  await screen.findByText(/^It is safe on this device\./)
})

it('asks what is to become of it, and keeps it by default', async () => {
  await expect.poll(() => choice('Keep for my next login').checked).toBe(true)
  await the.user.click(button('Keep and log out'))
  await left()
  expect(await isWarned()).toBe(false)
  the.browser.goOnline()
  await the.browser.openAs('admin@alpha')
  await expect.poll(isWarned).toBe(true)
})

it('is spoken of on the login page: so much waits here, and so much is gone where the browser has cleared it', async () => {
  await the.user.click(button('Keep and log out'))
  await left()
  await the.browser.open('/login')
  await screen.findByText('1 change is waiting on this device. It is sent once its user logs in.')
  const { thisDevice } = await import('#local/storage/device.ts')
  for (const occupant of await thisDevice().directory.occupants.toArray())
    await Promise.all(
      thisDevice()
        .of(occupant)
        .tables.map((table) => table.clear()),
    )
  await the.browser.open('/login')
  await screen.findByText(/^1 change saved here is lost: the browser cleared its storage\./)
})

nightly('is spoken of on the login page with whose it is where the server has ended the session', async () => {
  await the.browser.open('/app/home')
  const { thisDevice } = await import('#local/storage/device.ts')
  const { endSession, readSession } = await import('#local/session/session.ts')
  const session = await readSession(thisDevice())
  expect(await endSession(thisDevice(), session?.generation ?? -1)).toBe(true)
  await screen.findByText(/^The session of .+ has ended\. Log in again to continue where you were\.$/)
  await screen.findByText(/^1 change of .+ is waiting on this device\. It is sent after login\.$/)
})

it('sends it first, as soon as there is a connection, and leaves then', async () => {
  await the.user.click(choice('Send now, then log out'))
  const send = button('Send and log out')
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true')
  expect(described(send)).toBe("You're offline, so nothing can be sent.")
  the.browser.goOnline()
  await left()
  expect(await isWarned()).toBe(true)
})

it('throws it away when that is said twice, and nobody ever gets it', async () => {
  await the.user.click(choice('Discard'))
  await the.user.click(button('Discard and log out'))
  await screen.findByText('1 change will be lost for good.')
  await the.user.click(button('Yes, discard and log out'))
  await left()
  the.browser.goOnline()
  await the.browser.openAs('admin@alpha')
  expect(document.querySelector('.bar-waiting')).toBeNull()
  expect(await isWarned()).toBe(false)
})
