/** Tests background tasks as the user who started them sees them: name, progress and result. */
import { screen } from '@testing-library/dom'
import { expect, it, onTestFinished } from 'vitest'
import { paymentJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { openPaymentSandbox, payFor } from '#tests/support/orders/sandbox-server.ts'
import { createUserActions, listOrders, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, choose } = createUserActions(fixture)
const readTask = () => document.querySelector('.request')?.textContent

it('The activity page shows name, progress, end and result of a reconciliation of payments', async () => {
  const sandbox = await openPaymentSandbox(fixture.server)
  onTestFinished(sandbox.close)
  const buyerSession = await fixture.server.signIn('admin@acme')
  const [order] = await listOrders(buyerSession, 'acmehr')
  if (!order) throw new Error('there is no order to pay')
  // The payment stays open, because the bank was not called.
  expect((await payFor(buyerSession, order.id, { token: 'pm_card_threeDSecureRequired' })).statusCode).toBe(200)

  await fixture.browser.openAs('delete@m18', '/app/contract')
  await choose('Tools', 'Reconcile payments')
  await press(/1 task running/)
  await expect.poll(readTask).toMatch(/^Reconcile paymentsRunning.*0%/)
  await screen.findByRole('progressbar', { name: 'Progress: Reconcile payments' })
  await fixture.user.keyboard('{Escape}')

  while (await runOneJob(fixture.server.app, paymentJobKinds));
  await screen.findByText('Task finished: Reconcile payments')
  await press('Show')
  await expect.poll(readTask).toMatch(/^Reconcile paymentsDone.*1 open payment checked: 1 still open\./)
  const { chooseLanguage } = await import('#app/i18n/page-messages.ts')
  await chooseLanguage('zh')
  await expect.poll(readTask).toMatch(/^核对付款已完成.*已核对 1 笔未结清的付款：1 笔仍未结清。/)
})
