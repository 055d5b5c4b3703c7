/** Tests the list of customers (decision 107), online and offline. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getNamedField } from '#tests/support/pages/fields.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const findRows = () => [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr:not(.waiting)')]
const readCodes = () => findRows().map((row) => row.querySelector('.customer-code')?.textContent)
const readRow = (code: string) =>
  findRows().find((row) => row.querySelector('.customer-code')?.textContent === code)?.textContent ?? ''

it('Staff see what each customer owes, filter the list, and read it offline', async () => {
  await fixture.browser.openAs('admin@m18', '/app/m18/customer')
  await expect.poll(() => readCodes().toSorted()).toEqual(['acme', 'alpha', 'beta'])
  const headers = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(headers).toEqual(['Name', 'Code', 'To pay', 'Contracts', 'Services', 'Health', 'Last activity', 'Created'])
  expect(readRow('acme')).toMatch(/[A-Z]{3} [\d,]+\.\d\d.*\d \/ \d/)
  expect(
    document.querySelector('tbody a[href$="/app/m18/customer/' + fixture.server.world.companies.alpha + '"]'),
  ).not.toBe(null)

  await fixture.user.selectOptions(getNamedField('show'), 'Has something to pay')
  await waitForPath(fixture.browser, '/app/m18/customer?show=unpaid')
  await expect.poll(readCodes).toEqual(['acme'])
  await fixture.user.selectOptions(getNamedField('show'), 'No contract')
  await expect.poll(() => readCodes().toSorted()).toEqual(['alpha', 'beta'])

  fixture.browser.goOffline()
  await fixture.browser.open('/app/m18/customer?show=unpaid')
  await expect.poll(readCodes).toEqual(['acme'])
  await fixture.browser.open('/app/m18/customer?searchText=nobody')
  await screen.findByText('Nothing matches “nobody”')
})

it('A user who may not see customers is sent to the home page, and the menu has no such item', async () => {
  await fixture.browser.openAs('user@m18', '/app/m18/customer')
  await waitForPath(fixture.browser, '/app/home')
  expect(screen.queryByRole('link', { name: 'Customers' })).toBeNull()
})
