import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getButton, getNamedField, findHeading } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const readStoredCode = () => localStorage.getItem('portal.company')

async function logOut() {
  await fixture.browser.open('/logout')
  await findHeading('You are logged out')
  await fixture.browser.open('/login')
  await screen.findByLabelText('Company ID')
}

it('The login page has the code of the company that last logged in on this device, until the user removes it', async () => {
  await fixture.browser.openAs('user@alpha')
  await expect.poll(readStoredCode).toBe('alpha')
  await logOut()
  expect(getNamedField('company').value).toBe('alpha')
  await fixture.user.click(getButton('Not alpha?'))
  expect(getNamedField('company').value).toBe('')
  expect(document.activeElement).toBe(getNamedField('company'))
  expect([readStoredCode(), screen.queryByRole('button', { name: 'Not alpha?' })]).toEqual([null, null])
})

it('A shared device remembers no company, and a stored text that is no code is ignored', async () => {
  await fixture.browser.openAs('user@alpha')
  await expect.poll(readStoredCode).toBe('alpha')
  const { getThisDevice } = await import('#local/storage/device.ts')
  await (await import('#local/session/shared-device.ts')).setShared(getThisDevice(), true)
  await expect.poll(readStoredCode).toBeNull()
  localStorage.setItem('portal.company', '<b>alpha</b>')
  await logOut()
  expect(getNamedField('company').value).toBe('')
})
