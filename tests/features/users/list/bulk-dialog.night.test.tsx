/** Tests an action on many users: the preview, and then the result for each user. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { readProblems, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { findRow, readNames } from '#tests/support/pages/users.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const toUserName = (role: string) => `${canaries.alpha} ${role}`
const withinDialog = () => within(screen.getByRole('dialog'))
const readLines = () =>
  [...document.querySelectorAll('[role=dialog] .many-list li')].map((line) => line.textContent?.replaceAll(/\s+/g, ' '))
const readSelectionCount = () => document.querySelector('.picks > p')?.textContent ?? null

async function openList(query = '') {
  await fixture.browser.openAs('admin@alpha', `/app/user${query}`)
  await expect.poll(() => readNames().length).toBeGreaterThan(0)
}
const selectUsers = async (...roles: string[]) => {
  for (const role of roles)
    await fixture.user.click(screen.getByRole('checkbox', { name: `Select ${toUserName(role)}` }))
}
const openAction = async (action: string) => {
  const selectionBar = await screen.findByRole('region', { name: 'Selected users' })
  await fixture.user.click(within(selectionBar).getByRole('button', { name: action }))
  await screen.findByRole('dialog')
}
const pressInDialog = async (label: string) =>
  fixture.user.click(await withinDialog().findByRole('button', { name: label }))
/** Presses the button as soon as the toast is displayed, because the toast disappears after a few seconds. */
const pressUndo = async (text: string) => {
  const toast = (await screen.findByText(text)).closest<HTMLElement>('.toast')
  await fixture.user.click(within(toast ?? document.body).getByRole('button', { name: 'Undo' }))
}

it('A bulk action names the omitted users with reasons, and then the result of each (M39, M41, C-16)', async () => {
  await openList()
  await selectUsers('user', 'order', 'disabled', 'admin')
  await openAction('Disable')
  await withinDialog().findByText('Disable 2 users?')
  expect(readLines().toSorted()).toEqual(
    [
      `${toUserName('user')} user@alpha.example`,
      `${toUserName('order')} order@alpha.example`,
      `${toUserName('disabled')} Only an activated user can be disabled.`,
      `${toUserName('admin')} You cannot do this to your own account.`,
    ].toSorted(),
  )
  await pressInDialog('Disable 2 users')
  await screen.findByText('2 users disabled')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  for (const role of ['user', 'order'])
    await expect.poll(() => findRow(toUserName(role))?.textContent).toContain('Disabled')
  // Users who were omitted from the action are still selected.
  await expect.poll(readSelectionCount).toBe('2 selected')

  await selectUsers('user', 'order')
  await openAction('Enable')
  await pressInDialog('Enable 3 users')
  await pressUndo('3 users enabled')
  await screen.findByText('Undone: 3 users are as before')
  await expect.poll(() => findRow(toUserName('disabled'))?.textContent).toContain('Disabled')
})

it('A bulk action shows a refusal at the user it concerns', async () => {
  await openList('?statusType=0')
  for (const roles of [['invited'], ['invited'], ['invited'], ['invited', 'waiting']]) {
    await selectUsers(...roles)
    await openAction('Send activation mail')
    await pressInDialog(roles.length === 1 ? 'Send 1 mail' : 'Send 2 mails')
    // Only a refusal needs a dialog.
    if (roles.length === 1) await screen.findByText('1 activation mail sent')
    else await withinDialog().findByText('1 done · 1 not done')
    if (roles.length === 1) await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  }
  const resultLines = readLines()
  expect(resultLines).toContainEqual(
    expect.stringMatching(
      new RegExp(
        `^${toUserName('invited')}\\s*This address has reached its limit of mails for now. Try again in \\d+ min`,
      ),
    ),
  )
  expect(resultLines).toContainEqual(expect.stringMatching(new RegExp(`^${toUserName('waiting')}\\s*Done$`)))
})

nightly('A bulk deletion offline queues one write per user and sends each when the connection is back', async () => {
  await openList()
  fixture.browser.goOffline()
  await selectUsers('user', 'order', 'second')
  await openAction('Delete')
  await withinDialog().findByText(/^You're offline: each change is saved/)
  // Before many users are deleted, their number and the code must be typed (M52).
  await pressInDialog('Delete 3 users')
  await expect.poll(readProblems).toEqual({ 'typed-value': 'Input Error!', 'typed-code': 'Input Error!' })
  await typeConfirmation(fixture.user, '3')
  await pressInDialog('Delete 3 users')
  await screen.findByText('3 waiting to be sent')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  const findWaitingMark = () => document.querySelector('.bar-waiting')
  await expect.poll(() => findWaitingMark()?.textContent).toContain('3')
  for (const role of ['user', 'order', 'second']) await expect.poll(() => findRow(toUserName(role))).toBeUndefined()
  fixture.browser.goOnline()
  await expect.poll(findWaitingMark).toBeNull()
  for (const role of ['user', 'order', 'second'])
    expect(await readUser(fixture.server.app, fixture.server.world, `${role}@alpha`)).toMatchObject({ status: -2 })
})

nightly('Roles except admin are changed offline too: each write waits and is sent later', async () => {
  await openList()
  fixture.browser.goOffline()
  await selectUsers('user', 'second')
  await openAction('Change roles')
  const withinRole = (flag: string) => within(withinDialog().getByRole('group', { name: flag }))
  expect(
    withinRole('Admin')
      .getAllByRole<HTMLInputElement>('radio')
      .map(({ disabled }) => disabled),
  ).toEqual([true, true, true])
  withinRole('Admin').getByText('Rights take effect at once, so changing this needs a connection.')
  await fixture.user.click(withinRole('Alert').getByRole('radio', { name: 'Add' }))
  await withinDialog().findByText(/^You're offline: each change is saved/)
  await pressInDialog('Apply to 2 users')
  await screen.findByText('2 waiting to be sent')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  for (const role of ['user', 'second'])
    await expect.poll(() => findRow(toUserName(role))?.textContent).toContain('Alert')
  fixture.browser.goOnline()
  for (const role of ['user', 'second'])
    await expect
      .poll(() => readUser(fixture.server.app, fixture.server.world, `${role}@alpha`))
      .toMatchObject({ alert: true })
  await expect.poll(() => document.querySelector('.bar-waiting')).toBeNull()
})

it('Roles given to several users are reported by a toast, and taken back by its undo', async () => {
  await openList()
  await selectUsers('user', 'second')
  await openAction('Change roles')
  const alertRole = within(withinDialog().getByRole('group', { name: 'Alert' }))
  await fixture.user.click(alertRole.getByRole('radio', { name: 'Add' }))
  await pressInDialog('Apply to 2 users')
  await pressUndo('2 users now get alerts')
  await screen.findByText('Undone: 2 users are as before')
  for (const role of ['user', 'second'])
    expect(await readUser(fixture.server.app, fixture.server.world, `${role}@alpha`)).toMatchObject({ alert: false })
})
