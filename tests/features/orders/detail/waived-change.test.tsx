/** Tests a change whose amount is too small to be paid, on the contract page (contracts 9). */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { addDays, addYears } from '#domain/plain-dates.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { submit, typeValues } from '#tests/support/pages/fields.ts'
import { buyOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press } = createUserActions(fixture)

it('A change shows that nothing is due and how much is waived, before and after it (fault 7b)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const { id, contract_id } = await buyOrder(fixture.server, adminSession, {
    code: 'lastday',
    users: 10,
    period_start: today(),
  })
  const end = addDays(today(), 1)
  const start = addYears(end, -1)
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
    await sql`update contract set period_start = ${start}, period_end = ${end}, anchor_date = ${start}, segments =
      jsonb_build_array(jsonb_build_object('start', ${start}::text, 'end', ${end}::text, 'annual', annual::text))
      where id = ${contract_id}`.execute(db)
    await sql`update service_order set period_start = ${start}, period_end = ${end} where id = ${id}`.execute(db)
  })
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await typeValues(fixture.user, { users: '11' })
  await screen.findByText('HKD 2.74 is waived: it is below the smallest payable amount (HKD 4.00).')
  expect(document.querySelector('.price-due .amount')?.textContent).toBe('HKD 0.00')
  await submit(fixture.user)
  await screen.findByText('HKD 2.74 (below the smallest payable amount)')
  expect((await readOrder(adminSession, id))['state']).toBe('overwritten')
})
