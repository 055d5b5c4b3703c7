/** Tests the cards of the home page: the terms of a customer's contracts, and what the provider's staff need every day. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const readRows = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent)

it('The chart of terms is a table with the dates of each contract, also offline, and opens the contract', async () => {
  await fixture.browser.openAs('admin@acme', '/app/home')
  const table = await screen.findByRole('table', { name: 'Terms' })
  const rows = readRows(table)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatch(/\d{4}-\d\d-\d\d to (\d{4}-\d\d-\d\d).*\1/)
  fixture.browser.goOffline()
  await fixture.browser.open('/app/home')
  const offlineTable = await screen.findByRole('table', { name: 'Terms' })
  expect(readRows(offlineTable)).toEqual(rows)
  const [link] = within(offlineTable).getAllByRole('link')
  if (link) await fixture.user.click(link)
  await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/contract\/\d+$/)
})

it('Staff see what is unpaid, what ends and what is down, each with its list, and the newest customers', async () => {
  await fixture.browser.openAs('delete@m18', '/app/home')
  const figures = within(await screen.findByRole('list', { name: 'Overview' }))
  const readFigure = (name: string) => figures.getByRole('link', { name: new RegExp(`^${name}`) })
  await expect.poll(() => readFigure('Unpaid').textContent).toMatch(/(HKD|USD|RMB) [\d,]+\.\d\d.*Updated just now/)
  await expect.poll(() => readFigure('Services down').textContent).toMatch(/^Services down\d+of \d+ services?Updated/)
  await expect.poll(() => readFigure('Ends within 30 days').textContent).toMatch(/^Ends within 30 days\d+Updated/)
  expect(
    ['Unpaid', 'Ends within 30 days', 'Services down'].map((name) => readFigure(name).getAttribute('href')),
  ).toEqual([
    '/saas/app/m18/customer?show=unpaid',
    '/saas/app/service?show=ending',
    '/saas/app/m18/customer?show=fault',
  ])
  const customers = within(await screen.findByRole('region', { name: 'Newest customers' }))
  await fixture.user.click(await customers.findByRole('link', { name: /^Acme/ }))
  await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/m18\/customer\/\d+$/)
})
