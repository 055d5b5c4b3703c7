/** Tests subscribing the service of a contract to backups (contracts 2, 4, 5, 9; M123 to M126; D15, D17, D20, D21, D89). */
import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { addDays, addMonths, addYears, getLastDay } from '#domain/plain-dates.ts'
import { createBackupOrder, readServiceId } from '#tests/support/hosting/backups.ts'
import { getButton, readDescription, getNamedField, typeValues } from '#tests/support/pages/fields.ts'
import { nightly, nightlyBlock } from '#tests/support/runner/nightly.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { createUserActions, createPriceList, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, findText } = createUserActions(fixture)
let adminSession: SignedIn
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
})

/** Buys a contract for two years that starts today. */
const buyContract = async (code: string, fields = {}) =>
  (
    await buyOrder(fixture.server, adminSession, {
      code,
      name: `Test ${code}`,
      period: 2,
      period_start: today(),
      ...fields,
    })
  ).id
const getTabPath = (id: number) => `/app/contract/${id}?tab=subscribe`
async function openTab(code: string, fields = {}): Promise<number> {
  const id = await buyContract(code, fields)
  await fixture.browser.openAs('admin@acme', getTabPath(id))
  await screen.findByRole('heading', { level: 2, name: 'Backup to S3' })
  return id
}
const withinCard = (name: string) => within(screen.getByRole('region', { name }))
const readDueAmount = () => document.querySelector('.backup-due .amount')?.textContent
const readFact = (name: string) =>
  [...document.querySelectorAll('.backup-form dl.facts > div')]
    .find((factRow) => factRow.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent
const findOrderButton = () => document.querySelector('.backup-form button[type=submit]')
const submitOrder = async () => {
  await expect.poll(findOrderButton).not.toBeNull()
  await fixture.user.click(findOrderButton() as HTMLElement)
}
const readRows = () =>
  [...screen.getByRole('table', { name: /^Backup subscriptions of/ }).querySelectorAll('tbody tr')].map(
    ({ textContent }) => textContent ?? '',
  )
const fetchOrders = async (code: string) =>
  (await adminSession.send({ url: `/api/pdb/order?serviceId=${await readServiceId(fixture.server, code)}` })).json()
    .data as {
    id: number
    status: number
    pay_amount: string
    period_end: string
  }[]
const readTags = () => [...document.querySelectorAll('.backup-card .tag')].map(({ textContent }) => textContent)

describe('the tab "Backup subscription" (M123)', () => {
  it('is next to the contract tab, has its own address and leads back to the list', async () => {
    const id = await openTab('tabbed')
    expect(screen.getByRole('link', { name: 'Backup subscription' }).getAttribute('aria-current')).toBe('page')
    expect(screen.queryByRole('button', { name: 'Modify' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Return' }).getAttribute('href')).toBe('/saas/app/contract')
    await fixture.user.click(screen.getByRole('link', { name: 'Contract' }))
    await screen.findByRole('button', { name: 'Modify' })
    expect(fixture.browser.path()).toBe(`/app/contract/${id}`)
    expect(screen.queryByRole('heading', { name: 'Backup to S3' })).toBeNull()
  })

  nightly('is missing if the price list sells no backups', async () => {
    const id = await buyContract('nobackup')
    await createPriceList(fixture.server, () => ({ pdbPrice: null }))
    await fixture.browser.openAs('admin@acme', getTabPath(id))
    await screen.findByRole('button', { name: 'Modify' })
    expect(screen.queryByRole('link', { name: 'Backup subscription' })).toBeNull()
  })

  nightly('is missing before there is a contract', async () => {
    const response = await adminSession.send({
      method: 'POST',
      url: '/api/sorder',
      payload: {
        code: 'unpaidone',
        name: 'Unpaid',
        currency: 'HKD',
        user_mode: 'CONCURRENT',
        users: 10,
        modules: ['core', 'fin'],
        period: 1,
        period_start: today(),
      },
    })
    await fixture.browser.openAs('admin@acme', getTabPath(response.json().id))
    await screen.findByText(/^This order is unpaid/)
    expect(screen.queryByRole('link', { name: 'Backup subscription' })).toBeNull()
  })
})

it('Subscribing shows content, fee, duration and calculation, and leads to payment (M124 to M126, D20)', async () => {
  const id = await openTab('subscribed')
  await expect.poll(readTags).toEqual(['Not enabled', 'Not enabled'])
  for (const expectedText of ['HKD 6,000.00', '10%', '50 GB a month', 'HKD 12.50'])
    await withinCard('Backup to S3').findByText(expectedText)
  await press('Subscribe: Backup to S3')
  await expect.poll(readDueAmount).toBe('HKD 5,400.00')
  expect(document.activeElement).toBe(getNamedField('backup-period'))
  await expect
    .poll(() => [readFact('Start'), readFact('Last day')])
    .toEqual([`${today()} Today`, getLastDay(addYears(today(), 1))])

  // The amount changes while the user types, and the focus stays.
  await typeValues(fixture.user, { 'backup-period': '7' })
  expect(document.activeElement).toBe(getNamedField('backup-period'))
  await fixture.user.selectOptions(getNamedField('backup-unit'), 'Months')
  await expect.poll(readDueAmount).toBe('HKD 3,150.00')
  await expect.poll(() => readFact('Last day')).toBe(getLastDay(addMonths(today(), 7)))
  await fixture.user.click(screen.getByText('Why this amount?'))
  const explanation = await screen.findByRole('region', { name: 'Why this amount?' })
  await expect.poll(() => explanation.textContent).toContain('7 months of 6,000.00 a year')
  expect(explanation.textContent).toContain('Less the discount of 10%-350.00')

  await typeValues(fixture.user, { 'backup-period': '100' })
  await findText('Please enter a whole number from 1 to 99.')
  await expect.poll(() => readDescription(findOrderButton() ?? document.body)).toBe('Correct the marked fields first.')
  await typeValues(fixture.user, { 'backup-period': '7' })
  await submitOrder()
  const payDialog = await dialog('Pay Backup to S3')
  await payDialog.findByText('HKD 3,150.00')
  await expect.poll(() => payDialog.element.textContent).toMatch(/Due by \d{4}-\d{2}-\d{2} 23:59/)
  expect(await fetchOrders('subscribed')).toMatchObject([{ status: 0, pay_amount: '3150.00' }])
  await fixture.user.keyboard('{Escape}')

  // The unpaid order is shown with its deadline to the second, and can be paid here.
  await findText('Backup to S3 is unpaid:')
  await expect.poll(readRows).toEqual([expect.stringContaining('Unpaid')])
  await expect.poll(() => document.querySelector('.backup-form')).toBeNull()
  expect(id).toBeGreaterThan(0)
}, 60_000)

nightly('A new order replaces an unpaid order, after a notice (D32)', async () => {
  const id = await buyContract('replaced')
  await createBackupOrder(fixture.server, 'replaced', { status: 0, months: 1, period: 1, period_type: 'month' })
  await fixture.browser.openAs('admin@acme', getTabPath(id))
  await press('Subscribe: Backup to S3')
  await findText('is unpaid, due by')
  const readForm = () => document.querySelector('.backup-form')?.textContent
  await expect
    .poll(readForm)
    .toMatch(/An earlier order of HKD 450\.00 is unpaid, due by \d{4}-.* A new order replaces it\./)
  await expect.poll(readDueAmount).toBe('HKD 5,400.00')
  await submitOrder()
  await dialog('Pay Backup to S3')
  expect((await fetchOrders('replaced')).map(({ status }) => status)).toEqual([0, -1])
})

nightly('A subscription is cut at the end of the contract and cannot be sold beyond it (D21)', async () => {
  const id = await openTab('cut', { period: 1 })
  await press('Subscribe: Backup to RDS')
  await typeValues(fixture.user, { 'backup-period': '3' })
  await findText('Ends with the contract: 12 months are charged.')
  await expect.poll(readDueAmount).toBe('HKD 15,000.00')
  expect(readFact('Last day')).toBe(getLastDay(addYears(today(), 1)))
  await press('Cancel')
  await createBackupOrder(fixture.server, 'cut', {
    pdb_type: 'pdb2rds',
    period_start: today(),
    period_end: addYears(today(), 1),
    annual: '15000.00',
    discount: '0.00',
  })
  await press('Refresh')
  await expect.poll(readTags).toEqual(['Not enabled', `Effective until ${getLastDay(addYears(today(), 1))}`])
  await expect
    .poll(() => readDescription(getButton('Extend: Backup to RDS')))
    .toBe('Subscribed until the contract ends. To subscribe for longer, extend the contract first.')
  expect(id).toBeGreaterThan(0)
})

nightly(
  'A new subscription follows the current one, and an expired subscription is shown as expired (D21, M124)',
  async () => {
    const id = await buyContract('further')
    const endDate = addMonths(today(), 3)
    await createBackupOrder(fixture.server, 'further', {
      period_start: addDays(today(), -10),
      period_end: endDate,
      months: 3,
    })
    await createBackupOrder(fixture.server, 'further', {
      pdb_type: 'pdb2rds',
      period_start: addDays(today(), -40),
      period_end: addDays(today(), -10),
      months: 1,
    })
    await fixture.browser.openAs('admin@acme', getTabPath(id))
    await press('Extend: Backup to S3')
    await expect
      .poll(readTags)
      .toEqual([`Effective until ${getLastDay(endDate)}`, `Expired on ${addDays(today(), -11)}`])
    await expect.poll(() => readFact('Start')).toBe(`${endDate} After the current subscription`)
    await expect.poll(() => readFact('Last day')).toBe(getLastDay(addYears(endDate, 1)))
  },
)

nightly('A subscription with a full discount costs nothing and takes effect at once (D15)', async () => {
  const id = await buyContract('gift')
  await createPriceList(fixture.server, ({ ['pdbPrice']: prices }) => ({
    pdbPrice: { ...(prices as object), pdb2s3_discount: '100.00' },
  }))
  await fixture.browser.openAs('admin@acme', getTabPath(id))
  await press('Subscribe: Backup to S3')
  await expect.poll(readDueAmount).toBe('HKD 0.00')
  await submitOrder()
  await findText('Backup to S3 is in effect now.')
  await expect.poll(() => readTags()[0]).toMatch(/^Effective until/)
  expect(screen.queryByRole('dialog')).toBeNull()
})

nightlyBlock('a price that has changed', () => {
  const raisePrices = () =>
    createPriceList(fixture.server, ({ ['pdbPrice']: prices }) => ({
      pdbPrice: { ...(prices as object), pdb2s3_fee_hkd: '7200.00' },
    }))

  nightly('is shown with the old price before anything is ordered, and is then used (D17, D89)', async () => {
    await openTab('changed')
    await press('Subscribe: Backup to S3')
    await expect.poll(readDueAmount).toBe('HKD 5,400.00')
    await raisePrices()
    await submitOrder()
    await screen.findByText(/^The price has changed since it was shown\./)
    await findText('HKD 5,400.00 → HKD 6,480.00')
    await expect.poll(readDueAmount).toBe('HKD 6,480.00')
    expect(await fetchOrders('changed')).toEqual([])
    await submitOrder()
    await dialog('Pay Backup to S3')
    expect(await fetchOrders('changed')).toMatchObject([{ pay_amount: '6480.00' }])
  })

  nightly(
    'is shown online next to the offline draft, which is never sent automatically',
    async () => {
      const id = await openTab('drafted')
      fixture.browser.goOffline()
      await press('Subscribe: Backup to S3')
      await typeValues(fixture.user, { 'backup-period': '2' })
      await expect.poll(readDueAmount).toBe('HKD 10,800.00')
      await findText('Offline quote, from the price list updated')
      await findText('Nothing is ordered automatically.')
      await expect.poll(() => readDescription(findOrderButton() ?? document.body)).toBe('This needs a connection.')
      await submitOrder()
      await raisePrices()
      // The draft survives a reload.
      await fixture.browser.open(getTabPath(id))
      await expect.poll(readDueAmount).toBe('HKD 10,800.00')
      expect(getNamedField('backup-period').value).toBe('2')
      fixture.browser.goOnline()
      await findText('HKD 10,800.00 → HKD 12,960.00')
      expect(await fetchOrders('drafted')).toEqual([])
      await submitOrder()
      await dialog('Pay Backup to S3')
      expect(await fetchOrders('drafted')).toMatchObject([{ pay_amount: '12960.00' }])
      // The draft is deleted once it was ordered.
      await fixture.browser.open(getTabPath(id))
      await screen.findByRole('heading', { level: 2, name: 'Backup to S3' })
      await findText('Backup to S3 is unpaid:')
      await expect.poll(() => document.querySelector('.backup-form')).toBeNull()
    },
    60_000,
  )
})

nightly('Offline, the subscription tab shows the cached orders and why nothing can be paid or printed', async () => {
  const id = await buyContract('cached')
  await createBackupOrder(fixture.server, 'cached')
  await createBackupOrder(fixture.server, 'cached', { pdb_type: 'pdb2rds', status: 0 })
  await fixture.browser.openAs('admin@acme', getTabPath(id))
  await expect.poll(readRows).toHaveLength(2)
  fixture.browser.goOffline()
  await fixture.browser.open(getTabPath(id))
  await expect.poll(readRows).toHaveLength(2)
  expect(document.querySelector('.problem')).toBeNull()
  for (const name of [/^Print the subscription/, 'Pay'])
    await expect
      .poll(() => [...new Set(screen.getAllByRole('button', { name }).map(readDescription))])
      .toEqual(['This needs a connection.'])
})
