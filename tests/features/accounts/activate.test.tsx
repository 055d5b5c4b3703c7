import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { chosen } from '#tests/support/server/forms.ts'
import { heading, problems, submit, type } from '#tests/support/pages/fields.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
const box = mailBox(() => the.server.app)

/** As the mail that an admin has sent to somebody who was only invited. */
async function invitation(): Promise<string> {
  const admin = await the.server.signIn('admin@alpha')
  await admin.send({ method: 'POST', url: `/api/users/activatemail/${the.server.world.users['invited@alpha']}` })
  return (await box.fetch()).map(keyIn).find(Boolean) ?? ''
}

it('an activation link sets a password once, leaves the address at once, and the password is good (M30, S-36)', async () => {
  const link = `/sys/activate?otk=${await invitation()}`
  await the.browser.open(link)
  await heading('Set your password')
  await arrived(the.browser, '/sys/activate')

  const refused = async (password: string, confirm: string) => {
    await type(the.user, { password, confirm })
    await submit(the.user)
    await expect.poll(() => Object.keys(problems())).not.toEqual([])
    return problems()
  }
  expect(await refused('short', 'short')).toMatchObject({ password: 'Please use at least 8 characters.' })
  expect(await refused('password123', 'password124')).toMatchObject({
    confirm: 'The passwords you entered do not match!',
  })
  expect(Object.keys(await refused('password123', 'password123'))).toEqual(['password'])
  await type(the.user, { password: chosen, confirm: chosen })
  await submit(the.user)
  await heading('Activate successful')

  await the.user.click(within(screen.getByRole('main')).getByRole('link', { name: 'Login' }))
  await heading('Login')
  await type(the.user, { company: 'alpha', username: 'invited@alpha.example', password: chosen })
  await submit(the.user)
  await arrived(the.browser, '/app/home')
  await the.browser.open(link)
  await screen.findByText('Activate key is invalid or overdue.')
  // What is used up is not held for a reload either.
  await the.browser.open('/sys/activate')
  await screen.findByText('No activate key provided.')
})

it('fault 27b a reload of the activation page goes on where it was, and so does that of a new password', async () => {
  await the.browser.open(`/sys/activate?otk=${await invitation()}`)
  await heading('Set your password')
  await arrived(the.browser, '/sys/activate')
  await the.browser.open('/login')
  await heading('Login')
  await the.browser.open('/sys/activate')
  await heading('Set your password')
  await type(the.user, { password: chosen, confirm: chosen })
  await submit(the.user)
  await heading('Activate successful')

  await the.browser.open('/forget')
  await heading('Forgot password')
  await type(the.user, { companyCode: 'alpha', userEmail: 'invited@alpha.example' })
  await submit(the.user)
  await screen.findByText('Check your email for a link to reset your password.')
  const key = (await box.fetch()).map(keyIn).findLast(Boolean)
  await the.browser.open(`/resetPwd?otk=${key}`)
  await heading('Reset password')
  await arrived(the.browser, '/resetPwd')
  await the.browser.open('/login')
  await heading('Login')
  await the.browser.open('/resetPwd')
  await heading('Reset password')
  await type(the.user, { pwd: `${chosen}2`, confirm: `${chosen}2` })
  await submit(the.user)
  await screen.findByText('Reset successfully.')
})

it.each([
  ['without a key', '', 'No activate key provided.'],
  ['by a code that says it is done', '?code=ACTIVATE_OK', 'Activate successful'],
  ['by a code of its own and its words', '?code=ODD_ONE&message=Ask+your+operator', 'Ask your operator'],
  ['by an empty code', '?code=', 'Error Found'],
])('an activation link %s shows the specified words', async (_, query, words) => {
  await the.browser.open(`/sys/activate${query}`)
  await screen.findByText(words)
})
