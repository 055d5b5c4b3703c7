/**
 * Tests payments without a payable order, on the home page of the provider's admins (fault 5), and amounts that a method does not accept
 * (fault 7).
 */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { readDescription } from '#tests/support/pages/fields.ts'
import { placeOrder, payOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

it('Staff sees the amount of a payment task and why it cannot be applied, and confirms a refund (fault 5q)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = (await placeOrder(adminSession, { code: 'stray', period_start: today() })).json()
  await payOrder(fixture.server, order, { amount: '41999.99' })
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('HKD 41,999.99 received, but another amount was due', {}, findOptions)
  await press(/^Refund/)
  const refundDialog = await dialog(/^Refund HKD 41,999\.99 to Acme/)
  await refundDialog.press('Refund HKD 41,999.99')
  await refundDialog.findByText(/cannot be refunded here/, {}, findOptions)
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await press(/^Apply/)
  const applyDialog = await dialog('Apply HKD 41,999.99 to this order?')
  await applyDialog.press('Apply HKD 41,999.99')
  await applyDialog.findByText('It cannot be applied: another amount was due. Refund it.', {}, findOptions)
})

it.each(['overdue', 'deleted'])(
  'A customer who paid an order that is %s by now learns that the money was received (fault 5r)',
  async (orderState) => {
    const adminSession = await fixture.server.signIn('admin@acme')
    const order = (await placeOrder(adminSession, { code: 'tardy', period_start: today() })).json()
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      await db
        .insertInto('payment_attempt')
        .values({
          company_id: order.company_id,
          order_id: order.id,
          key: 'tardy',
          gateway: 'stripe',
          amount: order.amount,
          currency: 'HKD',
          language: 'en',
          device: 'phone',
          state: 'paid',
          started_at: fixture.server.clock.now,
          end_time: fixture.server.clock.now,
        })
        .execute()
      const row = db.updateTable('service_order').where('id', '=', order.id)
      if (orderState === 'deleted') await row.set({ deleted: true, is_listed: false }).execute()
      else await row.set({ stored: 'invalid', invalid_reason: 'overdue' }).execute()
    })
    await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}?payment=paid`)
    await screen.findByText('Your payment arrived too late', {}, findOptions)
    screen.getByText(/Do not pay again\.$/)
  },
)

it('Card payment is disabled for an amount that is too large, and Alipay is offered first (fault 7g)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = (
    await placeOrder(adminSession, { code: 'large', currency: 'RMB', period: 40, period_start: today() })
  ).json()
  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}`)
  await press(/^Pay RMB/)
  const payDialog = await dialog(/^Pay large/)
  const cardButton = await payDialog.findByRole('button', { name: /by card$/ }, findOptions)
  expect(cardButton.getAttribute('aria-disabled')).toBe('true')
  expect(readDescription(cardButton)).toContain('This payment method takes at most RMB 999,999.99 at once.')
  const [firstPayButton] = within(payDialog.element).getAllByRole('button', { name: /^Pay RMB/ })
  expect(firstPayButton?.textContent).toContain('with Alipay')
})

it('An extension shows that no method accepts so large an amount, and orders nothing (fault 7h)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = (await placeOrder(adminSession, { code: 'longer', period_start: today() })).json()
  await payOrder(fixture.server, order)
  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}`)
  await press('Extend')
  const extendDialog = await dialog(/^Extend/)
  const yearsField = await extendDialog.findByRole('spinbutton', {}, findOptions)
  await fixture.user.clear(yearsField)
  await fixture.user.type(yearsField, '60')
  await extendDialog.findAllByText(
    /above the largest amount that can be paid at once \(HKD 999,999\.99\)/,
    {},
    findOptions,
  )
  const submitButton = extendDialog.getByRole('button', { name: /^Extend · HKD|^Order|HKD/ })
  expect(submitButton.getAttribute('aria-disabled')).toBe('true')
})
