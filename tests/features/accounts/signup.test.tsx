import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { chosen } from '#tests/support/server/forms.ts'
import { button, named, problems, submit, type } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
const send = () => submit(the.user)
const first = { user_name: 'Ana Chan', user_email: 'ana@nova.example', user_password: chosen, confirmPwd: chosen }

async function fillCompany(code: string) {
  await type(the.user, { code, name: 'Nova Ltd' })
  await the.user.selectOptions(named('country'), 'HK')
  await type(the.user, { number: '12345678' })
}

it('says what is wrong in the specified words, and goes to the first (portal 5, A-12)', async () => {
  await the.browser.open('/signup')
  await send()
  expect(problems()).toMatchObject({
    code: 'Please input "Company code" as it\'s required.',
    name: 'Please input company name',
    number: 'Please input "Telephone" as it\'s required.',
  })
  expect(document.activeElement).toBe(named('code'))
  // Counted above them too, with a way to each.
  await screen.findByText(/^\d fields need your attention$/)
  await the.user.click(screen.getByRole('button', { name: 'Phone number' }))
  expect(document.activeElement).toBe(named('number'))
  await type(the.user, { code: 'a-b', email: 'nobody' })
  await send()
  expect(problems()).toMatchObject({ code: 'Only number&character is allowed', email: 'Email format is invalid!' })
  await type(the.user, { code: 'MySQL' })
  await send()
  expect(problems()).toMatchObject({ code: '"MySQL" is reserved by system' })
  await type(the.user, { code: 'alpha' })
  await the.user.tab()
  await expect.poll(problems).toMatchObject({ code: '"alpha" is occupied.' })
  // While others are wrong too it is not forgotten.
  await send()
  expect(problems()).toMatchObject({ code: '"alpha" is occupied.', name: 'Please input company name' })
  await type(the.user, { email: '' })
  await fillCompany('nova')
  expect(named('dialCode').value).toBe('852')
  await type(the.user, { number: '1234x5678' })
  await send()
  expect(problems()).toEqual({ number: 'Please use digits only: the country code, then the number.' })
  // Put right when it is left (fault 22d).
  await type(the.user, { number: '1234-5678' })
  await send()
  await screen.findByLabelText('Name')
  await type(the.user, { ...first, confirmPwd: 'another one' })
  await screen.findByText('Very hard to guess')
  await send()
  expect(problems()).toEqual({ confirmPwd: 'The passwords you entered do not match!' })
  await type(the.user, { user_password: 'password1!', confirmPwd: 'password1!' })
  await send()
  await expect.poll(problems).toEqual({ user_password: 'Many people use this password. Please choose another one.' })
})

it('keeps what was typed over a reload and a lost network, and never a password', async () => {
  await the.browser.open('/signup')
  await fillCompany('nova')
  await send()
  await screen.findByLabelText('Name')
  await type(the.user, first)
  const kept = JSON.stringify({ ...sessionStorage, ...localStorage })
  expect(kept).toContain(first.user_email)
  expect(kept).not.toContain(chosen)
  await the.browser.open('/signup')
  await expect.poll(() => [named('user_email').value, named('user_password').value]).toEqual([first.user_email, ''])

  the.browser.goOffline()
  await type(the.user, { user_password: chosen, confirmPwd: chosen })
  await send()
  await screen.findByText(/^Registering needs a connection\./)
  the.browser.goOnline()
  await send()
  const sent = /^Active mail has been sent to ana@nova\.example/
  await screen.findByText(sent)
  await the.user.click(button('Resend activation mail'))
  await screen.findByText('A new mail is on its way. It replaces the older link.')
  await the.browser.open('/signup')
  await screen.findByText(sent)
})
