import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { newPassword } from '#tests/support/server/forms.ts'
import { findHeading, readProblems, submit, typeValues } from '#tests/support/pages/fields.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const mailbox = createMailBox(() => fixture.server.app)

/** Sends the invitation again and returns the key from its mail. */
async function sendInvitation(): Promise<string> {
  const adminSession = await fixture.server.signIn('admin@alpha')
  await adminSession.send({
    method: 'POST',
    url: `/api/users/activatemail/${fixture.server.world.users['invited@alpha']}`,
  })
  return (await mailbox.fetch()).map(readKey).find(Boolean) ?? ''
}

it('An activation link sets a password only once, and is removed from the address at once (M30, S-36)', async () => {
  const link = `/sys/activate?otk=${await sendInvitation()}`
  await fixture.browser.open(link)
  await findHeading('Set your password')
  await waitForPath(fixture.browser, '/sys/activate')

  const submitAndReadProblems = async (password: string, repeatedPassword: string) => {
    await typeValues(fixture.user, { password, confirm: repeatedPassword })
    await submit(fixture.user)
    await expect.poll(() => Object.keys(readProblems())).not.toEqual([])
    return readProblems()
  }
  expect(await submitAndReadProblems('short', 'short')).toMatchObject({ password: 'Please use at least 8 characters.' })
  expect(await submitAndReadProblems('password123', 'password124')).toMatchObject({
    confirm: 'The passwords you entered do not match!',
  })
  expect(Object.keys(await submitAndReadProblems('password123', 'password123'))).toEqual(['password'])
  await typeValues(fixture.user, { password: newPassword, confirm: newPassword })
  await submit(fixture.user)
  await findHeading('Activate successful')

  await fixture.user.click(within(screen.getByRole('main')).getByRole('link', { name: 'Login' }))
  await findHeading('Login')
  await typeValues(fixture.user, { company: 'alpha', username: 'invited@alpha.example', password: newPassword })
  await submit(fixture.user)
  await waitForPath(fixture.browser, '/app/home')
  await fixture.browser.open(link)
  await screen.findByText('Activate key is invalid or overdue.')
  // A used link is not restored after a reload either.
  await fixture.browser.open('/sys/activate')
  await screen.findByText('No activate key provided.')
})

it('A reload of the activation page or the reset page continues with the same link (fault 27b)', async () => {
  await fixture.browser.open(`/sys/activate?otk=${await sendInvitation()}`)
  await findHeading('Set your password')
  await waitForPath(fixture.browser, '/sys/activate')
  await fixture.browser.open('/login')
  await findHeading('Login')
  await fixture.browser.open('/sys/activate')
  await findHeading('Set your password')
  await typeValues(fixture.user, { password: newPassword, confirm: newPassword })
  await submit(fixture.user)
  await findHeading('Activate successful')

  await fixture.browser.open('/forget')
  await findHeading('Forgot password')
  await typeValues(fixture.user, { companyCode: 'alpha', userEmail: 'invited@alpha.example' })
  await submit(fixture.user)
  await screen.findByText('Check your email for a link to reset your password.')
  const key = (await mailbox.fetch()).map(readKey).findLast(Boolean)
  await fixture.browser.open(`/resetPwd?otk=${key}`)
  await findHeading('Reset password')
  await waitForPath(fixture.browser, '/resetPwd')
  await fixture.browser.open('/login')
  await findHeading('Login')
  await fixture.browser.open('/resetPwd')
  await findHeading('Reset password')
  await typeValues(fixture.user, { pwd: `${newPassword}2`, confirm: `${newPassword}2` })
  await submit(fixture.user)
  await screen.findByText('Reset successfully.')
})

it.each([
  ['without a key', '', 'No activate key provided.'],
  ['with the code ACTIVATE_OK', '?code=ACTIVATE_OK', 'Activate successful'],
  ['with an unknown code and a message', '?code=ODD_ONE&message=Ask+your+operator', 'Ask your operator'],
  ['with an empty code', '?code=', 'Error Found'],
])('An activation link %s shows the specified text', async (_, query, expectedText) => {
  await fixture.browser.open(`/sys/activate${query}`)
  await screen.findByText(expectedText)
})
