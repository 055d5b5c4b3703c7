/** Tests the selection of the tab "To pay", and the payment of several items (decision 110). */
import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import type { GatewayPayment, PaymentDriver } from '#server/drivers/payment/payment-driver.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { payOrder, placeOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)

const toPayPath = '/app/contract?status=0'
const findBox = (name: string) => screen.findByRole('checkbox', { name: `Select New contract: ${name}` })
const queryBar = () => document.querySelector<HTMLElement>('.list-bar')
const readButtons = () => [...(queryBar()?.querySelectorAll('.pay-bar-acts .button') ?? [])].map((b) => b.textContent)

/** Orders two contracts in HKD and one in USD, and makes one payment method available, which pays at once. */
async function setUpOrders() {
  fixture.server.app.payments = {
    ...fixture.server.app.payments,
    types: ['stripe'],
    findDriver: async () => simulatedPaymentDriver,
  }
  const session = await fixture.server.signIn('admin@acme')
  const order = async (name: string, currency: string) =>
    (await placeOrder(session, { code: name.toLowerCase(), name, currency, period_start: today() })).json()
  return {
    session,
    first: await order('First', 'HKD'),
    second: await order('Second', 'HKD'),
    dollar: await order('Dollar', 'USD'),
  }
}

it('Items are selected, the bar has a sum for each currency, and one payment pays all of a currency', async () => {
  const { first, second } = await setUpOrders()
  await fixture.browser.openAs('admin@acme', toPayPath)
  await fixture.user.click(await findBox('First'))
  expect(readButtons()).toEqual(['Pay 1 item · HKD 42,000.00'])
  await fixture.user.click(await findBox('Dollar'))
  await fixture.user.click(await findBox('Second'))
  expect(queryBar()?.textContent).toContain('3 selected')
  expect(readButtons()).toContain('Pay 2 items · HKD 84,000.00')
  expect(readButtons()).toContainEqual(expect.stringMatching(/^Pay 1 item · USD /))
  await press('Pay 2 items · HKD 84,000.00')
  await dialog('Pay 2 items')
  // Escape closes the dialog and leaves the selection.
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await press('Pay 2 items · HKD 84,000.00')
  const payment = await dialog('Pay 2 items')
  await payment.findByText('New contract: First')
  await payment.findByText('New contract: Second')
  expect(await payment.findAllByText('HKD 42,000.00')).toHaveLength(2)
  await payment.press('Pay HKD 84,000.00 by card')
  await screen.findByText('Payment received')
  await noDialog()
  await expect.poll(() => screen.queryByRole('checkbox', { name: 'Select New contract: First' })).toBeNull()
  const { app } = fixture.server
  const payments = await app.database.kysely.transaction().execute(async (db) => {
    const { sql } = await import('kysely')
    await sql`set local role portal_system`.execute(db)
    return await db.selectFrom('payment').select(['amount', 'outcome']).where('group_id', 'is not', null).execute()
  })
  expect(payments).toEqual([{ amount: '84000.00', outcome: 'applied' }])
  expect([first.pay_amount, second.pay_amount]).toEqual(['42000.00', '42000.00'])
  // The item in the other currency is still selected.
  expect(readButtons()).toEqual([expect.stringMatching(/^Pay 1 item · USD /)])
  await press(/^Pay 1 item · USD /)
  await (await dialog(/^Pay /)).press(/by card$/)
  await noDialog()
  await expect.poll(queryBar).toBeNull()
  // The bar had the focus. It is now in the list, or on the heading if nothing is left.
  await expect.poll(() => document.activeElement?.matches('td.pick input, main h1')).toBe(true)
})

it('The keyboard selects with x and clears with Escape, and a search drops what it hides', async () => {
  await setUpOrders()
  await fixture.browser.openAs('admin@acme', toPayPath)
  await fixture.user.click(await findBox('First'))
  await fixture.user.keyboard('{Escape}')
  await expect.poll(queryBar).toBeNull()
  const link = await screen.findByRole('link', { name: 'New contract: Second' })
  link.focus()
  // The keys are loaded after the page.
  await expect
    .poll(async () => {
      if (!queryBar()) await fixture.user.keyboard('x')
      return readButtons()
    })
    .toEqual(['Pay 1 item · HKD 42,000.00'])
  await fixture.user.click(screen.getByRole('checkbox', { name: 'Select everything' }))
  expect(readButtons().length).toBeGreaterThan(1)
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search service code or name' }), 'dollar')
  await expect.poll(queryBar).toBeNull()
})

