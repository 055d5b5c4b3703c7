import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { getNamedField, readProblems, typeValues, typeConfirmation } from '#tests/support/pages/fields.ts'
import { setUpPages, waitForAnswers } from '#tests/support/pages/screen.ts'
import { canaries, password } from '#tests/support/server/world.ts'

const fixture = setUpPages({ env: { STEP_UP: '1' } })
const press = async (name: string) => fixture.user.click(await screen.findByRole('button', { name }))
const disabledName = `${canaries.alpha} disabled`
/** Finds the menu button, even while a dialog hides it. */
const findRowMenu = () => screen.queryByRole('button', { name: `More for ${disabledName}`, hidden: true })

it('The password dialog interrupts an action: the password continues the action, closing cancels it (S-48)', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await press(`More for ${disabledName}`)
  await waitForAnswers()
  await fixture.user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const findConfirmDialog = async () => within(await screen.findByRole('dialog', { name: 'Confirm it is you' }))
  await typeConfirmation(fixture.user, 'disabled@alpha.example')
  await press('Delete user')
  await (await findConfirmDialog()).findByLabelText('Password')
  await fixture.user.keyboard('{Escape}')
  await screen.findByText('Enter your password again to continue.', { exact: false })
  await expect.poll(findRowMenu).not.toBeNull()

  await press('Delete user')
  await (await findConfirmDialog()).findByLabelText('Password')
  await typeValues(fixture.user, { password: 'Not-the-one-44' })
  await press('Continue')
  await expect.poll(readProblems).toEqual({ password: 'The password is wrong.' })
  await typeValues(fixture.user, { password })
  await press('Continue')
  await screen.findByText('Delete successfully.')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await expect.poll(findRowMenu).toBeNull()
})

it('Resending a waiting admin invitation asks for the password (fault 17b)', async () => {
  await fixture.browser.openAs('admin@alpha', '/app/user')
  await screen.findByRole('button', { name: `More for ${disabledName}` })
  await press('New user')
  await screen.findByLabelText('E-mail')
  await typeValues(fixture.user, { name: 'Ann', email: 'ann@alpha.example' })
  await fixture.user.click(getNamedField('admin'))
  fixture.browser.goOffline()
  await press('Save on this device')
  await expect.poll(() => screen.queryByLabelText('E-mail')).toBeNull()
  fixture.browser.goOnline()
  await fixture.browser.open('/app/outbox')
  await screen.findByText('Enter your password again to continue.', { exact: false })
  await waitForAnswers()
  await press('Edit and resend')
  await screen.findByLabelText('E-mail')
  await press('Create user')
  const confirmDialog = within(await screen.findByRole('dialog', { name: 'Confirm it is you' }))
  await confirmDialog.findByLabelText('Password')
  await typeValues(fixture.user, { password })
  await press('Continue')
  await expect.poll(readInvitedAdmins).toEqual([true])
})

const readInvitedAdmins = async () =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
    const rows = await db.selectFrom('portal_user').select('admin').where('name', '=', 'Ann').execute()
    return rows.map(({ admin }) => admin)
  })
