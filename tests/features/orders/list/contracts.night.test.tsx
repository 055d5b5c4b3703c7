/** Tests the contract list and the actions on it (M61 to M68, D53). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { readDescription } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, choose, findText } = createUserActions(fixture)

const readCodes = () => [...document.querySelectorAll('tbody .order-code')].map(({ textContent }) => textContent)
const findRow = (code: string) =>
  [...document.querySelectorAll('tbody tr')].find(({ textContent }) => textContent?.includes(code))
const readRow = (code: string): string => findRow(code)?.textContent ?? ''
async function chooseAction(code: string, item: string) {
  const menuButton = findRow(code)?.querySelector('[aria-haspopup=menu]')
  if (!menuButton) throw new Error(`there is no menu of ${code}`)
  await fixture.user.click(menuButton)
  await fixture.user.click(await screen.findByRole('menuitem', { name: item }))
}

it('The contract list has a row for each service with its tasks, its links and a deletion warning', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract')
  await expect.poll(() => readCodes().toSorted()).toEqual(['acmehr', 'acmeold', 'acmeshop', 'acmetest', 'acmetrade'])
  const headers = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(headers).toEqual(['Service code', 'Name', 'Created', 'Expiry date', 'Status', 'To pay', 'Actions'])
  expect(readRow('acmehr')).toMatch(/Unpaid[A-Z]{3}\s[\d,]+\.\d\dby \d{4}-\d\d-\d\d/)
  expect(readRow('acmetest')).toMatch(/Effective[A-Z]{3}\s[\d,]+\.\d\dby \d{4}-\d\d-\d\dChange\s\(5\s→\s12\susers\)/)
  // An invalid order cannot be opened: it has no button for that, and its menu shows the reason.
  expect(screen.queryByRole('button', { name: 'Manage acmeshop' })).toBeNull()
  await fixture.user.click(findRow('acmeshop')?.querySelector('[aria-haspopup=menu]') as HTMLElement)
  const manageItem = await screen.findByRole('menuitem', { name: /^Manage/ })
  expect(manageItem.getAttribute('aria-disabled')).toBe('true')
  expect(readDescription(manageItem)).not.toBe('')
  await fixture.user.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Tools' })).toBeNull()

  expect(screen.queryByRole('button', { name: 'Open Addresses of acmehr' })).toBeNull()
  await press('Open Addresses of acmetrade')
  const serviceDialog = await dialog('Service acmetrade')
  expect(serviceDialog.getAllByRole('link').map(({ textContent }) => textContent?.trim())).toEqual([
    'https://www.acmetrade.m18.example/',
    'https://admin.acmetrade.m18.example/',
  ])
  await fixture.user.click(serviceDialog.getAllByRole('button', { name: 'Close' }).at(-1) ?? serviceDialog.element)
  await noDialog()

  await chooseAction('acmeshop', 'Delete')
  await (await dialog('Delete acmeshop?')).press('Keep it')
  await noDialog()
  expect(readCodes()).toContain('acmeshop')
  await chooseAction('acmeshop', 'Delete')
  await (await dialog('Delete acmeshop?')).press('Delete')
  // If the response is slow, the change is first stored on the device.
  await screen.findByText(/^(Delete successfully|Saved on this device)\./)
  await expect.poll(readCodes).not.toContain('acmeshop')

  await chooseAction('acmeold', 'Order again')
  // The address contains the id of the order only until the form is filled from it.
  await waitForPath(fixture.browser, '/app/contract/new')
  await expect.poll(() => document.querySelector<HTMLInputElement>('main [name=name]')?.value).toBe('Acme archive')
})

it('The tabs list everything payable, what ends soon and what has expired, with counts, offline too (D35)', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract')
  await expect.poll(() => readCodes().length).toBe(5)
  const findTab = (name: string | RegExp) => screen.findByRole('link', { name })
  const readItems = () => [...document.querySelectorAll('tbody tr')].map(({ textContent }) => textContent ?? '')
  await fixture.user.click(await findTab('To pay 2'))
  await waitForPath(fixture.browser, '/app/contract?status=0')
  await expect.poll(() => readItems().length).toBe(2)
  expect(readItems().find((text) => text.startsWith('Change of Acme, to try things out (5 → 12 users)'))).toMatch(
    /[A-Z]{3}\s[\d,]+\.\d\d\d{4}-\d\d-\d\dpay by/,
  )
  await fixture.user.click(await findTab('Ending soon 1'))
  await expect.poll(readCodes).toEqual(['acmetest'])
  await fixture.user.click(await findTab('Expired'))
  await expect.poll(readCodes).toEqual(['acmeold'])
  await fixture.user.click(await findTab('All'))
  await expect.poll(() => readCodes().length).toBe(5)
  fixture.browser.goOffline()
  await fixture.browser.open('/app/contract?status=0')
  await expect.poll(() => readItems().length).toBe(2)
  await findTab('To pay 2')
  await findTab('Ending soon 1')
  // Another status is a filter within all contracts, which can be removed.
  await fixture.browser.open('/app/contract?status=1')
  await press('Remove filter Status: Effective')
  await expect.poll(() => readCodes().length).toBe(5)
})

it('The tabs of all companies count the contracts that they list, offline too', async () => {
  await fixture.browser.openAs('delete@m18', '/app/contract')
  const findTab = (name: RegExp) => screen.findByRole('link', { name })
  const readCount = async (name: RegExp) => Number(/\d+$/.exec((await findTab(name)).textContent ?? '')?.[0])
  const expectCounts = async () => {
    for (const name of [/^To pay \d+$/, /^Ending soon \d+$/]) {
      const count = await readCount(name)
      await fixture.user.click(await findTab(name))
      await expect.poll(() => readCodes().length).toBe(count)
    }
  }
  await expectCounts()
  expect(await readCount(/^To pay/)).toBeGreaterThan(1)
  fixture.browser.goOffline()
  await fixture.browser.open('/app/contract')
  await expectCounts()
})

it('Offline, a contract list that was never loaded is shown as never loaded, without an error', async () => {
  const originalFetch = fetch
  // Makes the background load fail, which would otherwise load the rest of the list.
  vi.stubGlobal('fetch', (request: Request) =>
    String(request.url ?? request).includes('/sorder') ? Promise.reject(new TypeError()) : originalFetch(request),
  )
  await fixture.browser.openAs('admin@acme', '/app/profile/user')
  fixture.browser.goOffline()
  const errors: string[] = []
  const observer = new MutationObserver(() => {
    const error = document.querySelector('.problem, main [role=alert]:not(:empty)')
    if (error) errors.push(error.textContent ?? '')
  })
  observer.observe(document, { childList: true, subtree: true })
  await fixture.browser.open('/app/contract')
  await screen.findByRole('heading', { name: 'No contracts are saved on this device yet' })
  expect(document.querySelector('.list table')).toBeNull()
  observer.disconnect()
  expect(errors).toEqual([])
})

nightly('The calendar of contracts has a public address that works until it is revoked', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract')
  await press('Calendar')
  await press('Create link')
  await expect.poll(() => document.querySelector('.order-calendar code')).not.toBeNull()
  const url = new URL(document.querySelector('.order-calendar code')?.textContent ?? '')
  const fetchCalendar = () => fixture.server.send({ url: url.pathname })
  const { body } = await fetchCalendar()
  expect(body).toContain('BEGIN:VEVENT')
  expect(body).toMatch(/DTSTART;VALUE=DATE:\d{8}/)
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await press('Calendar')
  await screen.findByText(/Your link was created on/)
  await press('Turn off link')
  await findText('The link no longer works.')
  expect((await fetchCalendar()).statusCode).toBe(404)
})

it('Provider admins choose a company and a client type (M67, D53), and cannot order without a price list (M68)', async () => {
  await fixture.browser.openAs('delete@m18', '/app/contract')
  await choose('Tools', 'Choose a company')
  const companyPicker = screen.getByRole<HTMLInputElement>('combobox', { name: 'Company' })
  await expect.poll(() => document.activeElement).toBe(companyPicker)
  await fixture.user.keyboard('acme tra')
  const option = await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
  await expect.poll(() => companyPicker.getAttribute('aria-activedescendant')).toBe(option.id)
  await fixture.user.keyboard('{Enter}')
  await expect.poll(() => companyPicker.value).toBe('Acme Trading Limited')
  await expect.poll(readCodes).toContain('acmetrade')
  await fixture.browser.open(fixture.browser.path())
  await expect.poll(readCodes).toContain('acmetrade')
  // Offline, the search finds only companies that this device has loaded.
  fixture.browser.goOffline()
  await press('Clear filters')
  await fixture.user.click(screen.getByRole('combobox', { name: 'Company' }))
  await fixture.user.keyboard('{ArrowDown}')
  await screen.findByRole('option', { name: 'Acme Trading Limited acme' })
  await fixture.user.keyboard('trading')
  await screen.findByText('Offline: only companies on this device.')
  await fixture.user.keyboard('{Enter}')
  await expect.poll(readCodes).toContain('acmetrade')
  fixture.browser.goOnline()
  // An empty field selects all companies again.
  await fixture.user.clear(screen.getByRole('combobox', { name: 'Company' }))
  await fixture.user.keyboard('{Tab}')
  await waitForPath(fixture.browser, '/app/contract')
  await expect.poll(readCodes).toContain('acmetrade')
  await choose('Tools', 'Client type: mma', 'menuitemradio')
  await screen.findByRole('heading', { name: 'No contracts yet' })
  await fixture.browser.open('/app/contract/new')
  await waitForPath(fixture.browser, '/app/contract')
  await findText('That page needs a price list. There is no current price list. Please ask your provider.')
  const [createButton] = await screen.findAllByRole('button', { name: 'New contract' })
  await expect
    .poll(() => createButton && readDescription(createButton))
    .toBe('There is no current price list. Please ask your provider.')
})
