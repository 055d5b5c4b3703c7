/** Tests the duty of the provider's admins about faults that the check of all money found (decision 123). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

/** Runs the job that a button of the page has started. */
const runJob = () => expect.poll(() => runOneJob(fixture.server.app, requestJobKinds), findOptions).toBe(true)

const uncheckedRule: MoneyCheckFault = { rule: 'numbers', company_id: null, company_name: null, values: null }

const storeCheck = (faults: MoneyCheckFault[], create_time: number) =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    db
      .insertInto('money_check')
      .values({ faults: JSON.stringify(faults), create_time })
      .execute(),
  )

it('Staff sees each fault with its company and figures, and a rule that could not be checked', async () => {
  const paymentFault: MoneyCheckFault = {
    rule: 'payment',
    company_id: 1,
    company_name: 'Acme Trading',
    values: { payment: '17', currency: 'HKD', amount: '42000.00', credit: '0.00', invoiced: '41000.00' },
  }
  await storeCheck([paymentFault, uncheckedRule], fixture.server.clock.now)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The check of all money found 2 faults', {}, findOptions)
  await press(/^Show the faults/)
  const { element } = await dialog('The check of all money found 2 faults')
  within(element).getByText(
    'Acme Trading: Payment 17 of HKD 42,000.00, with 0.00 of credit, has HKD 41,000.00 on invoices.',
  )
  within(element).getByText('Document numbers')
  within(element).getByText("This rule could not be checked. The server's log has the reason.")
  await fixture.user.click(within(element).getByRole('button', { name: 'Check again' }))
  await runJob()
  await screen.findByText('All money was checked: no faults.', {}, findOptions)
  await expect
    .poll(() =>
      screen.queryByText(
        'Acme Trading: Payment 17 of HKD 42,000.00, with 0.00 of credit, has HKD 41,000.00 on invoices.',
      ),
    )
    .toBeNull()
})

it('Staff sees new duties when they return to the page', async () => {
  await storeCheck([], fixture.server.clock.now - 3 * 86_400_000)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The check of all money is late', {}, findOptions)
  await storeCheck([uncheckedRule], fixture.server.clock.now)
  document.dispatchEvent(new Event('visibilitychange'))
  await screen.findAllByText('The check of all money found 1 fault', {}, findOptions)
})

it('Staff sees that the daily check did not run, and starts it', async () => {
  await storeCheck([], fixture.server.clock.now - 3 * 86_400_000)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The check of all money is late', {}, findOptions)
  await press(/^Check again/)
  await runJob()
  await expect.poll(() => screen.queryAllByText('The check of all money is late'), findOptions).toEqual([])
})
