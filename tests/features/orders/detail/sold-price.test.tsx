/** Tests that a contract shows the prices at which it was sold, also after the price list has changed. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readAmount } from '#domain/money.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { buyOrder, payOrder, placeOrder } from '#tests/support/orders/shop-data.ts'
import { setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

const readRows = () =>
  [...document.querySelectorAll('.order-modules.sold > li:not(.joining)')].map((row) => ({
    kind: row.className,
    text: row.querySelector('span')?.textContent?.trim() ?? '',
    amount: readAmount((row.lastElementChild?.textContent ?? '').replaceAll(',', '').replace('−', '-')),
  }))
const sumParts = () => readRows().reduce((all, { kind, amount }) => (kind === '' ? all + amount : all), 0n)
const getAmount = (text: string) => readRows().find((row) => row.text.startsWith(text))?.amount

it('A contract shows its sales with matching sums, and older orders keep their invoices (fault 29a)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const firstOrder = await buyOrder(fixture.server, adminSession, {
    code: 'sold',
    name: 'Sold',
    period: 2,
    period_start: today(),
  })
  // Raises the current prices, so that they differ from those of the contract.
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    sql`update price_list set content = jsonb_set(content, '{module}', (select jsonb_agg(m || '{"hkd": "99999.00"}')
      from jsonb_array_elements(content -> 'module') m))`.execute(db),
  )
  await fixture.browser.openAs('admin@acme', `/app/contract/${firstOrder.id}`)
  // The price is closed at first. That it is open is kept for the next contract.
  const summary = await screen.findByText(/How it is made up$/)
  expect(summary.textContent).toBe('Annual fee HKD 42,000.00 · How it is made up')
  await fixture.user.click(summary)
  // The fee of 10 users, core and fin is 42,000.00 a year. The names of modules arrive after the contract.
  await expect
    .poll(() => readRows().map(({ text }) => text))
    .toEqual([
      'Users 1 to 10: 10 × 1,200.00',
      'Core core',
      'Finance fin',
      'Annual fee',
      '2 years × 42,000.00',
      'Total of this order',
      'Paid',
    ])
  expect([sumParts(), getAmount('Annual fee')]).toEqual([4_200_000n, 4_200_000n])
  expect([getAmount('Total'), getAmount('Paid')]).toEqual([8_400_000n, 8_400_000n])

  const payload = { type: 'change', contract_id: firstOrder.contract_id, users: 12 }
  const changeOrder = (await adminSession.send({ method: 'POST', url: '/api/contract', payload })).json()
  await payOrder(fixture.server, changeOrder)
  await fixture.browser.open(`/app/contract/${changeOrder.id}`)
  await expect.poll(() => getAmount('Less what is already paid')).toBeDefined()
  expect(sumParts()).toBe(getAmount('Annual fee'))
  const dueAmount = readAmount(changeOrder.amount)
  expect((getAmount('Remaining time, after the change') ?? 0n) + (getAmount('Less what is already paid') ?? 0n)).toBe(
    dueAmount,
  )
  expect([getAmount('Total'), getAmount('Paid')]).toEqual([dueAmount, dueAmount])
  const totalRow = [...document.querySelectorAll('dl.facts > div')].find((factRow) =>
    factRow.textContent?.startsWith('Total paid'),
  )
  expect(readAmount((totalRow?.querySelector('dd')?.textContent ?? '').replaceAll(/HKD |,/g, ''))).toBe(
    8_400_000n + dueAmount,
  )

  const olderLink = await screen.findByRole('link', { name: String(firstOrder['contract']) })
  expect(olderLink.getAttribute('href')).toMatch(new RegExp(`/app/contract/${firstOrder.id}$`))
  expect(screen.getAllByRole('button', { name: /^Print the invoice I\d+$/ })).toHaveLength(2)
})

it('An order that is not paid yet shows what its amount consists of, open', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = (await placeOrder(adminSession, { code: 'notpaid', period_start: today() })).json()
  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}`)
  await expect.poll(() => getAmount('Total of this order')).toBe(readAmount(order.amount))
  expect(sumParts()).toBe(getAmount('Annual fee'))
  expect(getAmount('Users 1 to')).toBeDefined()
})
