import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getButton, findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { saveUser } from '#tests/support/pages/users.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()

it('"This device" shows only how many changes of other users are waiting (protocol 30)', async () => {
  await fixture.browser.openAs('admin@alpha', `/app/user?user=${fixture.server.world.users['user@alpha']}`)
  await screen.findByRole('dialog', { name: /^Edit / })
  fixture.browser.goOffline()
  await fixture.user.click(screen.getByLabelText('Alert'))
  await saveUser(fixture.user)
  await screen.findByText(/^Saved on this device\./)
  await fixture.browser.open('/logout')
  await findHeading('1 change has not been sent yet')
  await fixture.user.click(getButton('Keep and log out'))
  await findHeading('You are logged out')

  fixture.browser.goOnline()
  await fixture.browser.openAs('admin@beta', '/app/device')
  await screen.findByText(
    /^1 change of another person is stored here, encrypted until they log in on this device again\.$/,
  )
  expect(document.body.textContent).not.toContain(canaries.alpha)
  await fixture.browser.open('/app/outbox')
  await findHeading('Waiting changes')
  expect(document.body.textContent).not.toContain(canaries.alpha)

  // The user's own entries are shown again after the next login.
  await fixture.browser.openAs('admin@alpha', '/app/outbox')
  const readReceipts = () => document.querySelector('.receipts')?.textContent
  await expect.poll(readReceipts).toMatch(new RegExp(`${canaries.alpha} user.*Done`))
  expect(await readUser(fixture.server.app, fixture.server.world, 'user@alpha')).toMatchObject({ alert: true })
})
