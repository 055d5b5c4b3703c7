/** Background tasks as who began them sees them: by name, with progress and with what they came to. */
import { screen } from '@testing-library/dom'
import { expect, it, onTestFinished } from 'vitest'
import { paymentKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { openTill, payFor } from '#tests/support/orders/sandbox-server.ts'
import { handsOn, ordersOf, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, choose } = handsOn(the)
const row = () => document.querySelector('.request')?.textContent

it('names the reconciliation of payments, shows how far it is, tells elsewhere that it has ended, and shows its figures', async () => {
  const till = await openTill(the.server)
  onTestFinished(till.close)
  const buyer = await the.server.signIn('admin@acme')
  const [order] = await ordersOf(buyer, 'acmehr')
  if (!order) throw new Error('there is no order to pay')
  // It stays open: the bank has not been asked.
  expect((await payFor(buyer, order.id, { token: 'pm_card_threeDSecureRequired' })).statusCode).toBe(200)

  await the.browser.openAs('delete@m18', '/app/contract')
  await choose('Tools', 'Reconcile payments')
  await press('Background tasks: 1 running')
  await expect.poll(row).toMatch(/^Reconciliation of paymentsRunning.*0%/)
  await screen.findByRole('progressbar', { name: 'Progress: Reconciliation of payments' })
  await the.user.keyboard('{Escape}')

  while (await workOne(the.server.app, paymentKinds));
  await screen.findByText('Task finished: Reconciliation of payments')
  await press('Show')
  await expect.poll(row).toMatch(/^Reconciliation of paymentsDone.*1 open payment checked: 1 still open\./)
  const { chooseLanguage } = await import('#app/i18n/i18n.ts')
  await chooseLanguage('zh')
  await expect.poll(row).toMatch(/^付款核对已完成.*已核对 1 笔未结清的付款：1 笔仍未结清。/)
})
