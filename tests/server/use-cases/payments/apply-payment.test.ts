/** Tests that payments which are reported once, twice, late, wrong or concurrently have one effect or none. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { onConnections } from '#tests/support/server/database.ts'
import {
  shopOpenedAt,
  buyOrder,
  placeOrder,
  type OrderRow,
  payOrder,
  readOrder,
  setUpShop,
} from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('a payment', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  let order: OrderRow
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    order = (await placeOrder(buyer)).json()
  })

  const dayMs = 86_400_000
  const setDay = async (days: number) => {
    fixture.server.clock.now = shopOpenedAt + days * dayMs
    buyer = await fixture.server.signIn('order@alpha')
  }
  const listInvoices = () =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('invoice').selectAll().execute(),
    )
  const countRows = (table: 'payment' | 'contract' | 'invoice') =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      return rows[0]?.count
    })
  const countAllRows = async () => [await countRows('payment'), await countRows('contract'), await countRows('invoice')]

  test('creates one contract and one invoice with fixed seller, buyer and lines (D90)', async () => {
    expect(await payOrder(fixture.server, order)).toMatchObject({ outcome: 'applied', isRepeated: false })
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1, contract: 'C202603000001', row_version: 2 })
    const [invoice] = await listInvoices()
    expect(invoice).toMatchObject({
      code: 'I202603000001',
      content: {
        seller: { code: 'm18' },
        buyer: { code: 'alpha' },
        contract: 'C202603000001',
        pay_amount: '42000.00',
        currency: 'HKD',
        payment: { gateway: 'test' },
      },
    })
    expect(JSON.stringify(invoice?.content)).not.toContain('mfa_required')
  })

  test('stores both tax numbers in the invoice, where later changes have no effect', async () => {
    const saveTaxNumber = async (company: 'alpha' | 'm18', tax_number: string) => {
      const admin = await fixture.server.signIn(`admin@${company}`)
      const url = `/api/m18s/company/${fixture.server.world.companies[company]}`
      expect((await admin.send({ method: 'PUT', url, payload: { tax_number } })).statusCode).toBe(200)
    }
    await saveTaxNumber('m18', '31000018')
    await saveTaxNumber('alpha', '12345678')
    await payOrder(fixture.server, order)
    await saveTaxNumber('m18', '31000019')
    await saveTaxNumber('alpha', '12345679')
    const [invoice] = await listInvoices()
    expect(invoice?.content).toMatchObject({
      seller: { code: 'm18', tax_number: '31000018' },
      buyer: { code: 'alpha', tax_number: '12345678' },
    })
  })

  test('has no further effect if it is reported again, also concurrently', async () => {
    const fields = { reference: 'one' }
    const results = await Promise.all(Array.from({ length: 10 }, () => payOrder(fixture.server, order, fields)))
    expect(results.filter((result) => result?.isRepeated === false)).toHaveLength(1)
    expect(results.map((result) => result?.outcome)).toEqual(Array.from({ length: 10 }, () => 'applied'))
    expect(await countAllRows()).toEqual([1, 1, 1])
  }, 30_000)

  test('is recorded without effect if it is the second payment of an order', async () => {
    const results = await Promise.all([
      payOrder(fixture.server, order),
      payOrder(fixture.server, order, { gateway: 'other' }),
    ])
    expect(results.map((result) => result?.outcome).toSorted()).toEqual(['applied', 'paid already'])
    expect(await countAllRows()).toEqual([2, 1, 1])
  })

  test.each([
    [{ amount: '41999.99' }, 'another amount'],
    [{ amount: '42000.01' }, 'another amount'],
    [{ currency: 'USD' as const }, 'another currency'],
    [{ paidAt: Date.parse('2026-03-09T16:00:00Z') }, 'too late'],
  ])('is recorded without effect if it does not match: %j', async (fields, outcome) => {
    expect(await payOrder(fixture.server, order, fields)).toMatchObject({ outcome })
    expect(await countAllRows()).toEqual([1, 0, 0])
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 0 })
    expect(await payOrder(fixture.server, order)).toMatchObject({ outcome: 'applied' })
  })

  test('is applied if it was made in time but reported late, unless the code is used by then', async () => {
    const paidAt = Date.parse('2026-03-09T15:59:59Z')
    await setDay(10)
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: -1 })
    expect(await payOrder(fixture.server, order, { paidAt })).toMatchObject({ outcome: 'applied' })
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1 })

    const secondOrder = (await placeOrder(buyer, { code: 'second', period_start: '2026-03-12' })).json()
    await setDay(20)
    await placeOrder(await fixture.server.signIn('order@beta'), { code: 'second', period_start: '2026-03-22' })
    expect(await payOrder(fixture.server, secondOrder, { paidAt: shopOpenedAt + 11 * dayMs })).toMatchObject({
      outcome: 'replaced',
    })
  })

  test('is recorded without effect if its order was replaced or deleted', async () => {
    await placeOrder(buyer, { users: 11, replaces: order.id })
    expect(await payOrder(fixture.server, order)).toMatchObject({ outcome: 'replaced' })
    const deletedOrder = (await placeOrder(buyer, { code: 'gone' })).json()
    await buyer.send({ method: 'DELETE', url: `/api/sorder/${deletedOrder.id}` })
    expect(await payOrder(fixture.server, deletedOrder)).toMatchObject({ outcome: 'replaced' })
    expect(await countAllRows()).toEqual([2, 0, 0])
    expect(await payOrder(fixture.server, { ...deletedOrder, id: 999_999 })).toBeNull()
  })

  test('leaves no rows and no gap in the numbers if it fails halfway', async () => {
    const now = fixture.server.clock.now
    const payment = { gateway: 'test', reference: 'cut', amount: order.amount, currency: 'HKD' as const, paidAt: now }
    const failedPayment = runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      await applyPayment({ db, app: fixture.server.app, now }, { kind: 'order', id: order.id }, payment)
      throw new Error('cut off')
    })
    await expect(failedPayment).rejects.toThrow('cut off')
    expect(await countAllRows()).toEqual([0, 0, 0])
    expect(await payOrder(fixture.server, order, { reference: 'cut' })).toMatchObject({ outcome: 'applied' })
    const otherOrders = await Promise.all(
      ['alpha1', 'beta1', 'gamma1'].map((code) => buyOrder(fixture.server, buyer, { code })),
    )
    const numbers = (await listInvoices()).map(({ code }) => code).toSorted()
    expect(numbers).toEqual(['I202603000001', 'I202603000002', 'I202603000003', 'I202603000004'])
    expect(new Set(otherOrders.map(({ contract }) => contract)).size).toBe(3)
  })
})
