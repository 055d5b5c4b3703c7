/** Subscribing a contract's service to backups (contracts 2, 4, 5, 9; M123 to M126; D15, D17, D20, D21, D89), over a server that sells them. */
import { screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { addDays, addMonths, addYears, lastDay } from '#domain/period.ts'
import { backupOf, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { button, described, named, type } from '#tests/support/pages/fields.ts'
import { nightly, nightlyBlock } from '#tests/support/runner/nightly.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { handsOn, newPrices, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, says } = handsOn(the)
let admin: SignedIn
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
})

/** A contract in effect, from today on for two years. */
const buy = async (code: string, fields = {}) =>
  (await bought(the.server, admin, { code, name: `Test ${code}`, period: 2, period_start: today(), ...fields })).id
const tabOf = (id: number) => `/app/contract/${id}?tab=subscribe`
async function at(code: string, fields = {}): Promise<number> {
  const id = await buy(code, fields)
  await the.browser.openAs('admin@acme', tabOf(id))
  await screen.findByRole('heading', { level: 2, name: 'Backup to S3' })
  return id
}
const card = (name: string) => within(screen.getByRole('region', { name }))
const due = () => document.querySelector('.backup-due .amount')?.textContent
const fact = (name: string) =>
  [...document.querySelectorAll('.backup-form dl.facts > div')]
    .find((one) => one.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent
const orderButton = () => document.querySelector('.backup-form button[type=submit]')
const order = async () => {
  await expect.poll(orderButton).not.toBeNull()
  await the.user.click(orderButton() as HTMLElement)
}
const rows = () =>
  [...screen.getByRole('table', { name: /^Backup subscriptions of/ }).querySelectorAll('tbody tr')].map(
    ({ textContent }) => textContent ?? '',
  )
const ordered = async (code: string) =>
  (await admin.send({ url: `/api/pdb/order?serviceId=${await serviceIdOf(the.server, code)}` })).json().data as {
    id: number
    status: number
    pay_amount: string
    period_end: string
  }[]
/** The two cards' tags, with what they say of each. */
const tags = () => [...document.querySelectorAll('.backup-card .tag')].map(({ textContent }) => textContent)

describe('the tab (M123)', () => {
  it('stands beside the contract, is an address of its own, and leads back to the list', async () => {
    const id = await at('tabbed')
    expect(screen.getByRole('link', { name: 'Backup subscription' }).getAttribute('aria-current')).toBe('page')
    expect(screen.queryByRole('button', { name: 'Modify' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Return' }).getAttribute('href')).toBe('/saas/app/contract')
    await the.user.click(screen.getByRole('link', { name: 'Contract' }))
    await screen.findByRole('button', { name: 'Modify' })
    expect(the.browser.path()).toBe(`/app/contract/${id}`)
    expect(screen.queryByRole('heading', { name: 'Backup to S3' })).toBeNull()
  })

  nightly('is not there where the price list sells no backups', async () => {
    const id = await buy('nobackup')
    await newPrices(the.server, () => ({ pdbPrice: null }))
    await the.browser.openAs('admin@acme', tabOf(id))
    await screen.findByRole('button', { name: 'Modify' })
    expect(screen.queryByRole('link', { name: 'Backup subscription' })).toBeNull()
  })

  nightly('is not there before there is a contract', async () => {
    const made = await admin.send({
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
    await the.browser.openAs('admin@acme', tabOf(made.json().id))
    await screen.findByText(/^This order is unpaid/)
    expect(screen.queryByRole('link', { name: 'Backup subscription' })).toBeNull()
  })
})

it('subscribes: what it is and costs, how long, why that amount, and payment at once (M124 to M126, D20)', async () => {
  const id = await at('subscribed')
  await expect.poll(tags).toEqual(['Not enabled', 'Not enabled'])
  for (const shown of ['HKD 6,000.00', '10%', '50 GB a month', 'HKD 12.50'])
    await card('Backup to S3').findByText(shown)
  await press('Subscribe: Backup to S3')
  await expect.poll(due).toBe('HKD 5,400.00')
  expect(document.activeElement).toBe(named('backup-period'))
  await expect
    .poll(() => [fact('Start'), fact('Last day')])
    .toEqual([`${today()} Today`, lastDay(addYears(today(), 1))])

  // As it is typed; the focus stays.
  await type(the.user, { 'backup-period': '7' })
  expect(document.activeElement).toBe(named('backup-period'))
  await the.user.selectOptions(named('backup-unit'), 'Months')
  await expect.poll(due).toBe('HKD 3,150.00')
  await expect.poll(() => fact('Last day')).toBe(lastDay(addMonths(today(), 7)))
  await the.user.click(screen.getByText('Why this amount?'))
  const why = await screen.findByRole('region', { name: 'Why this amount?' })
  await expect.poll(() => why.textContent).toContain('7 months of 6,000.00 a year')
  expect(why.textContent).toContain('Less the discount of 10.00%-350.00')

  await type(the.user, { 'backup-period': '100' })
  await says('A whole number from 1 to 99')
  await expect.poll(() => described(orderButton() ?? document.body)).toBe('Correct the marked fields first.')
  await type(the.user, { 'backup-period': '7' })
  await order()
  const pay = await dialog('Pay Backup to S3')
  await pay.findByText('HKD 3,150.00')
  await expect.poll(() => pay.element.textContent).toMatch(/Due by \d{4}-\d{2}-\d{2} 23:59/)
  expect(await ordered('subscribed')).toMatchObject([{ status: 0, pay_amount: '3150.00' }])
  await the.user.keyboard('{Escape}')

  // It waits: said with its last second, paid from here.
  await says('Backup to S3 is unpaid:')
  await expect.poll(rows).toEqual([expect.stringContaining('Unpaid')])
  await expect.poll(() => document.querySelector('.backup-form')).toBeNull()
  expect(id).toBeGreaterThan(0)
}, 60_000)

nightly('a new order takes the place of an unpaid one, and says so before (D32)', async () => {
  const id = await buy('replaced')
  await backupOf(the.server, 'replaced', { status: 0, months: 1, period: 1, period_type: 'month' })
  await the.browser.openAs('admin@acme', tabOf(id))
  await press('Subscribe: Backup to S3')
  await says('is unpaid, due by')
  const form = () => document.querySelector('.backup-form')?.textContent
  await expect
    .poll(form)
    .toMatch(/An earlier order of HKD 450\.00 is unpaid, due by \d{4}-.* A new order replaces it\./)
  await expect.poll(due).toBe('HKD 5,400.00')
  await order()
  await dialog('Pay Backup to S3')
  expect((await ordered('replaced')).map(({ status }) => status)).toEqual([0, -1])
})

nightly('is cut at the end of the contract, and nothing is sold beyond it (D21)', async () => {
  const id = await at('cut', { period: 1 })
  await press('Subscribe: Backup to RDS')
  await type(the.user, { 'backup-period': '3' })
  await says('Cut at the end of the contract: 12 months are charged.')
  await expect.poll(due).toBe('HKD 15,000.00')
  expect(fact('Last day')).toBe(lastDay(addYears(today(), 1)))
  await press('Cancel')
  await backupOf(the.server, 'cut', {
    pdb_type: 'pdb2rds',
    period_start: today(),
    period_end: addYears(today(), 1),
    annual: '15000.00',
    discount: '0.00',
  })
  await press('Refresh')
  await expect.poll(tags).toEqual(['Not enabled', `Effective until ${lastDay(addYears(today(), 1))}`])
  await expect
    .poll(() => described(button('Extend: Backup to RDS')))
    .toBe('Subscribed to the end of the contract. Extend the contract first.')
  expect(id).toBeGreaterThan(0)
})

nightly('goes on after the present subscription; what has run out is said (D21, M124)', async () => {
  const id = await buy('further')
  const end = addMonths(today(), 3)
  await backupOf(the.server, 'further', { period_start: addDays(today(), -10), period_end: end, months: 3 })
  await backupOf(the.server, 'further', {
    pdb_type: 'pdb2rds',
    period_start: addDays(today(), -40),
    period_end: addDays(today(), -10),
    months: 1,
  })
  await the.browser.openAs('admin@acme', tabOf(id))
  await press('Extend: Backup to S3')
  await expect.poll(tags).toEqual([`Effective until ${lastDay(end)}`, `Expired on ${addDays(today(), -11)}`])
  await expect.poll(() => fact('Start')).toBe(`${end} After the current subscription`)
  await expect.poll(() => fact('Last day')).toBe(lastDay(addYears(end, 1)))
})

nightly('costs nothing and is in effect at once where all of it is taken off (D15)', async () => {
  const id = await buy('gift')
  await newPrices(the.server, ({ ['pdbPrice']: prices }) => ({
    pdbPrice: { ...(prices as object), pdb2s3_discount: '100.00' },
  }))
  await the.browser.openAs('admin@acme', tabOf(id))
  await press('Subscribe: Backup to S3')
  await expect.poll(due).toBe('HKD 0.00')
  await order()
  await says('Backup to S3 is in effect now.')
  await expect.poll(() => tags()[0]).toMatch(/^Effective until/)
  expect(screen.queryByRole('dialog')).toBeNull()
})

nightlyBlock('another price', () => {
  const dearer = () =>
    newPrices(the.server, ({ ['pdbPrice']: prices }) => ({
      pdbPrice: { ...(prices as object), pdb2s3_fee_hkd: '7200.00' },
    }))

  nightly('than was shown is not ordered: both are shown, and it is ordered by the new one (D17, D89)', async () => {
    await at('changed')
    await press('Subscribe: Backup to S3')
    await expect.poll(due).toBe('HKD 5,400.00')
    await dearer()
    await order()
    await screen.findByText(/^The price has changed since it was shown\./)
    await says('HKD 5,400.00 → HKD 6,480.00')
    await expect.poll(due).toBe('HKD 6,480.00')
    expect(await ordered('changed')).toEqual([])
    await order()
    await dialog('Pay Backup to S3')
    expect(await ordered('changed')).toMatchObject([{ pay_amount: '6480.00' }])
  })

  nightly(
    'than without a line: what was chosen is a draft, never sent by itself; back online the present price is shown beside it first',
    async () => {
      const id = await at('drafted')
      the.browser.goOffline()
      await press('Subscribe: Backup to S3')
      await type(the.user, { 'backup-period': '2' })
      await expect.poll(due).toBe('HKD 10,800.00')
      await says('Offline quote, from the price list updated')
      await says('Nothing is ordered automatically.')
      await expect.poll(() => described(orderButton() ?? document.body)).toBe('This needs a connection.')
      await order()
      await dearer()
      // A reload keeps it.
      await the.browser.open(tabOf(id))
      await expect.poll(due).toBe('HKD 10,800.00')
      expect(named('backup-period').value).toBe('2')
      the.browser.goOnline()
      await says('HKD 10,800.00 → HKD 12,960.00')
      expect(await ordered('drafted')).toEqual([])
      await order()
      await dialog('Pay Backup to S3')
      expect(await ordered('drafted')).toMatchObject([{ pay_amount: '12960.00' }])
      // What was ordered is no draft any more.
      await the.browser.open(tabOf(id))
      await screen.findByRole('heading', { level: 2, name: 'Backup to S3' })
      await says('Backup to S3 is unpaid:')
      await expect.poll(() => document.querySelector('.backup-form')).toBeNull()
    },
    60_000,
  )
})

nightly('says without a line why nothing can be paid or printed, and shows what is here', async () => {
  const id = await buy('kept')
  await backupOf(the.server, 'kept')
  await backupOf(the.server, 'kept', { pdb_type: 'pdb2rds', status: 0 })
  await the.browser.openAs('admin@acme', tabOf(id))
  await expect.poll(rows).toHaveLength(2)
  the.browser.goOffline()
  await the.browser.open(tabOf(id))
  await expect.poll(rows).toHaveLength(2)
  expect(document.querySelector('.problem')).toBeNull()
  for (const name of [/^Print the subscription/, 'Pay'])
    await expect
      .poll(() => [...new Set(screen.getAllByRole('button', { name }).map(described))])
      .toEqual(['This needs a connection.'])
})
