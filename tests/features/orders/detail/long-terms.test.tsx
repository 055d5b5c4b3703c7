/** Contracts of many years on their page: how far they can be extended, and what a change of them says of their days. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { addDays, addYears, daysBetween } from '#domain/period.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { button, described, type } from '#tests/support/pages/fields.ts'
import { bought, readOrder } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const the = setUpShopPages()
const { press, dialog } = handsOn(the)
let admin: SignedIn
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
})

const buy = (code: string, period: number, currency = 'HKD') =>
  bought(the.server, admin, { code, name: `Test ${code}`, period, currency, period_start: today() })
const due = () => document.querySelector('.price-due .amount')?.textContent

it('fault 3a extends no further than 99 years: the field says how many are left, and nothing is ordered', async () => {
  const { id } = await buy('longest', 97, 'USD')
  await the.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press('Extend')
  const drawer = await dialog('Extend longest')
  await press('3 years')
  await drawer.findAllByText('A contract runs for 99 years at most. Years you can still add: 2.')
  expect(document.querySelector('.price-due')).toBeNull()
  await the.user.click(document.querySelector('[role=dialog] button[type=submit]') ?? document.body)
  expect((await readOrder(admin, id))['pending']).toBeNull()
  await press('2 years')
  await expect.poll(due).toBe('USD 10,780.00')
  expect(described(button('One year more'))).toContain('Years you can still add: 2.')
})

it('fault 9 a change tells both the days and the years that they count as', async () => {
  const { id, contract_id } = await buy('capped', 9)
  // It began yesterday: two leap days make the rest of nine years longer than nine times 365 days.
  const [start, end] = [addDays(today(), -1), addYears(addDays(today(), -1), 9)]
  await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
    await sql`update contract set period_start = ${start}, period_end = ${end}, anchor_date = ${start}, segments =
      jsonb_build_array(jsonb_build_object('start', ${start}::text, 'end', ${end}::text, 'annual', annual::text))
      where id = ${contract_id}`.execute(db)
    await sql`update service_order set period_start = ${start}, period_end = ${end} where id = ${id}`.execute(db)
  })
  await the.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await type(the.user, { users: '11' })
  const words = `${daysBetween(today(), end)} days, counted as 9 years`
  await expect.poll(() => document.querySelector('.order-stretches')?.textContent).toContain(words)
  await the.user.click(await screen.findByText('Why?'))
  await expect.poll(() => document.querySelector('.why')?.textContent).toContain(`${words} at`)
})
