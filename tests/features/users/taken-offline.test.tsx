/** A value that no two rows may have is refused without a connection where this device has it (fault 46). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { typeValues } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { readNames, saveUser } from '#tests/support/pages/users.ts'
import { readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const takenMessage = 'User with the same email exists already.'
const findDialog = () => screen.findByRole('dialog')

const waitForForm = () => expect.poll(() => document.querySelector('[role=dialog] [name=email]')).not.toBeNull()

async function openForm() {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
  await expect.poll(() => document.querySelector('.freshness')?.textContent).not.toContain('on this device')
  fixture.browser.goOffline()
  await fixture.browser.open('/app/user?user=new')
  await waitForForm()
}

it('fault 46e: the address of a user of the list, in other letters too, with the words of the server', async () => {
  const { email } = await readUser(fixture.server.app, fixture.server.world, 'second@alpha')
  await openForm()
  await typeValues(fixture.user, { name: 'Again', email: email.toUpperCase() })
  await saveUser(fixture.user)
  await within(await findDialog()).findByText(takenMessage)
  expect(screen.queryByRole('dialog')).not.toBeNull()
  await typeValues(fixture.user, { email: 'new@alpha.example' })
  await saveUser(fixture.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  // One that waits here is a user as well.
  await fixture.browser.open('/app/user?user=new')
  await waitForForm()
  await typeValues(fixture.user, { name: 'Twice', email: 'new@alpha.example' })
  await saveUser(fixture.user)
  await within(await findDialog()).findByText(takenMessage)
})

it('takes the address of a deleted user', async () => {
  const { email } = await readUser(fixture.server.app, fixture.server.world, 'deleted@alpha')
  await openForm()
  await typeValues(fixture.user, { name: 'Back', email })
  await saveUser(fixture.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
