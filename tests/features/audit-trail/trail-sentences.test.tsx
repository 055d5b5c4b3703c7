/** Tests where the sentences of entries are shown, and the head of the trail page: date menu, chart and chips (decision 106). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { nightly } from '#tests/support/runner/nightly.ts'
import { getButton } from '#tests/support/pages/fields.ts'
import { setUpPages, waitForPath } from '#tests/support/pages/screen.ts'
import { writeEntries, type WrittenEntry } from '#tests/support/audit-trail/trail-entries.ts'
import { canaries } from '#tests/support/server/world.ts'

const fixture = setUpPages()
const path = '/app/systrail'
const admin = `${canaries.alpha} admin`

const createPayment = (second: number, overrides: Partial<WrittenEntry> = {}): WrittenEntry => ({
  time: `2026-01-10 09:00:0${second}`,
  userName: 'admin@alpha',
  code: 'order',
  operation: 'pay',
  info: { ServiceCode: `service${second}`, Amount: 'HKD 29000.00', Outcome: 'applied', Gateway: 'stripe' },
  ...overrides,
})
const createLogin = (second: number) => createPayment(second, { code: 'user', operation: 'login', info: {} })

const findActivity = async () => within(await screen.findByRole('region', { name: 'Recent activity' }))
const readSentences = async () =>
  (await findActivity()).queryAllByRole('listitem').map((item) => item.querySelector('span')?.textContent)

it('The home page shows the latest entries as sentences, without logins until the user asks for them', async () => {
  await writeEntries(fixture.server, createLogin(1), createPayment(2), createLogin(3), createLogin(4), createLogin(5))
  await fixture.browser.openAs('admin@alpha', '/app/home')
  const payment = `${admin} applied a payment of HKD 29,000.00 to service2`
  await expect.poll(readSentences).toEqual([payment])
  await fixture.user.click((await findActivity()).getByRole('button', { name: 'Show logins' }))
  const logins = Array<string>(4).fill(`${admin} logged in`)
  await expect.poll(readSentences).toEqual([...logins, payment])
  // The choice is stored on the device, and the shown entries are there without a connection too.
  fixture.browser.goOffline()
  await fixture.browser.open('/app/home')
  await expect.poll(readSentences).toEqual([...logins, payment])
  await fixture.user.click((await findActivity()).getByRole('button', { name: 'Hide logins' }))
  await expect.poll(readSentences).toEqual([payment])
})

it('The price lists show who changed a price, with the old and the new amount', async () => {
  await writeEntries(
    fixture.server,
    createPayment(1, {
      userName: 'delete@m18',
      code: 'price',
      operation: 'update',
      info: { PriceEffDate: '2027-01-01', PriceDesc: 'Prices', ChangeCount: 1 },
      changes: [{ field: 'concurrentUser.1-10.hkd', before: '1260.00', after: '1300.00' }],
    }),
  )
  await fixture.browser.openAs('delete@m18', '/app/m18/price')
  await expect
    .poll(readSentences)
    .toEqual([
      expect.stringMatching(
        / changed Concurrent users 1–10, HKD: 1,260\.00 → 1,300\.00 in the price list of 2027-01-01$/,
      ),
    ])
})

it('The days of the trail are chosen in one menu, by usual ranges', async () => {
  await writeEntries(fixture.server, createPayment(1))
  await fixture.browser.openAs('admin@alpha', `${path}?operation=pay`)
  await screen.findByRole('link', { name: '2026-01-10 09:00:01' })
  // The operation has no field, so it is a chip.
  getButton('Remove filter Operation: Pay')
  await fixture.user.click(getButton('Time: Any time'))
  await expect.poll(() => document.activeElement?.textContent).toBe('Any time')
  await fixture.user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await fixture.user.click(getButton('Time: Any time'))
  await fixture.user.click(screen.getByRole('button', { name: 'Today' }))
  await screen.findByRole('heading', { name: 'No entry matches these filters' })
  expect(document.activeElement).toBe(getButton('Time: Today'))
  expect(fixture.browser.path()).toMatch(/&dateFrom=(\d{4}-\d\d-\d\d)&dateTo=\1$/)
})

nightly('The chart of the trail stays closed on this device once it was closed', async () => {
  await writeEntries(fixture.server, createPayment(1))
  await fixture.browser.openAs('admin@alpha', path)
  await screen.findByRole('slider')
  await fixture.user.click(screen.getByText('Activity by day'))
  await expect.poll(() => screen.queryByRole('slider')).toBeNull()
  await fixture.browser.open(path)
  await screen.findByRole('link', { name: '2026-01-10 09:00:01' })
  expect(screen.queryByRole('slider')).toBeNull()
  await fixture.user.click(screen.getByText('Activity by day'))
  await screen.findByRole('slider')
})

nightly('A search without a match says that words of a sentence are not searched', async () => {
  await fixture.browser.openAs('admin@alpha', `${path}?searchText=xyzzy`)
  await screen.findByText(/not for words of a sentence/)
  await fixture.user.click(getButton('Show all entries'))
  await waitForPath(fixture.browser, path)
})
