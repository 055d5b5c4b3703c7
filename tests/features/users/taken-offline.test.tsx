/** A value that no two rows may have is refused without a connection where this device has it (fault 46). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { type } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { namesShown, saveUser } from '#tests/support/pages/users.ts'
import { readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const said = 'User with the same email exists already.'
const dialog = () => screen.findByRole('dialog')

const formIsThere = () => expect.poll(() => document.querySelector('[role=dialog] [name=email]')).not.toBeNull()

async function openForm() {
  await the.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => namesShown().length).toBeGreaterThan(0)
  await expect.poll(() => document.querySelector('.freshness')?.textContent).not.toContain('on this device')
  the.browser.goOffline()
  await the.browser.open('/app/user?user=new')
  await formIsThere()
}

it('fault 46e: the address of a user of the list, in other letters too, with the words of the server', async () => {
  const { email } = await readUser(the.server.app, the.server.world, 'second@alpha')
  await openForm()
  await type(the.user, { name: 'Again', email: email.toUpperCase() })
  await saveUser(the.user)
  await within(await dialog()).findByText(said)
  expect(screen.queryByRole('dialog')).not.toBeNull()
  await type(the.user, { email: 'new@alpha.example' })
  await saveUser(the.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  // One that waits here is a user as well.
  await the.browser.open('/app/user?user=new')
  await formIsThere()
  await type(the.user, { name: 'Twice', email: 'new@alpha.example' })
  await saveUser(the.user)
  await within(await dialog()).findByText(said)
})

it('takes the address of a deleted user', async () => {
  const { email } = await readUser(the.server.app, the.server.world, 'deleted@alpha')
  await openForm()
  await type(the.user, { name: 'Back', email })
  await saveUser(the.user)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