it('An item that was paid meanwhile is named, nothing is charged, and the list is fetched again', async () => {
  const { first } = await setUpOrders()
  const start = vi.fn(simulatedPaymentDriver.start)
  const driver = { ...simulatedPaymentDriver, start }
  fixture.server.app.payments = { ...fixture.server.app.payments, findDriver: async () => driver }
  await fixture.browser.openAs('admin@acme', toPayPath)
  await fixture.user.click(await findBox('First'))
  await fixture.user.click(await findBox('Second'))
  await press('Pay 2 items · HKD 84,000.00')
  const payment = await dialog('Pay 2 items')
  await payOrder(fixture.server, first)
  await payment.press('Pay HKD 84,000.00 by card')
  await payment.findByText('One of these items can no longer be paid')
  expect(start).not.toHaveBeenCalled()
  await payment.press('Cancel')
  await noDialog()
  await expect.poll(readButtons).toEqual(['Pay 1 item · HKD 42,000.00'])
})

it('Several items of which one is being paid are not charged, and the reason is named', async () => {
  const { first, session } = await setUpOrders()
  let processingPayment: GatewayPayment | null = null
  const driver: PaymentDriver = {
    ...simulatedPaymentDriver,
    start: async ({ key, money }) => {
      processingPayment = { key, gatewayId: key, status: 'processing', ...money }
      return { kind: 'taken', payment: processingPayment }
    },
    query: async () => processingPayment,
    close: async () => processingPayment,
  }
  fixture.server.app.payments = { ...fixture.server.app.payments, findDriver: async () => driver }
  expect((await payFor(session, first.id, { token: 'pm_card_visa' })).json()).toEqual({ status: 'processing' })
  await fixture.browser.openAs('admin@acme', toPayPath)
  await fixture.user.click(await findBox('First'))
  await fixture.user.click(await findBox('Second'))
  await press('Pay 2 items · HKD 84,000.00')
  const payment = await dialog('Pay 2 items')
  await payment.press('Pay HKD 84,000.00 by card')
  await payment.findByText('One of these items is being paid. Try again in a minute.')
})

it('Staff who return from the gateway to the list of a customer read the result', async () => {
  const { first, second } = await setUpOrders()
  const names = [first, second].map(({ id }) => `CONTRACT-${id}`).join(',')
  const path = `${toPayPath}&company=${first.company_id}&pay=${names}&payment=cancelled`
  await fixture.browser.openAs('delete@m18', path)
  await screen.findByText('It was cancelled before anything was paid.')
  await expect.poll(readButtons).toEqual(['Pay 2 items · HKD 84,000.00'])
})

it('A payer who returns from the gateway reads the result, and has the items selected if nothing was paid', async () => {
  const { first, second } = await setUpOrders()
  const names = [first, second].map(({ id }) => `CONTRACT-${id}`).join(',')
  await fixture.browser.openAs('admin@acme', `${toPayPath}&pay=${names}&payment=cancelled`)
  await screen.findByText('It was cancelled before anything was paid.')
  await expect.poll(readButtons).toEqual(['Pay 2 items · HKD 84,000.00'])
  // While a payment is checked, its items are not selected, so that nobody pays twice.
  await fixture.browser.open(`${toPayPath}&pay=${names}&payment=checking`)
  await screen.findByText('Your payment is still being checked')
  await findBox('First')
  expect(queryBar()).toBeNull()
  await payOrder(fixture.server, first)
  await payOrder(fixture.server, second)
  await fixture.browser.open(`${toPayPath}&pay=${names},x-1,CONTRACT-0&payment=paid`)
  const note = await screen.findByText('2 items are paid. Their receipts come by mail.')
  await fixture.user.click(within(note.parentElement ?? document.body).getByRole('button', { name: 'Close' }))
  await expect.poll(() => fixture.browser.path()).toBe(toPayPath)
})

it('The home page pays all items of a currency with two clicks', async () => {
  await setUpOrders()
  await fixture.browser.openAs('admin@acme', '/app/home')
  // With what the company has to pay already: a change in HKD, and a contract in USD.
  const button = await screen.findByRole('button', { name: /^Pay 3 items · HKD 84,/ })
  expect(screen.getAllByRole('button', { name: /^Pay \d/ })).toHaveLength(2)
  await fixture.user.click(button)
  const payment = await dialog('Pay 3 items')
  await payment.findByText('New contract: First')
  await payment.press(/^Pay HKD 84,.* by card$/)
  await screen.findByText('Payment received')
  await noDialog()
  await expect
    .poll(() => screen.queryAllByRole('button', { name: /^Pay \d/ }).map(({ textContent }) => textContent))
    .toEqual([expect.stringMatching(/^Pay 2 items · USD /)])
  expect(screen.queryByRole('button', { name: 'Pay New contract: First' })).toBeNull()
})
