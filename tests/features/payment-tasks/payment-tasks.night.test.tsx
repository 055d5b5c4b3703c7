/** Money that no order waits for, on the home page of the provider's admins (fault 5), and amounts that a method cannot take (fault 7). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { described } from '#tests/support/pages/fields.ts'
import { order, paid } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog } = handsOn(the)
const patient = { timeout: 15_000 }

it('fault 5q shows staff a task with its sum, asks before a refund, and says why it cannot be applied', async () => {
  const admin = await the.server.signIn('admin@acme')
  const made = (await order(admin, { code: 'stray', period_start: today() })).json()
  await paid(the.server, made, { amount: '41999.99' })
  await the.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('HKD 41,999.99 received, but another amount was due', {}, patient)
  await press(/^Refund/)
  const refund = await dialog(/^Refund HKD 41,999\.99 to Acme/)
  await refund.press('Refund HKD 41,999.99')
  await refund.findByText(/cannot be refunded here/, {}, patient)
  await the.user.keyboard('{Escape}')
  await noDialog()
  await press(/^Apply/)
  const apply = await dialog('Apply HKD 41,999.99 to this order?')
  await apply.press('Apply HKD 41,999.99')
  await apply.findByText('It cannot be applied: another amount was due. Refund it.', {}, patient)
})

it.each(['overdue', 'deleted'])(
  'fault 5r tells who comes back from paying an order that is %s by now that the money was taken',
  async (fate) => {
    const admin = await the.server.signIn('admin@acme')
    const made = (await order(admin, { code: 'tardy', period_start: today() })).json()
    await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      await db
        .insertInto('payment_attempt')
        .values({
          company_id: made.company_id,
          order_id: made.id,
          key: 'tardy',
          gateway: 'stripe',
          amount: made.amount,
          currency: 'HKD',
          language: 'en',
          device: 'phone',
          state: 'paid',
          begun_at: the.server.clock.now,
          end_time: the.server.clock.now,
        })
        .execute()
      const row = db.updateTable('service_order').where('id', '=', made.id)
      if (fate === 'deleted') await row.set({ deleted: true, shown: false }).execute()
      else await row.set({ stored: 'invalid', invalid_why: 'overdue' }).execute()
    })
    await the.browser.openAs('admin@acme', `/app/contract/${made.id}?payment=paid`)
    await screen.findByText('Your payment arrived too late', {}, patient)
    screen.getByText(/Do not pay again\.$/)
  },
)

it('fault 7g disables a card for what it cannot take, with the reason, and offers Alipay first', async () => {
  const admin = await the.server.signIn('admin@acme')
  const made = (await order(admin, { code: 'large', currency: 'RMB', period: 40, period_start: today() })).json()
  await the.browser.openAs('admin@acme', `/app/contract/${made.id}`)
  await press(/^Pay RMB/)
  const pay = await dialog(/^Pay large/)
  const card = await pay.findByRole('button', { name: /by card$/ }, patient)
  expect(card.getAttribute('aria-disabled')).toBe('true')
  expect(described(card)).toContain('This method takes at most RMB 999,999.99 at once.')
  const [first] = within(pay.element).getAllByRole('button', { name: /^Pay RMB/ })
  expect(first?.textContent).toContain('with Alipay')
})

it('fault 7h says in the extension that no method takes so much, and orders nothing', async () => {
  const admin = await the.server.signIn('admin@acme')
  const made = (await order(admin, { code: 'longer', period_start: today() })).json()
  await paid(the.server, made)
  await the.browser.openAs('admin@acme', `/app/contract/${made.id}`)
  await press('Extend')
  const drawer = await dialog(/^Extend/)
  const years = await drawer.findByRole('spinbutton', {}, patient)
  await the.user.clear(years)
  await the.user.type(years, '60')
  await drawer.findAllByText(/above the largest amount that can be paid at once \(HKD 999,999\.99\)/, {}, patient)
  const submit = drawer.getByRole('button', { name: /^Extend · HKD|^Order|HKD/ })
  expect(submit.getAttribute('aria-disabled')).toBe('true')
})
