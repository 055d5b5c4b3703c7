/** Tests the duty of the provider's admins about faults that the check of all money found (decision 123). */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import type { MoneyCheckFault } from '#server/db/tables/refund-tables.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

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
    values: { payment: '17', currency: 'HKD', amount: '42000.00', invoiced: '41000.00' },
  }
  const uncheckedRule: MoneyCheckFault = { rule: 'numbers', company_id: null, company_name: null, values: null }
  await storeCheck([paymentFault, uncheckedRule], fixture.server.clock.now)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The check of all money found 2 faults', {}, findOptions)
  await press(/^Show the faults/)
  const { element } = await dialog('The check of all money found 2 faults')
  within(element).getByText('Acme Trading: Payment 17 of HKD 42,000.00 has HKD 41,000.00 on invoices.')
  within(element).getByText('Document numbers')
  within(element).getByText("This rule could not be checked. The server's log has the reason.")
})

it('Staff sees that the daily check did not run, and nothing if it ran without faults', async () => {
  await storeCheck([], fixture.server.clock.now - 3 * 86_400_000)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The check of all money is late', {}, findOptions)
  await storeCheck([], fixture.server.clock.now)
  await press(/^Check again/)
  await expect.poll(() => screen.queryByText('The check of all money is late'), findOptions).toBeNull()
})
