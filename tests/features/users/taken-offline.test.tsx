/** Tests that a duplicate of a unique value is refused offline if this device has the other row (fault 46). */
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

it("The form reports an e-mail of a cached user, ignoring case, with the server's message (fault 46e)", async () => {
  const { email } = await readUser(fixture.server.app, fixture.server.world, 'second@alpha')
  await openForm()
  await typeValues(fixture.user, { name: 'Again', email: email.toUpperCase() })
  await saveUser(fixture.user)
  await within(await findDialog()).findByText(takenMessage)
  expect(screen.queryByRole('dialog')).not.toBeNull()
  await typeValues(fixture.user, { email: 'new@alpha.example' })
  await saveUser(fixture.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  // The e-mail of a user whose creation is waiting is a duplicate too.
  await fixture.browser.open('/app/user?user=new')
  await waitForForm()
  await typeValues(fixture.user, { name: 'Twice', email: 'new@alpha.example' })
  await saveUser(fixture.user)
  await within(await findDialog()).findByText(takenMessage)
})

it('The form accepts the e-mail of a deleted user', async () => {
  const { email } = await readUser(fixture.server.app, fixture.server.world, 'deleted@alpha')
  await openForm()
  await typeValues(fixture.user, { name: 'Back', email })
  await saveUser(fixture.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
