/** Tests a refused change of a user's name on the outbox page, after that user was activated. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { findRow, readNames } from '#tests/support/pages/users.ts'

const fixture = setUpPages()

it('The reason of a refusal is above the form if its input has become a plain line', async () => {
  const id = fixture.server.world.users['invited@alpha'] ?? 0
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
  fixture.browser.goOffline()
  const { api } = await import('#app/connection/api.ts')
  await api.call(updateCompanyUser, { params: { id }, body: { name: 'Adrian Lau' } })
  await writeAsSystem(fixture.server.app, (db) =>
    db.updateTable('portal_user').set({ status: userStatus.activated }).where('id', '=', id).execute(),
  )
  fixture.browser.goOnline()
  await fixture.browser.open('/app/user')
  // The form uses the row of this device.
  await expect.poll(() => findRow('invited@alpha.example')?.textContent).toMatch(/Activated/)
  await fixture.browser.open('/app/outbox')
  await fixture.user.click(await screen.findByRole('button', { name: 'Edit and resend' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Name')).toBeNull()
  await dialog.findByRole('alert')
})
