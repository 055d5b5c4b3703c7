/** A contract's page in every state, and what is asked and said on it before something changes (contracts 2). */
import { screen } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { button, named, submit, type } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import { bought, type Ordered, paid, readOrder } from '#tests/support/orders/shop-data.ts'
import { handsOn, newPrices, ordersOf, setUpShopPages, today, without } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, choose, says } = handsOn(the)
let admin: SignedIn
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
})

const fact = (name: string) =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((one) => one.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent
const due = () => document.querySelector('.price-due .amount')?.textContent
const history = () => [...document.querySelectorAll('.order-history tbody tr')].map(({ textContent }) => textContent)
const idOf = async (code: string): Promise<number> => (await ordersOf(admin, code))[0]?.id ?? 0
const pageOf = (id: number | string) => `/app/contract/${id}`
type Pending = { id: number; amount: string } | null
const pending = async (id: number) => (await readOrder(admin, id))['pending'] as Pending
/** The order whose contract this one took the place of. */
const replacedBy = async (id: number) => {
  const { contract_id: contract } = await readOrder(admin, id)
  const told = (await admin.send({ url: `/api/contract/${contract}/history` })).json() as { order_id: number }[]
  return told[1]?.order_id
}
const submitButton = () => document.querySelector('form button[type="submit"]')

/** A contract in effect: 25 users, core and fin, from today on for a year. */
const buy = async (code: string): Promise<number> =>
  (await bought(the.server, admin, { code, name: `Test ${code}`, users: 25, period_start: today() })).id
/** The same, on its page. */
async function at(code: string): Promise<number> {
  const id = await buy(code)
  await the.browser.openAs('admin@acme', pageOf(id))
  await screen.findByRole('button', { name: 'Modify' })
  return id
}
async function modify(users: string) {
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await type(the.user, { users })
}

describe('an order of each status', () => {
  it('effective: what was agreed, its history, and where its service is (M97 to M99, M104)', async () => {
    const id = await idOf('acmetrade')
    await the.browser.openAs('admin@acme', pageOf(id))
    await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
    expect([fact('Number of users'), fact('Currency')]).toEqual(['40', 'HKD'])
    await expect.poll(() => history().length).toBe(2)
    await expect.poll(history).toEqual([expect.stringContaining('Effective'), expect.stringContaining('Replaced')])
    // The last day, as the server says it; nothing is taken from it again (D18).
    expect(fact('Expiry date')).toBe((await readOrder(admin, id))['expired_date'])
    // What is left of its term, what a year and each module cost, and the day of its change (C-25: what one hands on is copied).
    await screen.findByText(/^\d+ of 731 days left$/)
    expect([fact('Annual fee'), fact('Payment amount')]).toEqual(['87,500.50', '24,287.67'])
    expect(fact('Changed on')).not.toBe(fact('Start date'))
    await expect.poll(() => document.querySelector('.order-modules')?.textContent).toContain('Core core12,000.00')
    expect(document.querySelectorAll('.page-action .primary')).toHaveLength(1)
    await choose('More', 'Service info')
    const info = await dialog('Service acmetrade')
    expect(info.getAllByRole('link')).toHaveLength(2)
    expect(info.getAllByRole('button', { name: /^Copy https:/ })).toHaveLength(2)
  })

  it('unpaid: until when it is to be paid; expired: extended first; replaced: leads to the one in effect; invalid and unknown: not there (M96, M97, D29, D30)', async () => {
    await the.browser.openAs('admin@acme', pageOf(await idOf('acmehr')))
    await screen.findByText(/^This order is unpaid/)
    await screen.findByRole('button', { name: /^Pay USD/ })
    expect(document.querySelector('.order-history')).toBeNull()

    await the.browser.open(pageOf(await idOf('acmeold')))
    await screen.findByText(/^This contract has expired/)
    await expect.poll(() => button('Modify').getAttribute('aria-disabled')).toBe('true')

    await the.browser.open(pageOf((await replacedBy(await idOf('acmetrade'))) ?? 0))
    await screen.findByText(/^A newer contract has replaced this one\./)
    expect(screen.queryByRole('button', { name: 'Modify' })).toBeNull()
    await expect.poll(() => button('Extend').getAttribute('aria-disabled')).toBe('true')
    const link = await screen.findByRole('link', { name: 'Open the current contract' })
    expect(link.getAttribute('href')).toBe('/saas/app/contract?searchText=acmetrade')

    await the.browser.open(pageOf(await idOf('acmeshop')))
    await arrived(the.browser, '/app/contract')
    await screen.findByText('The order acmeshop is no longer valid, so it has no page.')
    for (const wrong of ['999999', 'abc', '~x']) {
      await the.browser.open(pageOf(wrong))
      await screen.findByRole('heading', { name: 'There is no such contract' })
      expect(the.browser.path()).toBe(pageOf(wrong))
    }
    screen.getAllByRole('link', { name: 'All contracts' })[0]?.focus()
    await the.user.keyboard('{Enter}')
    await arrived(the.browser, '/app/contract')
  })
})

nightly(
  'opens without a line though nobody has opened it: in effect with its history and what a change costs, and unpaid',
  async () => {
    const id = await buy('unopened')
    const [trade, unpaid] = [await idOf('acmetrade'), await idOf('acmehr')]
    await the.browser.openAs('admin@acme', '/app/home')
    const { thisDevice } = await import('#local/storage/device.ts')
    const [occupant] = await thisDevice().directory.occupants.toArray()
    const kept = async () => {
      const paths = occupant ? await thisDevice().of(occupant).responses.toCollection().primaryKeys() : []
      return paths.filter((path) => path.endsWith('/history')).length
    }
    // acmetrade, acmetest and the one just bought.
    await expect.poll(kept).toBe(3)
    the.browser.goOffline()
    await the.browser.open(pageOf(trade))
    await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
    await expect.poll(() => history().length).toBe(2)
    await the.browser.open(pageOf(id))
    await modify('35')
    await expect.poll(due).toBe('HKD 10,000.00')
    await the.browser.open(pageOf(unpaid))
    await screen.findByText(/^This order is unpaid/)
    // One that was never read says so, and comes by itself.
    const old = (await replacedBy(trade)) ?? 0
    await the.browser.open(pageOf(old))
    await screen.findByRole('heading', { name: 'This contract is not on this device' })
    expect(document.querySelector('.problem')).toBeNull()
    the.browser.goOnline()
    await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
  },
)

describe('a contract is modified', () => {
  it('up: what changes and what it costs; at a price that has changed meanwhile both figures are shown before anything is ordered (M100, M101, D17, D89)', async () => {
    const id = await at('upward')
    await modify('35')
    // 10 more users at 1,000.00 for the whole first year (G19).
    await expect.poll(due).toBe('HKD 10,000.00')
    await the.user.click(named('module-scm'))
    await expect.poll(due).toBe('HKD 25,500.50')
    await expect.poll(() => document.querySelector('.order-compared')?.textContent).toContain('Added: Supply chain')
    // Only what changes; one stretch is its own total; and what is taken off has its sign, above and below alike.
    const changed = [...document.querySelectorAll('.order-compared tbody th')].map(({ textContent }) => textContent)
    expect(changed).toEqual(['Number of users', 'Modules'])
    expect(document.querySelectorAll('.order-stretches tbody tr')).toHaveLength(1)
    expect(document.querySelector('.order-stretches tfoot')).toBeNull()
    expect(document.querySelector('.users-tiers [aria-current]')?.textContent).toBe('11–501,000.00')
    const why = () => document.querySelector('.price-why summary')
    await expect.poll(why).not.toBeNull()
    await the.user.click(why() as HTMLElement)
    const figures = () => [...document.querySelectorAll('.why-residual .figure')].map(({ textContent }) => textContent)
    await expect.poll(figures).toEqual(['−57,000.00', '−57,000.00'])
    await expect.poll(() => submitButton()?.textContent).toBe('Order change · HKD 25,500.50')

    await newPrices(the.server, ({ module }) => ({
      module: module.map((row) => ({ ...without(row, 'id'), ...(row.code === 'scm' ? { hkd: '16500.50' } : {}) })),
    }))
    await submit(the.user)
    await screen.findByText(/^The price has changed since it was shown\./)
    const note = () => document.querySelector('.price-notes .order-note')?.textContent
    await expect.poll(note).toContain('HKD 25,500.50 → HKD 26,500.50')
    expect(await pending(id)).toBeNull()
    await submit(the.user)
    await dialog('Pay upward')
    expect((await pending(id))?.amount).toBe('26500.50')
  })

  nightly('down: nothing is due, said in words, and it takes effect at once (D14, D15)', async () => {
    const id = await at('downward')
    await modify('10')
    await the.user.click(named('module-fin'))
    // A module of the contract does not go unasked (contracts 2).
    const asked = await dialog('Remove Finance')
    await asked.findByText('The service uses what is removed here.', { exact: false })
    await asked.press('Remove')
    await expect.poll(due).toBe('HKD 0.00')
    await says('of what you paid is not refunded.')
    await screen.findByText(/^Nothing to pay/)
    await submit(the.user)
    await (await dialog(/^Discard HKD/)).press('Change and discard')
    await screen.findByText(/^It is now in effect\./)
    await expect.poll(() => the.browser.path()).not.toContain(pageOf(id))
    await expect.poll(() => fact('Number of users')).toBe('10')
    expect((await readOrder(admin, id))['state']).toBe('overwritten')
  })

  nightly('not at all: nothing changed cannot be saved, cancel asks and leaves all as it was', async () => {
    await at('unchanged')
    await modify('25')
    expect(submitButton()?.getAttribute('aria-disabled')).toBe('true')
    await type(the.user, { users: '' })
    await says('Please input "Number of users" as it\'s required.')
    await type(the.user, { users: '31' })
    await press('Cancel')
    await says('Your changes are not saved yet.')
    await press('Keep editing')
    expect(named('users').value).toBe('31')
    await press('Cancel')
    await press('Discard changes')
    await expect.poll(() => fact('Number of users')).toBe('25')
    await press('Modify')
    await expect.poll(() => document.querySelector<HTMLInputElement>('[name=users]')?.value).toBe('25')
  })
})

describe('a contract is extended', () => {
  /** The drawer's button stands beside its form. */
  const send = async () => {
    const found = () => document.querySelector('[role=dialog] button[type=submit]')
    await expect.poll(found).not.toBeNull()
    await the.user.click(found() as HTMLElement)
  }

  nightly(
    'an extended contract is set up from its first start on, and its start, years and end agree; editing keeps what stays (M97, M98)',
    async () => {
      const id = await at('evenlonger')
      const before = await readOrder(admin, id)
      await press('Extend')
      await the.user.clear((await dialog('Extend evenlonger')).getByLabelText('Extend by'))
      await the.user.keyboard('2')
      await expect.poll(due).toBe('HKD 114,000.00')
      await send()
      await expect.poll(() => pending(id)).not.toBeNull()
      const waiting = await pending(id)
      const extension = waiting?.id ?? 0
      await paid(the.server, (await readOrder(admin, extension)) as Ordered)
      const after = await readOrder(admin, extension)
      expect([after['period_start'], after['period']]).toEqual([before['period_start'], 3])
      await the.browser.open(pageOf(extension))
      await says('Please wait for the system to be set up.')
      await expect.poll(() => fact('Period')).toBe('3 years')
      await press('Modify')
      await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
      expect(screen.queryByText(/wait for the system to be set up/)).toBeNull()
      await press('More')
      for (const name of ['Refresh', 'Print']) await screen.findByRole('menuitem', { name })
      await the.user.keyboard('{Escape}')
      expect(fact('Currency')).toBe('HKD')
      expect(fact('Expiry date')).toBe(after['expired_date'])
      expect(screen.queryByRole('button', { name: 'Extend' })).toBeNull()
    },
  )

  it('before its end: from there on; an unpaid order is replaced only with consent, and can be deleted (D32, D35)', async () => {
    const id = await at('longer')
    const extend = async () => {
      await press('Extend')
      return dialog('Extend longer')
    }
    /** Leaves the payment for later. */
    const unpaid = async () => {
      const { element, getAllByRole } = await dialog('Pay longer')
      await the.user.click(getAllByRole('button', { name: 'Close' }).at(-1) ?? element)
    }
    await the.user.clear((await extend()).getByLabelText('Extend by'))
    await the.user.keyboard('2')
    // 25 users, core and fin: 57,000.00 a year.
    await expect.poll(due).toBe('HKD 114,000.00')
    await send()
    await unpaid()
    await says('is unpaid:')
    const first = (await pending(id))?.id
    await extend()
    await expect.poll(due).toBe('HKD 57,000.00')
    await send()
    const warning = await dialog('Replace the unpaid order?')
    await warning.findByText('HKD 114,000.00')
    await warning.press('Go back')
    expect((await pending(id))?.id).toBe(first)
    await send()
    await (await dialog('Replace the unpaid order?')).press('Replace it')
    await unpaid()
    expect((await pending(id))?.amount).toBe('57000.00')
    await noDialog()
    // Until the page shows it, "Delete" is of the one before, which is gone.
    await expect.poll(() => document.querySelector('.order-note.warning .amount')?.textContent).toBe('HKD 57,000.00')
    await press('Delete')
    await (await dialog(/^Delete the unpaid order/)).press('Delete')
    await expect.poll(() => document.querySelector('.order-note.warning')).toBeNull()
    await expect.poll(() => pending(id)).toBeNull()
  })

  nightly('after its end: from today, with other modules and users (M102, D16)', async () => {
    const id = await idOf('acmeold')
    await the.browser.openAs('admin@acme', pageOf(id))
    await press('Extend')
    await dialog('Extend acmeold')
    await expect.poll(() => named('period_start').value).toBe(today())
    await type(the.user, { users: '30' })
    await the.user.click(named('module-fin'))
    await expect.poll(due).toBe('HKD 64,000.00')
    await send()
    await dialog('Pay acmeold')
    const made = await pending(id)
    await paid(the.server, { ...made, currency: 'HKD' } as unknown as Ordered)
    await the.browser.open(pageOf(made?.id ?? 0))
    await expect.poll(() => fact('Number of users')).toBe('30')
    expect(fact('Start date')).toBe(today())
  })
})

nightly('an unpaid order is deleted after a warning, and its page with it (M107)', async () => {
  const id = await idOf('acmehr')
  await the.browser.openAs('admin@acme', pageOf(id))
  await choose('More', 'Delete order')
  await (await dialog('Delete acmehr?')).press('Delete')
  await arrived(the.browser, '/app/contract')
  await the.browser.open(pageOf(id))
  await screen.findByRole('heading', { name: 'There is no such contract' })
})

nightly('the payment alert date is set, kept for the line, and removed, by the staff for mma (M105, D45)', async () => {
  const staff = await the.server.signIn('delete@m18')
  const post = async (url: string, payload: object) => (await staff.send({ method: 'POST', url, payload })).json()
  const charges = { hkd: '1000.00', usd: '130.00', rmb: '900.00' }
  const { id: module_id } = await post('/api/module', { code: 'mbase', name: 'Base', type: 'mma' })
  const ranges = [{ from: 1, to: 999_999, ...charges }]
  await post('/api/pricelist', {
    type: 'mma',
    effective_date: '2026-01-01',
    desc: 'For mma',
    confirmed: true,
    concurrentUser: ranges,
    namedUser: ranges,
    module: [{ code: 'mbase', module_id, ...charges }],
  })
  const mma = { code: 'mmaone', name: 'Test', client_type: 'mma', modules: ['mbase'], period_start: today() }
  const { id } = await bought(the.server, staff, mma)
  localStorage.setItem('portal.clientType', 'mma')
  await the.browser.openAs('delete@m18', pageOf(id))
  const open = async () => {
    await choose('More', 'Payment alert date')
    return dialog('Payment alert date of mmaone')
  }
  const mark = () => document.querySelector('.order-intro .pending-mark')
  const set = async (date: string) => {
    await type(the.user, { alert_date: date })
    await (await dialog('Payment alert date of mmaone')).press('Update')
  }
  await open()
  await set('2020-01-01')
  await says('Choose today or a later day.')
  await set('2099-01-02')
  // Where the answer takes its time it is kept on the device first.
  await screen.findByText(/^Payment alert date updated successfully\.|^Saved on this device\./)
  await expect.poll(() => fact('Payment alert date')).toBe('2099-01-02')
  await expect.poll(mark).toBeNull()
  the.browser.goOffline()
  await open()
  await set('2099-03-04')
  await expect.poll(() => fact('Payment alert date')).toBe('2099-03-04')
  await expect.poll(mark).not.toBeNull()
  the.browser.goOnline()
  await expect.poll(mark).toBeNull()
  expect((await readOrder(staff, id))['alert_date']).toBe('2099-03-04')
  const over = await open()
  await over.press('Remove date')
  await screen.findByText(/^Payment alert date removed successfully\.|^Saved on this device\./)
  await expect.poll(() => fact('Payment alert date')).toBeUndefined()
  await expect.poll(async () => (await readOrder(staff, id))['alert_date']).toBeNull()
})
