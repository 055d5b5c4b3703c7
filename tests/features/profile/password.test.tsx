import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { chosen } from '#tests/support/server/forms.ts'
import { button, described, problems, submit, type } from '#tests/support/pages/fields.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const the = setUpPages()

it('the password is changed: what is wrong is said in the specified words, this session stays and the others end (M33, S-38)', async () => {
  const other = await the.server.signIn('user@alpha')
  await the.browser.openAs('user@alpha', '/app/profile/password')
  const give = async (original: string, next: string, confirm = next) => {
    await type(the.user, { original, chosen: next, confirm })
    await submit(the.user)
    await expect.poll(() => document.querySelector('[aria-busy]')).toBeNull()
  }
  await submit(the.user)
  await expect.poll(problems).toMatchObject({
    original: 'Please input "Original password" as it\'s required.',
    chosen: 'Please input "New password" as it\'s required.',
  })
  await give(password, chosen, `${chosen}!`)
  await expect.poll(problems).toEqual({ confirm: 'The passwords you entered do not match!' })
  await give(password, password)
  await expect.poll(problems).toEqual({ chosen: 'New password is same as the original password.' })
  await give('Not-the-one-44', chosen)
  await expect.poll(problems).toEqual({ original: 'The original password is wrong' })
  await give(password, 'alpha2026')
  await expect.poll(problems).toEqual({ chosen: expect.stringMatching(/^This password is too easy to guess\./) })

  the.browser.goOffline()
  const change = button('Change password')
  await expect.poll(() => described(change)).toMatch(/^Changing the password needs a connection\./)
  expect(change.getAttribute('aria-disabled')).toBe('true')
  the.browser.goOnline()
  await expect.poll(() => change.getAttribute('aria-disabled')).toBe(null)
  // Nor is a network that goes under the hands an error.
  await type(the.user, { original: password, chosen, confirm: chosen })
  the.browser.line = 'down'
  await submit(the.user)
  const note = await screen.findByText(/^This needs a connection\./)
  expect(note.closest('[role]')?.getAttribute('role')).toBe('status')
  expect(document.querySelector('main [role=alert]:not(:empty)')).toBeNull()
  the.browser.goOnline()

  await give(password, chosen)
  await screen.findByText(/^Update successfully\./)
  await expect.poll(() => document.querySelector<HTMLInputElement>('[name=chosen]')?.value).toBe('')
  expect((await other.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
  await the.browser.open('/app/profile/password')
  expect(the.browser.path()).toBe('/app/profile/password')
  await the.server.signIn('user@alpha', chosen)
})

it('the way back from the password leads to the profile', async () => {
  await the.browser.openAs('user@alpha', '/app/profile/user')
  const profile = screen.getByRole('heading', { level: 1 }).textContent
  await the.browser.open('/app/profile/password')
  const back = () => document.querySelector<HTMLAnchorElement>('main a[href="/saas/app/profile/user"]')
  await expect.poll(back).not.toBeNull()
  await the.user.click(back() as HTMLElement)
  await arrived(the.browser, '/app/profile/user')
  await screen.findByRole('heading', { level: 1, name: profile ?? '' })
})
