/** One action on many users: said before, each with its own verdict afterwards. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { problems, typeConfirmation } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { rowOf, namesShown } from '#tests/support/pages/users.ts'
import { canaries, readUser } from '#tests/support/server/world.ts'

const the = setUpPages()
const name = (role: string) => `${canaries.alpha} ${role}`
const dialog = () => within(screen.getByRole('dialog'))
const lines = () =>
  [...document.querySelectorAll('[role=dialog] .many-list li')].map((line) => line.textContent?.replaceAll(/\s+/g, ' '))
const counted = () => document.querySelector('.picks > p')?.textContent ?? null

async function enter(query = '') {
  await the.browser.openAs('admin@alpha', `/app/user${query}`)
  await expect.poll(() => namesShown().length).toBeGreaterThan(0)
}
const pick = async (...roles: string[]) => {
  for (const role of roles) await the.user.click(screen.getByRole('checkbox', { name: `Select ${name(role)}` }))
}
const act = async (action: string) => {
  const bar = await screen.findByRole('region', { name: 'Selected users' })
  await the.user.click(within(bar).getByRole('button', { name: action }))
  await screen.findByRole('dialog')
}
const press = async (label: string) => the.user.click(await dialog().findByRole('button', { name: label }))
const close = async () => {
  const [last] = dialog().getAllByRole('button', { name: 'Close' }).slice(-1)
  await the.user.click(last as HTMLElement)
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
}

it('names who is left out and why, and afterwards what became of each (M39, M41, C-16)', async () => {
  await enter()
  await pick('user', 'order', 'disabled', 'admin')
  await act('Disable')
  await dialog().findByText('Disable 2 users?')
  expect(lines().toSorted()).toEqual(
    [
      `${name('user')} user@alpha.example`,
      `${name('order')} order@alpha.example`,
      `${name('disabled')} Only an activated user can be disabled.`,
      `${name('admin')} You cannot do this to your own account.`,
    ].toSorted(),
  )
  await press('Disable 2 users')
  await dialog().findByText('2 done')
  await close()
  for (const role of ['user', 'order']) await expect.poll(() => rowOf(name(role))?.textContent).toContain('Disabled')
  // Who was left out is chosen still.
  await expect.poll(counted).toBe('2 selected')

  await pick('user', 'order')
  await act('Enable')
  await press('Enable 3 users')
  await dialog().findByText('3 done')
  await close()
  await expect.poll(() => rowOf(name('disabled'))?.textContent).toContain('Activated')
})

it('that one of them is refused says it of that one, in words', async () => {
  await enter('?statusType=0')
  for (const roles of [['invited'], ['invited'], ['invited'], ['invited', 'waiting']]) {
    await pick(...roles)
    await act('Send activation mail')
    await press(roles.length === 1 ? 'Send 1 mail' : 'Send 2 mails')
    await dialog().findByText(roles.length === 1 ? '1 done' : '1 done · 1 not done')
    if (roles.length === 1) await close()
  }
  const verdicts = lines()
  expect(verdicts).toContainEqual(
    expect.stringMatching(
      new RegExp(`^${name('invited')}\\s*This address has reached its limit of mails for now. Try again in \\d+ min`),
    ),
  )
  expect(verdicts).toContainEqual(expect.stringMatching(new RegExp(`^${name('waiting')}\\s*Done$`)))
})

nightly('waits write by write while there is no line, and each is sent when it is back', async () => {
  await enter()
  the.browser.goOffline()
  await pick('user', 'order', 'second')
  await act('Delete')
  await dialog().findByText(/^You're offline: each change is saved/)
  // Only the number and the code, both typed, delete many (M52).
  await press('Delete 3 users')
  await expect.poll(problems).toEqual({ 'typed-value': 'Input Error!', 'typed-code': 'Input Error!' })
  await typeConfirmation(the.user, '3')
  await press('Delete 3 users')
  await screen.findByText('3 waiting to be sent')
  await close()
  const waiting = () => document.querySelector('.bar-waiting')
  await expect.poll(() => waiting()?.textContent).toContain('3')
  for (const role of ['user', 'order', 'second']) await expect.poll(() => rowOf(name(role))).toBeUndefined()
  the.browser.goOnline()
  await expect.poll(waiting).toBeNull()
  for (const role of ['user', 'order', 'second'])
    expect(await readUser(the.server.app, the.server.world, `${role}@alpha`)).toMatchObject({ status: -2 })
})

nightly(
  'roles are changed without a line too, except who is an admin: each waits, and is sent when it is back',
  async () => {
    await enter()
    the.browser.goOffline()
    await pick('user', 'second')
    await act('Change roles')
    const role = (flag: string) => within(dialog().getByRole('group', { name: flag }))
    expect(
      role('Admin')
        .getAllByRole<HTMLInputElement>('radio')
        .map(({ disabled }) => disabled),
    ).toEqual([true, true, true])
    role('Admin').getByText('Rights take effect at once, so changing this needs a connection.')
    await the.user.click(role('Alert').getByRole('radio', { name: 'Give' }))
    await dialog().findByText(/^You're offline: each change is saved/)
    await press('Apply to 2 users')
    await dialog().findByText('2 waiting to be sent')
    await close()
    for (const one of ['user', 'second']) await expect.poll(() => rowOf(name(one))?.textContent).toContain('Alert')
    the.browser.goOnline()
    for (const one of ['user', 'second'])
      await expect.poll(() => readUser(the.server.app, the.server.world, `${one}@alpha`)).toMatchObject({ alert: true })
    await expect.poll(() => document.querySelector('.bar-waiting')).toBeNull()
  },
)
