import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { newPassword } from '#tests/support/server/forms.ts'
import {
  getButton,
  getNamedField,
  readDescription,
  readProblems,
  submit,
  typeValues,
} from '#tests/support/pages/fields.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'
import { password } from '#tests/support/server/world.ts'

const fixture = setUpPages()

it('A change of the password shows the specified errors, and ends all other sessions (M33, S-38)', async () => {
  const otherSession = await fixture.server.signIn('user@alpha')
  await fixture.browser.openAs('user@alpha', '/app/profile/password')
  const submitPasswords = async (original: string, nextPassword: string, repeatedPassword = nextPassword) => {
    await typeValues(fixture.user, { original, newPassword: nextPassword, confirm: repeatedPassword })
    await submit(fixture.user)
    await expect.poll(() => document.querySelector('[aria-busy]')).toBeNull()
  }
  await submit(fixture.user)
  await expect.poll(readProblems).toMatchObject({
    original: 'Please input "Original password" as it\'s required.',
    newPassword: 'Please input "New password" as it\'s required.',
  })
  await submitPasswords(password, newPassword, `${newPassword}!`)
  await expect.poll(readProblems).toEqual({ confirm: 'The passwords you entered do not match!' })
  await submitPasswords(password, password)
  await expect.poll(readProblems).toEqual({ newPassword: 'New password is same as the original password.' })
  await submitPasswords('Not-the-one-44', newPassword)
  await expect.poll(readProblems).toEqual({ original: 'The original password is wrong' })
  await submitPasswords(password, 'alpha2026')
  await expect
    .poll(readProblems)
    .toEqual({ newPassword: expect.stringMatching(/^This password is too easy to guess\./) })

  fixture.browser.goOffline()
  const changeButton = getButton('Change password')
  await expect.poll(() => readDescription(changeButton)).toMatch(/^Changing the password needs a connection\./)
  expect(changeButton.getAttribute('aria-disabled')).toBe('true')
  fixture.browser.goOnline()
  await expect.poll(() => changeButton.getAttribute('aria-disabled')).toBe(null)
  // A connection that is lost on submit does not count as an error of the form either.
  await typeValues(fixture.user, { original: password, newPassword, confirm: newPassword })
  fixture.browser.connectionState = 'down'
  await submit(fixture.user)
  const note = await screen.findByText(/^This needs a connection\./)
  expect(note.closest('[role]')?.getAttribute('role')).toBe('status')
  expect(document.querySelector('main [role=alert]:not(:empty)')).toBeNull()
  fixture.browser.goOnline()

  await submitPasswords(password, newPassword)
  await screen.findByText(/^Update successfully\./)
  await expect.poll(() => document.querySelector<HTMLInputElement>('[name=newPassword]')?.value).toBe('')
  expect((await otherSession.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
  await fixture.browser.open('/app/profile/password')
  expect(fixture.browser.path()).toBe('/app/profile/password')
  await fixture.server.signIn('user@alpha', newPassword)
})

it('The tabs of My account link the password to the profile', async () => {
  await fixture.browser.openAs('user@alpha', '/app/profile/user')
  const profileHeading = screen.getByRole('heading', { level: 1 }).textContent
  await fixture.browser.open('/app/profile/password')
  const findBackLink = () => document.querySelector<HTMLAnchorElement>('main a[href="/saas/app/profile/user"]')
  await expect.poll(findBackLink).not.toBeNull()
  await fixture.user.click(findBackLink() as HTMLElement)
  await waitForPath(fixture.browser, '/app/profile/user')
  await screen.findByRole('heading', { level: 1, name: profileHeading ?? '' })
  // A screen reader hears which tab it is, although the visible heading stays the same.
  await fixture.user.click(screen.getByRole('link', { name: 'Security' }))
  await screen.findByRole('heading', { level: 1, name: `${profileHeading} · Security` })
})

it('A tab asks before it loses a typed password, and keeps it', async () => {
  await fixture.browser.openAs('user@alpha', '/app/profile/password')
  await typeValues(fixture.user, { original: 'half' })
  await fixture.user.click(screen.getByRole('link', { name: 'Security' }))
  await screen.findByText('Your changes are not saved yet.')
  await fixture.user.click(getButton('Keep editing'))
  expect([fixture.browser.path(), getNamedField('original').value]).toEqual(['/app/profile/password', 'half'])
  await fixture.user.click(screen.getByRole('link', { name: 'Security' }))
  await fixture.user.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitForPath(fixture.browser, '/app/profile/security')
})
