/** A sold contract shows the prices that it was sold at, whatever the list of today says. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readAmount } from '#domain/money.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { bought, paid } from '#tests/support/orders/shop-data.ts'
import { setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()

const rows = () =>
  [...document.querySelectorAll('.order-modules.sold > li:not(.joining)')].map((row) => ({
    kind: row.className,
    text: row.querySelector('span')?.textContent?.trim() ?? '',
    amount: readAmount((row.lastElementChild?.textContent ?? '').replaceAll(',', '').replace('−', '-')),
  }))
const partsSum = () => rows().reduce((all, { kind, amount }) => (kind === '' ? all + amount : all), 0n)
const amountOf = (text: string) => rows().find((row) => row.text.startsWith(text))?.amount

it('fault 29a shows the sale of each contract, its rows add up, and older orders have their invoices', async () => {
  const admin = await the.server.signIn('admin@acme')
  const first = await bought(the.server, admin, { code: 'sold', name: 'Sold', period: 2, period_start: today() })
  // Prices of today are others by now.
  await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
    sql`update price_list set content = jsonb_set(content, '{module}', (select jsonb_agg(m || '{"hkd": "99999.00"}')
      from jsonb_array_elements(content -> 'module') m))`.execute(db),
  )
  await the.browser.openAs('admin@acme', `/app/contract/${first.id}`)
  await expect.poll(() => rows().length).toBeGreaterThan(3)
  // 10 users, core and fin cost 42,000.00 a year.
  expect(rows().map(({ text }) => text)).toEqual([
    'Users 1 to 10: 10 × 1,200.00',
    'Core core',
    'Finance fin',
    'Yearly fee',
    '2 years × 42,000.00',
    'Total of this sale',
    'Paid',
  ])
  expect([partsSum(), amountOf('Yearly fee')]).toEqual([4_200_000n, 4_200_000n])
  expect([amountOf('Total'), amountOf('Paid')]).toEqual([8_400_000n, 8_400_000n])

  const payload = { type: 'change', contract_id: first.contract_id, users: 12 }
  const change = (await admin.send({ method: 'POST', url: '/api/contract', payload })).json()
  await paid(the.server, change)
  await the.browser.open(`/app/contract/${change.id}`)
  await expect.poll(() => amountOf('Less what is already paid')).toBeDefined()
  expect(partsSum()).toBe(amountOf('Yearly fee'))
  const due = readAmount(change.amount)
  expect((amountOf('For the rest of the time') ?? 0n) + (amountOf('Less what is already paid') ?? 0n)).toBe(due)
  expect([amountOf('Total'), amountOf('Paid')]).toEqual([due, due])
  const total = [...document.querySelectorAll('dl.facts > div')].find((one) =>
    one.textContent?.startsWith('Total paid'),
  )
  expect(readAmount((total?.querySelector('dd')?.textContent ?? '').replaceAll(',', ''))).toBe(8_400_000n + due)

  const older = await screen.findByRole('link', { name: String(first['contract']) })
  expect(older.getAttribute('href')).toMatch(new RegExp(`/app/contract/${first.id}$`))
  expect(screen.getAllByRole('button', { name: /^Print the invoice I\d+$/ })).toHaveLength(2)
})
