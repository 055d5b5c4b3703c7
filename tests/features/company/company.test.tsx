import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getButton, getField, getNamedField, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { waitForPath, setUpPages } from '#tests/support/pages/screen.ts'

const fixture = setUpPages()
const page = '/app/profile/company'
/** The page has another form, with which an admin allows the provider's staff to look into the company. */
const save = () => fixture.user.click(screen.getByRole('button', { name: /^Save (changes|on this device)$/ }))
const readStoredCompany = async () => {
  const { send } = await fixture.server.signIn('second@alpha')
  return (await send({ url: `/api/m18s/company/${fixture.server.world.companies.alpha}` })).json()
}

it('An admin changes the company, except its code, online and offline (M35)', async () => {
  await fixture.browser.openAs('admin@alpha', page)
  await screen.findByLabelText('Company name')
  expect(getField('Company code').readOnly).toBe(true)
  expect(getNamedField('number').value).toBe('12345678')
  await fixture.user.selectOptions(getNamedField('country'), 'CN')
  expect(getNamedField('dialCode').value).toBe('86')
  await typeValues(fixture.user, { province: 'Guangdong' })
  await expect.poll(() => document.querySelector('datalist option[value="深圳市"]')).not.toBeNull()
  await fixture.user.selectOptions(getNamedField('country'), 'HK')
  expect(getNamedField('dialCode').value).toBe('852')
  await fixture.user.click(getButton('Undo changes'))
  expect([getNamedField('country').value, getNamedField('number').value]).toEqual(['HK', '12345678'])
  expect(document.activeElement).toBe(getButton('Undo changes'))
  await typeValues(fixture.user, { city: 'Wan Chai', name: ' ', number: '12a', email: 'nobody' })
  await save()
  // The form uses the messages of the sign-up form, which has the same fields.
  await expect.poll(readProblems).toEqual({
    name: 'Please input company name',
    number: 'Please enter digits only: the country code, then the number.',
    email: 'Email format is invalid!',
  })
  await typeValues(fixture.user, { dialCode: '', number: '21104455' })
  await save()
  await expect
    .poll(() => readProblems())
    .toMatchObject({
      dialCode: 'The country code is missing, such as 852.',
    })
  // Types numbers with separators and in full-width characters (fault 22d).
  await typeValues(fixture.user, { dialCode: '+８５２' })
  await typeValues(fixture.user, {
    name: 'Alpha (HK) Limited',
    number: '２１１０-44 55',
    email: 'office@alpha.example',
  })
  await save()
  await screen.findByText('Update successfully.')
  await expect.poll(() => getButton('Save changes').getAttribute('aria-disabled')).toBe('true')
  expect(await readStoredCompany()).toMatchObject({ code: 'alpha', name: 'Alpha (HK) Limited', city: 'Wan Chai' })

  fixture.browser.goOffline()
  await fixture.browser.open(page)
  await screen.findByLabelText('Company name')
  expect(getNamedField('city').value).toBe('Wan Chai')
  await typeValues(fixture.user, { website: 'www.alpha.example' })
  // The preview shows what is typed. Offline the button says where it is saved.
  const readPreview = () => document.querySelector('.company-paper')?.textContent
  await expect.poll(readPreview).toMatch(/Alpha \(HK\) Limited.*Wan Chai, Hong Kong.*www\.alpha\.example/)
  await expect.poll(() => getButton('Save on this device')).toBeDefined()
  await save()
  await screen.findByText(/^Saved on this device\./)
  const findPendingMark = () => document.querySelector('main .pending-mark')
  await expect.poll(findPendingMark).not.toBeNull()
  fixture.browser.goOnline()
  await expect.poll(findPendingMark).toBeNull()
  expect(await readStoredCompany()).toMatchObject({ website: 'www.alpha.example' })
})

it('The company form keeps the typed telephone number with its dial code if somebody else changes both', async () => {
  await fixture.browser.openAs('admin@alpha', page)
  await screen.findByLabelText('Company name')
  const { send } = await fixture.server.signIn('second@alpha')
  const url = `/api/m18s/company/${fixture.server.world.companies.alpha}`
  const response = await send({ method: 'PUT', url, payload: { tel: '+86-13800000000' } })
  expect(response.statusCode).toBe(200)
  await typeValues(fixture.user, { number: '55550000' })
  await save()
  await screen.findByText(/^The company was changed by somebody else in the meantime/)
  expect([getNamedField('dialCode').value, getNamedField('number').value]).toEqual(['852', '55550000'])
  await save()
  await screen.findByText('Update successfully.')
  expect(await readStoredCompany()).toMatchObject({ tel: '+852-55550000' })
})

it('The company page reports that it was never loaded, and loads once there is a connection (P-10)', async () => {
  await fixture.browser.openAs('admin@alpha')
  fixture.browser.goOffline()
  await fixture.browser.open(page)
  await screen.findByText("The company's profile could not be loaded yet.")
  await screen.findByText(/loads when you're online and then stays here/)
  fixture.browser.goOnline()
  await screen.findByLabelText('Company name')
  expect(screen.queryByText("The company's profile could not be loaded yet.")).toBeNull()
})

it('The company page is closed to users who are not admins (M11)', async () => {
  await fixture.browser.openAs('user@alpha', page)
  await waitForPath(fixture.browser, '/app/home')
})

it('A consent with a wrong number of hours is not given, and the focus moves to the hours', async () => {
  await fixture.browser.openAs('admin@alpha', page)
  const hours = await screen.findByLabelText<HTMLInputElement>('Hours')
  await fixture.user.clear(hours)
  await fixture.user.type(hours, '99')
  await fixture.user.type(getNamedField('reason'), 'Invoices do not print{Enter}')
  await screen.findByText('Enter a whole number from 1 to 24.')
  expect(document.activeElement).toBe(hours)
  expect(getNamedField('reason').value).toBe('Invoices do not print')
  await fixture.user.clear(hours)
  await fixture.user.type(hours, '2{Enter}')
  await screen.findByText(/^M18's staff may look into your company until /)
  await screen.findByText(/Reason: Invoices do not print/)
})
