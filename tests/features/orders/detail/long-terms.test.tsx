/** Tests the page of contracts over many years: the limit of an extension, and the days shown for a change. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { addDays, addYears, countDaysBetween } from '#domain/plain-dates.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { getButton, readDescription, typeValues } from '#tests/support/pages/fields.ts'
import { buyOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog } = createUserActions(fixture)
let adminSession: SignedIn
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
})

const buyContract = (code: string, period: number, currency = 'HKD') =>
  buyOrder(fixture.server, adminSession, { code, name: `Test ${code}`, period, currency, period_start: today() })
const readDueAmount = () => document.querySelector('.price-due .amount')?.textContent

it('An extension ends at 99 years: the field shows the remaining years, and nothing is ordered (fault 3a)', async () => {
  const { id } = await buyContract('longest', 97, 'USD')
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press('Extend')
  const extendDialog = await dialog('Extend longest')
  await press('3 years')
  await extendDialog.findAllByText('A contract runs for 99 years at most. Years you can still add: 2.')
  expect(document.querySelector('.price-due')).toBeNull()
  await fixture.user.click(document.querySelector('[role=dialog] button[type=submit]') ?? document.body)
  expect((await readOrder(adminSession, id))['pending']).toBeNull()
  await press('2 years')
  await expect.poll(readDueAmount).toBe('USD 10,780.00')
  expect(readDescription(getButton('One year more'))).toContain('Years you can still add: 2.')
})

it('A change shows its days, and the years that are charged for them (fault 9)', async () => {
  const { id, contract_id } = await buyContract('capped', 9)
  // The contract started yesterday. The rest of its nine years has two leap days, so it is longer than nine times 365 days.
  const [start, end] = [addDays(today(), -1), addYears(addDays(today(), -1), 9)]
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
  const termText = `${countDaysBetween(today(), end)} days, counted as 9 years`
  await expect.poll(() => document.querySelector('.order-stretches')?.textContent).toContain(termText)
  await fixture.user.click(await screen.findByText('Why this amount?'))
  await expect.poll(() => document.querySelector('.why')?.textContent).toContain(`${termText} at`)
})
