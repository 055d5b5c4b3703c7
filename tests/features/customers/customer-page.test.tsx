/** Tests the page of a customer and its tabs (decision 107). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
let acmeId: number
beforeEach(async () => {
  const staff = await fixture.server.signIn('delete@m18')
  const { data } = (await staff.send({ url: '/api/customer?searchText=acme' })).json()
  acmeId = data[0].id
})

const readTabs = () =>
  within(document.querySelector<HTMLElement>('.tabs') ?? document.body)
    .queryAllByRole('link')
    .map(({ textContent }) => textContent)
const openTab = async (name: string) => {
  await fixture.user.click(
    await within(document.querySelector<HTMLElement>('.tabs') ?? document.body).findByRole('link', { name }),
  )
  await screen.findByRole('heading', { level: 1, name: 'Acme Trading Limited' })
}
const readMain = () => document.querySelector('main')?.textContent ?? ''

it('What a customer owes is two clicks away, and each tab has its address', async () => {
  await fixture.browser.openAs('delete@m18', '/app/home')
  // One link is in the navigation, the other is a figure of the home page.
  const [navigationLink] = await screen.findAllByRole('link', { name: /^Customers/ })
  if (navigationLink) await fixture.user.click(navigationLink)
  await fixture.user.click(await screen.findByRole('link', { name: 'Acme Trading Limited' }))
  await waitForPath(fixture.browser, `/app/m18/customer/${acmeId}`)
  await screen.findByRole('heading', { name: 'To pay' })
  expect(readMain()).toMatch(/acmehr.*New contract.*[A-Z]{3} [\d,]+\.\d\d.*by \d{4}-\d\d-\d\d/)
  expect(readTabs()).toEqual([
    'Overview',
    'Contracts',
    'Users',
    'Payments',
    'Services',
    'Backups',
    'Audit trail',
    'Notes',
  ])

  await openTab('Contracts')
  await waitForPath(fixture.browser, `/app/m18/customer/${acmeId}/contracts`)
  await expect.poll(() => document.querySelectorAll('tbody .order-code').length).toBe(5)
  await openTab('Users')
  await screen.findByText('admin@acme.example')
  await openTab('Payments')
  await expect.poll(readMain).toMatch(/Extension|Change|New contract/)
  await openTab('Services')
  await expect.poll(() => [...document.querySelectorAll('tbody .service-code')].length).toBeGreaterThan(0)
  await openTab('Backups')
  await expect.poll(() => document.querySelectorAll('.customer-service').length).toBeGreaterThan(0)
  await openTab('Audit trail')
  await expect.poll(() => document.querySelectorAll('.trail-list tbody tr').length).toBeGreaterThan(0)

  // Offline, what was read before is still shown.
  fixture.browser.goOffline()
  await fixture.browser.open(`/app/m18/customer/${acmeId}`)
  await screen.findByRole('heading', { name: 'To pay' })
  expect(readMain()).toMatch(/acmehr/)
})

it('The filters of another list are not those of a customer, and its own are not stored', async () => {
  await fixture.browser.openAs('delete@m18', `/app/contract?company=${acmeId}&searchText=acmehr`)
  await expect.poll(() => document.querySelectorAll('tbody .order-code').length).toBe(1)
  await fixture.user.click(await screen.findByRole('link', { name: /^Customers/ }))
  await fixture.user.click(await screen.findByRole('link', { name: 'Acme Trading Limited' }))
  await screen.findByRole('heading', { name: 'To pay' })
  await screen.findByText(/^Updated /)
  await openTab('Contracts')
  await expect.poll(() => document.querySelectorAll('tbody .order-code').length).toBe(5)
  expect(fixture.browser.path()).toBe(`/app/m18/customer/${acmeId}/contracts`)
  await fixture.user.click(await screen.findByRole('link', { name: /^Expired/ }))
  await waitForPath(fixture.browser, `/app/m18/customer/${acmeId}/contracts?status=2`)
  await openTab('Overview')
  await screen.findByRole('heading', { name: 'To pay' })
  await openTab('Contracts')
  await expect.poll(() => document.querySelectorAll('tbody .order-code').length).toBe(5)
  expect(fixture.browser.path()).toBe(`/app/m18/customer/${acmeId}/contracts`)
})

it('Backups of a customer whose services were never read are not called missing', async () => {
  await fixture.browser.openAs('admin@m18', `/app/m18/customer/${acmeId}`)
  await screen.findByRole('heading', { name: 'To pay' })
  fixture.browser.goOffline()
  await openTab('Backups')
  await screen.findByText('The services of this customer are not saved on this device yet')
  expect(screen.queryByText('No services yet')).toBeNull()
})

it('A caller sees only the tabs that they may read', async () => {
  await fixture.browser.openAs('order@m18', `/app/m18/customer/${acmeId}`)
  await screen.findByRole('heading', { name: 'To pay' })
  expect(readTabs()).toEqual(['Overview', 'Contracts', 'Payments', 'Notes'])
  await fixture.browser.open(`/app/m18/customer/${acmeId}/users`)
  await waitForPath(fixture.browser, `/app/m18/customer/${acmeId}`)
})

it('An address without a customer says so', async () => {
  await fixture.browser.openAs('admin@m18', '/app/m18/customer/2000000000')
  await screen.findByText('No such customer')
  await fixture.browser.open('/app/m18/customer/~')
  await screen.findByText('No such customer')
})

it('Staff add a note, edit it and delete it', async () => {
  await fixture.browser.openAs('order@m18', `/app/m18/customer/${acmeId}/notes`)
  await screen.findByText('No notes yet.')
  const add = await screen.findByRole('button', { name: 'Add note' })
  await fixture.user.click(add)
  await screen.findByText('Enter a text.')
  await fixture.user.type(screen.getByLabelText('New note'), 'Pays late')
  await fixture.user.click(add)
  await expect.poll(() => document.querySelector('.customer-note-text')?.textContent).toBe('Pays late')
  const getAction = (name: RegExp) => screen.getByRole('button', { name })
  await fixture.user.click(getAction(/^Edit the note of .+, \d{4}-/))
  expect(document.activeElement).toBe(screen.getByLabelText('Edit'))
  await fixture.user.type(screen.getByLabelText('Edit'), ', but always')
  await fixture.user.click(screen.getByRole('button', { name: 'Save' }))
  await expect.poll(() => document.querySelector('.customer-note-text')?.textContent).toBe('Pays late, but always')
  await expect.poll(() => document.activeElement).toBe(getAction(/^Edit the note/))
  await fixture.user.click(getAction(/^Delete the note/))
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Keep it' }))
  await fixture.user.click(screen.getByRole('button', { name: 'Keep it' }))
  expect(document.activeElement).toBe(getAction(/^Delete the note/))
  await fixture.user.click(getAction(/^Delete the note/))
  await fixture.user.click(screen.getByRole('button', { name: 'Delete' }))
  await screen.findByText('No notes yet.')
  await expect.poll(() => document.activeElement).toBe(screen.getByLabelText('New note'))
})

it('A note that somebody else changed or deleted meanwhile keeps the typed text', async () => {
  const admin = await fixture.server.signIn('admin@m18')
  const url = `/api/customer/${acmeId}/note`
  const note = (await admin.send({ method: 'POST', url, payload: { text: 'Pays late' } })).json()
  await fixture.browser.openAs('delete@m18', `/app/m18/customer/${acmeId}/notes`)
  await fixture.user.click(await screen.findByRole('button', { name: /^Edit the note/ }))
  const change = { text: 'Pays on time', row_version: 1 }
  await admin.send({ method: 'PUT', url: `${url}/${note.id}`, payload: change })
  const field = screen.getByLabelText<HTMLTextAreaElement>('Edit')
  await fixture.user.type(field, ', always')
  await fixture.user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/^Somebody else has changed this note/)
  await expect.poll(() => document.querySelector('.customer-note-text')?.textContent).toBe('Pays on time')
  expect(field.value).toBe('Pays late, always')
  // The version is still that of the text that was edited.
  await fixture.user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/^Somebody else has changed this note/)

  await admin.send({ method: 'DELETE', url: `${url}/${note.id}?row_version=2` })
  await fixture.user.click(screen.getByRole('button', { name: 'Save' }))
  await screen.findByText(/^Somebody else has deleted this note/)
  expect(field.value).toBe('Pays late, always')
})

it('Unsaved text of a note is not lost when the user leaves', async () => {
  await fixture.browser.openAs('order@m18', `/app/m18/customer/${acmeId}/notes`)
  const field = await screen.findByLabelText<HTMLTextAreaElement>('New note')
  await fixture.user.type(field, 'Pays late')
  await fixture.user.click(screen.getByRole('link', { name: 'Payments' }))
  await fixture.user.click(await screen.findByRole('button', { name: 'Keep editing' }))
  expect(document.activeElement).toBe(field)
  expect(field.value).toBe('Pays late')
  await fixture.user.click(screen.getByRole('link', { name: 'Payments' }))
  await fixture.user.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitForPath(fixture.browser, `/app/m18/customer/${acmeId}/payments`)
})
