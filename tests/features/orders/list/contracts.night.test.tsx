/** The contract list and what hangs on it, as it is shown and used (M61 to M68, D53). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { button, described } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import { handsOn, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, choose, says } = handsOn(the)

const codes = () => [...document.querySelectorAll('tbody .order-code')].map(({ textContent }) => textContent)
const rowOf = (code: string) =>
  [...document.querySelectorAll('tbody tr')].find(({ textContent }) => textContent?.includes(code))
const row = (code: string): string => rowOf(code)?.textContent ?? ''
async function act(code: string, item: string) {
  const menu = rowOf(code)?.querySelector('[aria-haspopup=menu]')
  if (!menu) throw new Error(`there is no menu of ${code}`)
  await the.user.click(menu)
  await the.user.click(await screen.findByRole('menuitem', { name: item }))
}

it('has a row for each service with what is to be done about it, where it is, and a warning before it is deleted', async () => {
  await the.browser.openAs('admin@acme', '/app/contract')
  await expect.poll(() => codes().toSorted()).toEqual(['acmehr', 'acmeold', 'acmeshop', 'acmetest', 'acmetrade'])
  const headers = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(headers).toEqual(['Service code', 'Name', 'Created', 'Expiry date', 'Status', 'To pay', 'Actions'])
  expect(row('acmehr')).toMatch(/Unpaid[A-Z]{3}\s[\d,]+\.\d\dby \d{4}-\d\d-\d\d/)
  expect(row('acmetest')).toMatch(/Effective[A-Z]{3}\s[\d,]+\.\d\dby \d{4}-\d\d-\d\dChange\s\(5\s→\s12\susers\)/)
  // What is invalid opens nothing, and its button says why.
  await expect.poll(() => button('Manage acmeshop').getAttribute('aria-disabled')).toBe('true')
  expect(described(button('Manage acmeshop'))).not.toBe('')
  expect(screen.queryByRole('button', { name: 'Tools' })).toBeNull()

  expect(screen.queryByRole('button', { name: 'Open Addresses of acmehr' })).toBeNull()
  await press('Open Addresses of acmetrade')
  const info = await dialog('Service acmetrade')
  expect(info.getAllByRole('link').map(({ textContent }) => textContent?.trim())).toEqual([
    'https://www.acmetrade.m18.example/',
    'https://admin.acmetrade.m18.example/',
  ])
  await the.user.click(info.getAllByRole('button', { name: 'Close' }).at(-1) ?? info.element)
  await noDialog()

  await act('acmeshop', 'Delete')
  await (await dialog('Delete acmeshop?')).press('Keep it')
  await noDialog()
  expect(codes()).toContain('acmeshop')
  await act('acmeshop', 'Delete')
  await (await dialog('Delete acmeshop?')).press('Delete')
  // Where the answer takes its time it is kept on the device first.
  await screen.findByText(/^(Delete successfully|Saved on this device)\./)
  await expect.poll(codes).not.toContain('acmeshop')

  await act('acmeold', 'Order again')
  // The address names the order only until the form is filled from it.
  await arrived(the.browser, '/app/contract/new')
  await expect.poll(() => document.querySelector<HTMLInputElement>('main [name=name]')?.value).toBe('Acme archive')
})

it('finds as unpaid all that can be paid, a change of a contract in effect too, also without a line (D35)', async () => {
  await the.browser.openAs('admin@acme', '/app/contract')
  await expect.poll(() => codes().length).toBe(5)
  await the.user.selectOptions(screen.getByLabelText('Status'), 'To pay')
  await expect.poll(() => codes().toSorted()).toEqual(['acmehr', 'acmetest'])
  await the.user.selectOptions(screen.getByLabelText('Status'), 'Effective')
  await expect.poll(codes).not.toContain('acmehr')
  await expect.poll(codes).toContain('acmetest')
  the.browser.goOffline()
  await the.browser.open('/app/contract?status=0')
  await expect.poll(() => codes().toSorted()).toEqual(['acmehr', 'acmetest'])
})

it('offline, of a list that was never read here, says just that: no error and nothing awaited', async () => {
  const reach = fetch
  // Else the device has it behind the first page.
  vi.stubGlobal('fetch', (asked: Request) =>
    String(asked.url ?? asked).includes('/sorder') ? Promise.reject(new TypeError()) : reach(asked),
  )
  await the.browser.openAs('admin@acme', '/app/profile/user')
  the.browser.goOffline()
  const errors: string[] = []
  const watch = new MutationObserver(() => {
    const error = document.querySelector('.problem, main [role=alert]:not(:empty)')
    if (error) errors.push(error.textContent ?? '')
  })
  watch.observe(document, { childList: true, subtree: true })
  await the.browser.open('/app/contract')
  await screen.findByRole('heading', { name: 'No contracts are saved on this device yet' })
  expect(document.querySelector('.list table')).toBeNull()
  watch.disconnect()
  expect(errors).toEqual([])
})

nightly('has a calendar whose address programs can read until it is ended', async () => {
  await the.browser.openAs('admin@acme', '/app/contract')
  await press('Calendar')
  await press('Create link')
  await expect.poll(() => document.querySelector('.order-calendar code')).not.toBeNull()
  const url = new URL(document.querySelector('.order-calendar code')?.textContent ?? '')
  const feed = () => the.server.send({ url: url.pathname })
  const { body } = await feed()
  expect(body).toContain('BEGIN:VEVENT')
  expect(body).toMatch(/DTSTART;VALUE=DATE:\d{8}/)
  await the.user.keyboard('{Escape}')
  await noDialog()
  await press('Calendar')
  await screen.findByText(/A link has existed since/)
  await press('Turn off link')
  await says('The link no longer works.')
  expect((await feed()).statusCode).toBe(404)
})

it('shows the provider’s admins whose contracts of which client type they choose (M67, D53); without a price list nothing is ordered, and the wizard leads back (M68)', async () => {
  await the.browser.openAs('delete@m18', '/app/contract')
  await choose('Tools', 'Choose a company')
  const picker = screen.getByRole<HTMLInputElement>('combobox', { name: 'Company' })
  await expect.poll(() => document.activeElement).toBe(picker)
  await the.user.keyboard('acme tra')
  const option = await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
  await expect.poll(() => picker.getAttribute('aria-activedescendant')).toBe(option.id)
  await the.user.keyboard('{Enter}')
  expect(picker.value).toBe('Acme Trading Limited')
  await expect.poll(codes).toContain('acmetrade')
  await the.browser.open(the.browser.path())
  await expect.poll(codes).toContain('acmetrade')
  // Without a line among those that this device has met.
  the.browser.goOffline()
  await press('Clear filters')
  await the.user.click(screen.getByRole('combobox', { name: 'Company' }))
  await the.user.keyboard('{ArrowDown}')
  await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
  await the.user.keyboard('trading')
  await screen.findByText('Offline: only companies on this device.')
  await the.user.keyboard('{Enter}')
  await expect.poll(codes).toContain('acmetrade')
  the.browser.goOnline()
  // Emptied it is the own company again.
  await the.user.clear(screen.getByRole('combobox', { name: 'Company' }))
  await the.user.keyboard('{Tab}')
  await expect.poll(codes).not.toContain('acmetrade')
  await choose('Tools', 'Client type: mma', 'menuitemradio')
  await screen.findByRole('heading', { name: 'No contracts yet' })
  await the.browser.open('/app/contract/new')
  await arrived(the.browser, '/app/contract')
  await says('That page needs a price list. There is no current price list. Please ask your provider.')
  const [create] = await screen.findAllByRole('button', { name: 'New contract' })
  await expect.poll(() => create && described(create)).toBe('There is no current price list. Please ask your provider.')
})
