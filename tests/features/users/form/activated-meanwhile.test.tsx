/** Tests changes of a user's name that meet a user who was activated meanwhile: in the drawer, and on the outbox page. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { lockUser, updateUser } from '#server/db/accounts/users.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { findRow, readNames, saveUser } from '#tests/support/pages/users.ts'

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

it('A user who is activated while their drawer is open is in conflict, and nothing typed is lost', async () => {
  const { server, browser, user } = fixture
  const id = server.world.users['invited@alpha'] ?? 0
  const companyId = server.world.companies.alpha
  await browser.openAs('admin@alpha', `/app/user?user=${id}`)
  const dialog = within(await screen.findByRole('dialog'))
  const nameInput = await dialog.findByLabelText('Name')
  await user.clear(nameInput)
  await user.paste('Adrian Lau')
  await user.click(dialog.getByRole('switch', { name: /Alert/ }))
  await writeAsSystem(server.app, async (db) => {
    const record = await lockUser(db, companyId, id)
    if (record) await updateUser(db, record, { status: userStatus.activated })
  })

  await saveUser(user)
  await dialog.findByText('This user was changed by somebody else in the meantime')
  expect(dialog.queryByLabelText('Name')).toBeNull()
  expect(dialog.getByText('You entered “Adrian Lau”. It is not saved.')).toBeTruthy()
  expect(dialog.queryByRole('region', { name: 'Invitation' })).toBeNull()
  expect(dialog.getByRole('switch', { name: /Alert/ })).toHaveProperty('checked', true)

  await saveUser(user)
  await expect.poll(() => document.querySelector('[role=dialog]')).toBe(null)
  const record = await writeAsSystem(server.app, (db) => lockUser(db, companyId, id))
  expect(record).toMatchObject({ status: userStatus.activated, alert: true })
  expect(record?.name).not.toBe('Adrian Lau')
})
