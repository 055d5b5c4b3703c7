/** Tests the cards of the home page: the terms of a customer's contracts, and what the provider's staff need every day. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { updateService } from '#server/db/hosting/services.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
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
  await expect.poll(() => readFigure('Unpaid').textContent).toMatch(/(HKD|USD|RMB) [\d,]+\.\d\d/)
  await expect.poll(() => readFigure('Services down').textContent).toMatch(/^Services down\d+of \d+ services?$/)
  await expect.poll(() => readFigure('Ends within 30 days').textContent).toMatch(/^Ends within 30 days\d+$/)
  // The age of all figures is displayed once.
  expect(document.querySelector('.home-updated')?.textContent).toBe('Updated just now')
  expect(
    ['Unpaid', 'Ends within 30 days', 'Services down'].map((name) => readFigure(name).getAttribute('href')),
  ).toEqual(['/saas/app/m18/customer?show=unpaid', '/saas/app/service?show=ending', '/saas/app/service?show=down'])
  const customers = within(await screen.findByRole('region', { name: 'Newest customers' }))
  await fixture.user.click(await customers.findByRole('link', { name: /^Acme/ }))
  await expect.poll(() => fixture.browser.path()).toMatch(/^\/app\/m18\/customer\/\d+$/)
})

it('The number of services that are down is that of the list it opens, also offline', async () => {
  // A service on a host that does not respond keeps its status.
  await writeAsSystem(fixture.server.app, async (db) => {
    const { id } = await db.selectFrom('service').select('id').where('system_status', '=', 2).executeTakeFirstOrThrow()
    await updateService(db, id, { fault: 'unreachable' }, fixture.server.clock.now)
  })
  await fixture.browser.openAs('delete@m18', '/app/home')
  const figure = await screen.findByRole('link', { name: /^Services down/ })
  await expect.poll(() => figure.textContent).toMatch(/^Services down[1-9]/)
  const count = Number(/\d+/.exec(figure.textContent ?? '')?.[0])
  const countRows = () => document.querySelectorAll('tbody .service-code').length
  await fixture.user.click(figure)
  await expect.poll(() => fixture.browser.path()).toBe('/app/service?show=down')
  await expect.poll(countRows).toBe(count)
  fixture.browser.goOffline()
  await fixture.browser.open('/app/service?show=down')
  await expect.poll(countRows).toBe(count)
})

it('The device of an established company asks for its first steps only once', async () => {
  await writeAsSystem(fixture.server.app, (db) =>
    db
      .updateTable('company')
      .set({ create_time: 0 } as never)
      .execute(),
  )
  const countRequests = () => fixture.browser.sentRequests.filter(({ path }) => path === '/api/m18s/setup').length
  const isEnded = () => Object.entries(localStorage).some(([key, value]) => /setup/.test(key) && value === 'hidden')
  await fixture.browser.openAs('admin@acme', '/app/home')
  await expect.poll(isEnded).toBe(true)
  expect(countRequests()).toBe(1)
  await fixture.browser.open('/app/home')
  await screen.findByRole('table', { name: 'Terms' })
  expect(countRequests()).toBe(1)
})

it('Staff see who has to pay what until when, and the number of customers', async () => {
  await fixture.browser.openAs('delete@m18', '/app/home')
  const region = await screen.findByRole('region', { name: 'Needs attention' })
  await expect.poll(() => region.textContent).toMatch(/Acme.* · (HKD|USD|RMB) [\d,]+\.\d\d · pay by \d{4}-/)
  const attention = within(region)
  expect(attention.queryByText("You're all caught up")).toBeNull()
  const [openLink] = await attention.findAllByRole('link', { name: /^Open / })
  expect(openLink?.getAttribute('href')).toMatch(/^\/saas\/app\/contract\/\d+/)
  expect(attention.getByRole('link', { name: 'All that is to pay' }).getAttribute('href')).toBe(
    '/saas/app/contract?status=0',
  )
  const customers = await screen.findByRole('link', { name: /^Customers ?\d/ })
  expect(customers.getAttribute('href')).toBe('/saas/app/m18/customer')
})
