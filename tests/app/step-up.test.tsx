import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { named, problems, type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { canaries, password } from '#tests/support/server/world.ts'

const the = setUpPages({ env: { STEP_UP: '1' } })
const press = async (name: string) => the.user.click(await screen.findByRole('button', { name }))
const disabled = `${canaries.alpha} disabled`
/** Whether or not a dialog stands before it. */
const row = () => screen.queryByRole('button', { name: `More for ${disabled}`, hidden: true })

it('the password once more is asked for over what is being done, which then goes on; closed, nothing happens (S-48)', async () => {
  await the.browser.openAs('admin@alpha', '/app/user')
  await press(`More for ${disabled}`)
  await the.user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const confirm = async () => within(await screen.findByRole('dialog', { name: 'Confirm it is you' }))
  await typeConfirmation(the.user, 'disabled@alpha.example')
  await press('Delete user')
  await (await confirm()).findByLabelText('Password')
  await the.user.keyboard('{Escape}')
  await screen.findByText('Enter your password again to continue.', { exact: false })
  await expect.poll(row).not.toBeNull()

  await press('Delete user')
  await (await confirm()).findByLabelText('Password')
  await type(the.user, { password: 'Not-the-one-44' })
  await press('Continue')
  await expect.poll(problems).toEqual({ password: 'The password is wrong.' })
  await type(the.user, { password })
  await press('Continue')
  await screen.findByText('Delete successfully.')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await expect.poll(row).toBeNull()
})

it('fault 17b an invitation as admin that waited offline asks for the password when its form is sent again', async () => {
  await the.browser.openAs('admin@alpha', '/app/user')
  await screen.findByRole('button', { name: `More for ${disabled}` })
  await press('New user')
  await screen.findByLabelText('E-mail')
  await type(the.user, { name: 'Ann', email: 'ann@alpha.example' })
  await the.user.click(named('admin'))
  the.browser.goOffline()
  await press('Create user')
  await expect.poll(() => screen.queryByLabelText('E-mail')).toBeNull()
  the.browser.goOnline()
  await the.browser.open('/app/outbox')
  await screen.findByText('Enter your password again to continue.', { exact: false })
  await press('Edit and resend')
  await screen.findByLabelText('E-mail')
  await press('Create user')
  const confirm = within(await screen.findByRole('dialog', { name: 'Confirm it is you' }))
  await confirm.findByLabelText('Password')
  await type(the.user, { password })
  await press('Continue')
  await expect.poll(invited).toEqual([true])
})

const invited = async () =>
  inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
    const rows = await db.selectFrom('portal_user').select('admin').where('name', '=', 'Ann').execute()
    return rows.map(({ admin }) => admin)
  })
