/** Tests the contract page in every status, and what it shows and asks before a change (contracts 2). */
import { screen } from '@testing-library/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { getButton, getNamedField, submit, typeValues } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { buyOrder, type OrderRow, payOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import {
  createUserActions,
  createPriceList,
  listOrders,
  setUpShopPages,
  today,
  omitFields,
} from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, choose, findText } = createUserActions(fixture)
let adminSession: SignedIn
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
})

const readFact = (name: string) =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((factRow) => factRow.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent
const readDueAmount = () => document.querySelector('.price-due .amount')?.textContent
const readHistory = () =>
  [...document.querySelectorAll('.order-history tbody tr')].map(({ textContent }) => textContent)
const fetchOrderId = async (code: string): Promise<number> => (await listOrders(adminSession, code))[0]?.id ?? 0
const getOrderPath = (id: number | string) => `/app/contract/${id}`
type PendingOrder = { id: number; amount: string } | null
const fetchPendingOrder = async (id: number) => (await readOrder(adminSession, id))['pending'] as PendingOrder
/** Returns the id of the order whose contract was replaced by the contract of the given order. */
const fetchReplacedOrderId = async (id: number) => {
  const { contract_id: contractId } = await readOrder(adminSession, id)
  const contractHistory = (await adminSession.send({ url: `/api/contract/${contractId}/history` })).json() as {
    order_id: number
  }[]
  return contractHistory[1]?.order_id
}
const findSubmitButton = () => document.querySelector('form button[type="submit"]')

/** Buys a contract that starts today: 25 users, core and fin, for a year. */
const buyContract = async (code: string): Promise<number> =>
  (await buyOrder(fixture.server, adminSession, { code, name: `Test ${code}`, users: 25, period_start: today() })).id
/** Buys the same contract and opens its page. */
async function openContract(code: string): Promise<number> {
  const id = await buyContract(code)
  await fixture.browser.openAs('admin@acme', getOrderPath(id))
  await screen.findByRole('button', { name: 'Modify' })
  return id
}
async function modifyUsers(users: string) {
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await typeValues(fixture.user, { users })
}

describe('the contract page by status', () => {
  it('shows the terms, the history and the service of an effective order (M97 to M99, M104)', async () => {
    const id = await fetchOrderId('acmetrade')
    await fixture.browser.openAs('admin@acme', getOrderPath(id))
    await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
    expect(readFact('Number of users')).toBe('40')
    await expect.poll(() => readHistory().length).toBe(2)
    await expect.poll(readHistory).toEqual([expect.stringContaining('Effective'), expect.stringContaining('Replaced')])
    // The page shows the last day as the server sent it, and does not subtract a day again (D18).
    expect(readFact('Expiry date')).toBe((await readOrder(adminSession, id))['expired_date'])
    // The page shows the remaining days, the fees of a year and of each module, and the day of the change. These values can be copied for
    // other people (C-25).
    await screen.findByText(/^\d+ of 731 days left$/)
    expect([readFact('Annual fee'), readFact('Payment amount')]).toEqual(['HKD 87,500.50', 'HKD 24,287.67'])
    expect(readFact('Changed on')).not.toBe(readFact('Start date'))
    await fixture.user.click(await screen.findByText(/How it is made up$/))
    await expect.poll(() => document.querySelector('.order-modules')?.textContent).toContain('Core core12,000.00')
    expect(document.querySelectorAll('.page-action .primary')).toHaveLength(1)
    await choose('More', 'Service info')
    const serviceDialog = await dialog('Service acmetrade')
    expect(serviceDialog.getAllByRole('link')).toHaveLength(2)
    expect(serviceDialog.getAllByRole('button', { name: /^Copy https:/ })).toHaveLength(2)
  })

  it('shows the possible actions for unpaid, expired, replaced and invalid orders (M96, M97, D29, D30)', async () => {
    await fixture.browser.openAs('admin@acme', getOrderPath(await fetchOrderId('acmehr')))
    await screen.findByText(/^This order is unpaid/)
    await screen.findByRole('button', { name: /^Pay USD/ })
    expect(document.querySelector('.order-history')).toBeNull()

    await fixture.browser.open(getOrderPath(await fetchOrderId('acmeold')))
    await screen.findByText(/^This contract has expired/)
    await expect.poll(() => getButton('Modify').getAttribute('aria-disabled')).toBe('true')

    await fixture.browser.open(getOrderPath((await fetchReplacedOrderId(await fetchOrderId('acmetrade'))) ?? 0))
    await screen.findByText(/^A newer contract has replaced this one\./)
    expect(screen.queryByRole('button', { name: 'Modify' })).toBeNull()
    await expect.poll(() => getButton('Extend').getAttribute('aria-disabled')).toBe('true')
    const link = await screen.findByRole('link', { name: 'Open the current contract' })
    expect(link.getAttribute('href')).toBe('/saas/app/contract?searchText=acmetrade')

    await fixture.browser.open(getOrderPath(await fetchOrderId('acmeshop')))
    await waitForPath(fixture.browser, '/app/contract')
    await screen.findByText('The order acmeshop is no longer valid, so its page cannot be opened.')
    for (const wrongId of ['999999', 'abc', '~x']) {
      await fixture.browser.open(getOrderPath(wrongId))
      await screen.findByRole('heading', { name: 'There is no such contract' })
      expect(fixture.browser.path()).toBe(getOrderPath(wrongId))
    }
    screen.getAllByRole('link', { name: 'All contracts' })[0]?.focus()
    await fixture.user.keyboard('{Enter}')
    await waitForPath(fixture.browser, '/app/contract')
  })
})

nightly('Orders that were never opened can be opened offline, with their history and the fee of a change', async () => {
  const id = await buyContract('unopened')
  const [tradeId, unpaidId] = [await fetchOrderId('acmetrade'), await fetchOrderId('acmehr')]
  await fixture.browser.openAs('admin@acme', '/app/home')
  const { getThisDevice } = await import('#local/storage/device.ts')
  const [occupant] = await getThisDevice().directory.occupants.toArray()
  const countCachedHistories = async () => {
    const paths = occupant ? await getThisDevice().getDatabase(occupant).responses.toCollection().primaryKeys() : []
    return paths.filter((path) => path.endsWith('/history')).length
  }
  // These are the histories of acmetrade, acmetest and the order that was just bought.
  await expect.poll(countCachedHistories).toBe(3)
  fixture.browser.goOffline()
  await fixture.browser.open(getOrderPath(tradeId))
  await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
  await expect.poll(() => readHistory().length).toBe(2)
  await fixture.browser.open(getOrderPath(id))
  await modifyUsers('35')
  await expect.poll(readDueAmount).toBe('HKD 10,000.00')
  await fixture.browser.open(getOrderPath(unpaidId))
  await screen.findByText(/^This order is unpaid/)
  // An order that was never loaded is shown as missing, and is loaded once there is a connection.
  const replacedId = (await fetchReplacedOrderId(tradeId)) ?? 0
  await fixture.browser.open(getOrderPath(replacedId))
  await screen.findByRole('heading', { name: 'This contract is not on this device' })
  expect(document.querySelector('.problem')).toBeNull()
  fixture.browser.goOnline()
  await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
})

describe('changing a contract', () => {
  it('shows a higher fee, and a changed price before anything is ordered (M100, M101, D17, D89)', async () => {
    const id = await openContract('upward')
    await modifyUsers('35')
    // The amount is that of 10 more users at 1,000.00 for the whole first year (G19).
    await expect.poll(readDueAmount).toBe('HKD 10,000.00')
    await fixture.user.click(getNamedField('module-scm'))
    await expect.poll(readDueAmount).toBe('HKD 25,500.50')
    await expect.poll(() => document.querySelector('.order-compared')?.textContent).toContain('Added: Supply chain')
    // Only changed fields are listed. The table of a single segment has no row for the total. Reductions have a minus sign in both places.
    const changedFields = [...document.querySelectorAll('.order-compared tbody th')].map(
      ({ textContent }) => textContent,
    )
    expect(changedFields).toEqual(['Number of users', 'Modules'])
    expect(document.querySelectorAll('.order-stretches tbody tr')).toHaveLength(1)
    expect(document.querySelector('.order-stretches tfoot')).toBeNull()
    expect(document.querySelector('.users-tiers [aria-current]')?.textContent).toBe('11–501,000.00')
    const findExplanation = () => document.querySelector('.price-why summary')
    await expect.poll(findExplanation).not.toBeNull()
    await fixture.user.click(findExplanation() as HTMLElement)
    const readFigures = () =>
      [...document.querySelectorAll('.why-residual .figure')].map(({ textContent }) => textContent)
    await expect.poll(readFigures).toEqual(['−57,000.00', '−57,000.00'])
    await expect.poll(() => findSubmitButton()?.textContent).toBe('Order change · HKD 25,500.50')

    await createPriceList(fixture.server, ({ module }) => ({
      module: module.map((row) => ({ ...omitFields(row, 'id'), ...(row.code === 'scm' ? { hkd: '16500.50' } : {}) })),
    }))
    await submit(fixture.user)
    await screen.findByText(/^The price has changed since it was shown\./)
    const readNote = () => document.querySelector('.price-notes .order-note')?.textContent
    await expect.poll(readNote).toContain('HKD 25,500.50 → HKD 26,500.50')
    expect(await fetchPendingOrder(id)).toBeNull()
    await submit(fixture.user)
    await dialog('Pay upward')
    expect((await fetchPendingOrder(id))?.amount).toBe('26500.50')
  })

  nightly('states that nothing is due for a reduction, which takes effect at once (D14, D15)', async () => {
    const id = await openContract('downward')
    await modifyUsers('10')
    await fixture.user.click(getNamedField('module-fin'))
    // A module of the contract is removed only after a confirmation (contracts 2).
    const removeDialog = await dialog('Remove Finance')
    await removeDialog.findByText('The service uses what is removed here.', { exact: false })
    await removeDialog.press('Remove')
    await expect.poll(readDueAmount).toBe('HKD 0.00')
    await findText('of what you paid is not refunded.')
    await screen.findByText(/^Nothing to pay/)
    await submit(fixture.user)
    await (await dialog(/^Change without a refund of HKD/)).press('Change without refund')
    await screen.findByText(/^It is now in effect\./)
    await expect.poll(() => fixture.browser.path()).not.toContain(getOrderPath(id))
    await expect.poll(() => readFact('Number of users')).toBe('10')
    expect((await readOrder(adminSession, id))['state']).toBe('overwritten')
  })

  nightly('disables saving if nothing changed, and asks for confirmation before Cancel drops the input', async () => {
    await openContract('unchanged')
    await modifyUsers('25')
    expect(findSubmitButton()?.getAttribute('aria-disabled')).toBe('true')
    await typeValues(fixture.user, { users: '' })
    await findText('Please input "Number of users" as it\'s required.')
    await typeValues(fixture.user, { users: '31' })
    await press('Cancel')
    await findText('Your changes are not saved yet.')
    await press('Keep editing')
    expect(getNamedField('users').value).toBe('31')
    await press('Cancel')
    await press('Discard changes')
    await expect.poll(() => readFact('Number of users')).toBe('25')
    await press('Modify')
    await expect.poll(() => document.querySelector<HTMLInputElement>('[name=users]')?.value).toBe('25')
  })
})

describe('extending a contract', () => {
  /** Submits the form of the drawer. Its submit button is outside the form. */
  const sendForm = async () => {
    const findDrawerButton = () => document.querySelector('[role=dialog] button[type=submit]')
    await expect.poll(findDrawerButton).not.toBeNull()
    await fixture.user.click(findDrawerButton() as HTMLElement)
  }

  nightly('keeps the first start and all settings, with matching start, years and end (M97, M98)', async () => {
    const id = await openContract('evenlonger')
    const orderBefore = await readOrder(adminSession, id)
    await press('Extend')
    await fixture.user.clear((await dialog('Extend evenlonger')).getByLabelText('Extend by'))
    await fixture.user.keyboard('2')
    await expect.poll(readDueAmount).toBe('HKD 114,000.00')
    await sendForm()
    await expect.poll(() => fetchPendingOrder(id)).not.toBeNull()
    const pendingOrder = await fetchPendingOrder(id)
    const extensionId = pendingOrder?.id ?? 0
    await payOrder(fixture.server, (await readOrder(adminSession, extensionId)) as OrderRow)
    const orderAfter = await readOrder(adminSession, extensionId)
    expect([orderAfter['period_start'], orderAfter['period']]).toEqual([orderBefore['period_start'], 3])
    await fixture.browser.open(getOrderPath(extensionId))
    await findText('Please wait for the system to be set up.')
    await expect.poll(() => readFact('Period')).toBe('3 years')
    await press('Modify')
    await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
    expect(screen.queryByText(/wait for the system to be set up/)).toBeNull()
    await press('More')
    for (const name of ['Refresh', 'Print']) await screen.findByRole('menuitem', { name })
    await fixture.user.keyboard('{Escape}')
    expect(readFact('Annual fee')).toMatch(/^HKD /)
    expect(readFact('Expiry date')).toBe(orderAfter['expired_date'])
    expect(screen.queryByRole('button', { name: 'Extend' })).toBeNull()
  })

  it('continues from the end, and replaces an unpaid order only with consent (D32, D35)', async () => {
    const id = await openContract('longer')
    const openExtendDialog = async () => {
      await press('Extend')
      return dialog('Extend longer')
    }
    /** Closes the payment dialog without paying. */
    const closePayDialog = async () => {
      const { element, getAllByRole } = await dialog('Pay longer')
      await fixture.user.click(getAllByRole('button', { name: 'Close' }).at(-1) ?? element)
    }
    await fixture.user.clear((await openExtendDialog()).getByLabelText('Extend by'))
    await fixture.user.keyboard('2')
    // The fee of 25 users, core and fin is 57,000.00 a year.
    await expect.poll(readDueAmount).toBe('HKD 114,000.00')
    await sendForm()
    await closePayDialog()
    await findText('is unpaid:')
    const firstPendingId = (await fetchPendingOrder(id))?.id
    await openExtendDialog()
    await expect.poll(readDueAmount).toBe('HKD 57,000.00')
    await sendForm()
    const warningDialog = await dialog('Replace the unpaid order?')
    await warningDialog.findByText('HKD 114,000.00')
    await warningDialog.press('Go back')
    expect((await fetchPendingOrder(id))?.id).toBe(firstPendingId)
    await sendForm()
    await (await dialog('Replace the unpaid order?')).press('Replace it')
    await closePayDialog()
    expect((await fetchPendingOrder(id))?.amount).toBe('57000.00')
    await noDialog()
    // Before the page shows the new order, "Delete" belongs to the previous order, which no longer exists.
    await expect.poll(() => document.querySelector('.order-note.warning .amount')?.textContent).toBe('HKD 57,000.00')
    await press('Delete')
    await (await dialog(/^Delete the unpaid order/)).press('Delete')
    await expect.poll(() => document.querySelector('.order-note.warning')).toBeNull()
    await expect.poll(() => fetchPendingOrder(id)).toBeNull()
  })

  nightly('starts today after the contract has ended, with other modules and users (M102, D16)', async () => {
    const id = await fetchOrderId('acmeold')
    await fixture.browser.openAs('admin@acme', getOrderPath(id))
    await press('Extend')
    await dialog('Extend acmeold')
    await screen.findByText(new RegExp(`^New period: ${today()} to `))
    await typeValues(fixture.user, { users: '30' })
    await fixture.user.click(getNamedField('module-fin'))
    await expect.poll(readDueAmount).toBe('HKD 64,000.00')
    await sendForm()
    await dialog('Pay acmeold')
    const pendingOrder = await fetchPendingOrder(id)
    await payOrder(fixture.server, { ...pendingOrder, currency: 'HKD' } as unknown as OrderRow)
    await fixture.browser.open(getOrderPath(pendingOrder?.id ?? 0))
    await expect.poll(() => readFact('Number of users')).toBe('30')
    expect(readFact('Start date')).toBe(today())
  })
})

nightly('An unpaid order is deleted after a warning, together with its page (M107)', async () => {
  const id = await fetchOrderId('acmehr')
  await fixture.browser.openAs('admin@acme', getOrderPath(id))
  await choose('More', 'Delete order')
  await (await dialog('Delete acmehr?')).press('Delete')
  await waitForPath(fixture.browser, '/app/contract')
  await fixture.browser.open(getOrderPath(id))
  await screen.findByRole('heading', { name: 'There is no such contract' })
})

nightly('Staff sets and removes the payment alert date for mma, also offline (M105, D45)', async () => {
  const staffSession = await fixture.server.signIn('delete@m18')
  const postAsStaff = async (url: string, payload: object) =>
    (await staffSession.send({ method: 'POST', url, payload })).json()
  const charges = { hkd: '1000.00', usd: '130.00', rmb: '900.00' }
  const { id: module_id } = await postAsStaff('/api/module', { code: 'mbase', name: 'Base', type: 'mma' })
  const ranges = [{ from: 1, to: 999_999, ...charges }]
  await postAsStaff('/api/pricelist', {
    type: 'mma',
    effective_date: '2026-01-01',
    desc: 'For mma',
    confirmed: true,
    concurrentUser: ranges,
    namedUser: ranges,
    module: [{ code: 'mbase', module_id, ...charges }],
  })
  const mma = { code: 'mmaone', name: 'Test', client_type: 'mma', modules: ['mbase'], period_start: today() }
  const { id } = await buyOrder(fixture.server, staffSession, mma)
  localStorage.setItem('portal.clientType', 'mma')
  await fixture.browser.openAs('delete@m18', getOrderPath(id))
  const openDateDialog = async () => {
    await choose('More', 'Payment alert date')
    return dialog('Payment alert date of mmaone')
  }
  const findPendingMark = () => document.querySelector('.order-intro .pending-mark')
  const setDate = async (date: string) => {
    await typeValues(fixture.user, { alert_date: date })
    await (await dialog('Payment alert date of mmaone')).press('Update')
  }
  await openDateDialog()
  await setDate('2020-01-01')
  await findText('Choose today or a later day.')
  await setDate('2099-01-02')
  // If the response is slow, the change is first stored on the device.
  await screen.findByText(/^Payment alert date updated successfully\.|^Saved on this device\./)
  await expect.poll(() => readFact('Payment alert date')).toBe('2099-01-02')
  await expect.poll(findPendingMark).toBeNull()
  fixture.browser.goOffline()
  await openDateDialog()
  await setDate('2099-03-04')
  await expect.poll(() => readFact('Payment alert date')).toBe('2099-03-04')
  await expect.poll(findPendingMark).not.toBeNull()
  fixture.browser.goOnline()
  await expect.poll(findPendingMark).toBeNull()
  expect((await readOrder(staffSession, id))['alert_date']).toBe('2099-03-04')
  const dateDialog = await openDateDialog()
  await dateDialog.press('Remove date')
  await screen.findByText(/^Payment alert date removed successfully\.|^Saved on this device\./)
  await expect.poll(() => readFact('Payment alert date')).toBeUndefined()
  await expect.poll(async () => (await readOrder(staffSession, id))['alert_date']).toBeNull()
})
