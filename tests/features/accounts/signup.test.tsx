import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { newPassword } from '#tests/support/server/forms.ts'
import { getButton, getNamedField, readProblems, submit, typeValues } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const submitForm = () => submit(fixture.user)
const firstUser = {
  user_name: 'Ana Chan',
  user_email: 'ana@nova.example',
  user_password: newPassword,
  confirmPwd: newPassword,
}

async function fillCompany(code: string) {
  await typeValues(fixture.user, { code, name: 'Nova Ltd' })
  await fixture.user.selectOptions(getNamedField('country'), 'HK')
  await typeValues(fixture.user, { number: '12345678' })
}

it('The sign-up form shows the specified errors and focuses the first field (portal 5, A-12)', async () => {
  await fixture.browser.open('/signup')
  await submitForm()
  expect(readProblems()).toMatchObject({
    code: 'Please input "Company code" as it\'s required.',
    name: 'Please input company name',
    number: 'Please input "Telephone" as it\'s required.',
  })
  expect(document.activeElement).toBe(getNamedField('code'))
  // The summary above the fields counts the errors and links to each.
  await screen.findByText(/^\d fields need your attention$/)
  await fixture.user.click(screen.getByRole('button', { name: 'Phone number' }))
  expect(document.activeElement).toBe(getNamedField('number'))
  // Only the fields that every company needs are rendered, until the user asks for the others.
  expect(document.querySelector('[name=email]')).toBeNull()
  await fixture.user.click(getButton('Add address and contact'))
  expect(document.activeElement).toBe(getNamedField('province'))
  await typeValues(fixture.user, { code: 'a-b', email: 'nobody' })
  await submitForm()
  expect(readProblems()).toMatchObject({ code: 'Only number&character is allowed', email: 'Email format is invalid!' })
  await typeValues(fixture.user, { code: 'MySQL' })
  await submitForm()
  expect(readProblems()).toMatchObject({ code: '"MySQL" is reserved by system' })
  await typeValues(fixture.user, { code: 'alpha' })
  await fixture.user.tab()
  await expect.poll(readProblems).toMatchObject({ code: '"alpha" is occupied.' })
  // The error stays while other fields have errors too.
  await submitForm()
  expect(readProblems()).toMatchObject({ code: '"alpha" is occupied.', name: 'Please input company name' })
  await typeValues(fixture.user, { email: '' })
  await fillCompany('nova')
  expect(getNamedField('dialCode').value).toBe('852')
  await typeValues(fixture.user, { number: '1234x5678' })
  await submitForm()
  expect(readProblems()).toEqual({ number: 'Please enter digits only: the country code, then the number.' })
  // The number is corrected when the field loses focus (fault 22d).
  await typeValues(fixture.user, { number: '1234-5678' })
  await submitForm()
  await screen.findByLabelText('Name')
  expect(getNamedField('user_title').value).toBe('')
  await typeValues(fixture.user, { ...firstUser, confirmPwd: 'another one' })
  await screen.findByText('Very hard to guess')
  await submitForm()
  expect(readProblems()).toEqual({
    user_title: 'Please input "Title" as it\'s required.',
    confirmPwd: 'The passwords you entered do not match!',
  })
  await fixture.user.selectOptions(getNamedField('user_title'), 'Ms')
  await typeValues(fixture.user, { user_password: 'password1!', confirmPwd: 'password1!' })
  await submitForm()
  await expect
    .poll(readProblems)
    .toEqual({ user_password: 'Many people use this password. Please choose another one.' })
})

it('The sign-up form keeps its input after a reload and a lost network, but never a password', async () => {
  await fixture.browser.open('/signup')
  await fillCompany('nova')
  await submitForm()
  await screen.findByLabelText('Name')
  await fixture.user.selectOptions(getNamedField('user_title'), 'Ms')
  await typeValues(fixture.user, firstUser)
  const storedJson = JSON.stringify({ ...sessionStorage, ...localStorage })
  expect(storedJson).toContain(firstUser.user_email)
  expect(storedJson).not.toContain(newPassword)
  await fixture.browser.open('/signup')
  await expect
    .poll(() => [getNamedField('user_email').value, getNamedField('user_password').value])
    .toEqual([firstUser.user_email, ''])

  fixture.browser.goOffline()
  await typeValues(fixture.user, { user_password: newPassword, confirmPwd: newPassword })
  await submitForm()
  await screen.findByText(/^Registering needs a connection\./)
  fixture.browser.goOnline()
  await submitForm()
  const sentMessage = /^Active mail has been sent to ana@nova\.example/
  await screen.findByText(sentMessage)
  await fixture.user.click(getButton('Resend activation mail'))
  await screen.findByText('A new mail is on its way. It replaces the older link.')
  await fixture.browser.open('/signup')
  await screen.findByText(sentMessage)
})

it('The sign-up form renders the optional fields again if one of them has a value or was refused', async () => {
  await fixture.browser.open('/signup')
  await fillCompany('nova')
  await fixture.user.click(getButton('Add address and contact'))
  await typeValues(fixture.user, { addr1: '8 Pier Road' })
  await fixture.browser.open('/signup')
  await expect.poll(() => getNamedField('addr1').value).toBe('8 Pier Road')
  // An emptied field stays, with the focus.
  await fixture.user.clear(getNamedField('addr1'))
  expect(document.activeElement).toBe(getNamedField('addr1'))
})
