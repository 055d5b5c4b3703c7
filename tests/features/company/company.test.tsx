import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { button, field, named, problems, submit, type } from '#tests/support/pages/fields.ts'
import { arrived, setUpPages } from '#tests/support/pages/screen.ts'

const the = setUpPages()
const page = '/app/profile/company'
const stored = async () => {
  const { send } = await the.server.signIn('second@alpha')
  return (await send({ url: `/api/m18s/company/${the.server.world.companies.alpha}` })).json()
}

it('the company is changed by its admin, the code never, with and without a network (M35)', async () => {
  await the.browser.openAs('admin@alpha', page)
  await screen.findByLabelText('Company name')
  expect(field('Company code').readOnly).toBe(true)
  expect(named('number').value).toBe('12345678')
  await the.user.selectOptions(named('country'), 'CN')
  expect(named('dialCode').value).toBe('86')
  await type(the.user, { province: 'Guangdong' })
  await expect.poll(() => document.querySelector('datalist option[value="深圳市"]')).not.toBeNull()
  await the.user.selectOptions(named('country'), 'HK')
  expect(named('dialCode').value).toBe('852')
  await type(the.user, { province: '', city: 'Wan Chai', name: ' ', number: '12a', email: 'nobody' })
  await submit(the.user)
  // In the words of the sign-up, whose form it is.
  await expect.poll(problems).toEqual({
    name: 'Please input company name',
    number: 'Please use digits only: the country code, then the number.',
    email: 'Email format is invalid!',
  })
  await type(the.user, { dialCode: '', number: '21104455' })
  await submit(the.user)
  await expect
    .poll(() => problems())
    .toMatchObject({
      dialCode: 'The country code is missing, such as 852.',
    })
  // As people group the figures, or write them full-width (fault 22d).
  await type(the.user, { dialCode: '+８５２' })
  await type(the.user, { name: 'Alpha (HK) Limited', number: '２１１０-44 55', email: 'office@alpha.example' })
  await submit(the.user)
  await screen.findByText('Update successfully.')
  await expect.poll(() => button('Save changes').getAttribute('aria-disabled')).toBe('true')
  expect(await stored()).toMatchObject({ code: 'alpha', name: 'Alpha (HK) Limited', city: 'Wan Chai' })

  the.browser.goOffline()
  await the.browser.open(page)
  await screen.findByLabelText('Company name')
  expect(named('city').value).toBe('Wan Chai')
  await type(the.user, { website: 'www.alpha.example' })
  await submit(the.user)
  await screen.findByText(/^Saved on this device\./)
  const mark = () => document.querySelector('main .pending-mark')
  await expect.poll(mark).not.toBeNull()
  the.browser.goOnline()
  await expect.poll(mark).toBeNull()
  expect(await stored()).toMatchObject({ website: 'www.alpha.example' })
})

it('the company says that it was never read here, and comes by itself when there is a connection (P-10)', async () => {
  await the.browser.openAs('admin@alpha')
  the.browser.goOffline()
  await the.browser.open(page)
  await screen.findByText("The company's profile could not be loaded yet.")
  await screen.findByText(/loads when you're online and then stays here/)
  the.browser.goOnline()
  await screen.findByLabelText('Company name')
  expect(screen.queryByText("The company's profile could not be loaded yet.")).toBeNull()
})

it('the company is not there for who is no admin (M11)', async () => {
  await the.browser.openAs('user@alpha', page)
  await arrived(the.browser, '/app/home')
})
