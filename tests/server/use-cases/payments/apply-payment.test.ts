/** Money that comes once, twice, late, wrong and at the same moment: one effect or none. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { began, bought, order, type Ordered, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('a payment', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  let made: Ordered
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    made = (await order(buyer)).json()
  })

  const dayMs = 86_400_000
  const later = async (days: number) => {
    the.server.clock.now = began + days * dayMs
    buyer = await the.server.signIn('order@alpha')
  }
  const invoices = () =>
    inTransaction(the.server.app, { role: 'portal_system' }, (db) => db.selectFrom('invoice').selectAll().execute())
  const count = (table: 'payment' | 'contract' | 'invoice') =>
    inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      return rows[0]?.count
    })
  const counts = async () => [await count('payment'), await count('contract'), await count('invoice')]

  test('makes one contract and one invoice, frozen with seller, buyer and lines (D90)', async () => {
    expect(await paid(the.server, made)).toMatchObject({ outcome: 'applied', repeated: false })
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1, contract: 'C202603000001', row_version: 2 })
    const [invoice] = await invoices()
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

  test('freezes the tax numbers of both, which change later and stay as they were on the invoice', async () => {
    const write = async (company: 'alpha' | 'm18', tax_number: string) => {
      const admin = await the.server.signIn(`admin@${company}`)
      const url = `/api/m18s/company/${the.server.world.companies[company]}`
      expect((await admin.send({ method: 'PUT', url, payload: { tax_number } })).statusCode).toBe(200)
    }
    await write('m18', '31000018')
    await write('alpha', '12345678')
    await paid(the.server, made)
    await write('m18', '31000019')
    await write('alpha', '12345679')
    const [invoice] = await invoices()
    expect(invoice?.content).toMatchObject({
      seller: { code: 'm18', tax_number: '31000018' },
      buyer: { code: 'alpha', tax_number: '12345678' },
    })
  })

  test('that is told again is known, however often and at the same moment', async () => {
    const fields = { reference: 'one' }
    const told = await Promise.all(Array.from({ length: 10 }, () => paid(the.server, made, fields)))
    expect(told.filter((one) => one?.repeated === false)).toHaveLength(1)
    expect(told.map((one) => one?.outcome)).toEqual(Array.from({ length: 10 }, () => 'applied'))
    expect(await counts()).toEqual([1, 1, 1])
  }, 30_000)

  test('beside another one of the same order is written down and has no second effect', async () => {
    const told = await Promise.all([paid(the.server, made), paid(the.server, made, { gateway: 'other' })])
    expect(told.map((one) => one?.outcome).toSorted()).toEqual(['applied', 'paid already'])
    expect(await counts()).toEqual([2, 1, 1])
  })

  test.each([
    [{ amount: '41999.99' }, 'another amount'],
    [{ amount: '42000.01' }, 'another amount'],
    [{ currency: 'USD' as const }, 'another currency'],
    [{ paidAt: Date.parse('2026-03-09T16:00:00Z') }, 'too late'],
  ])('that does not fit is written down and has no effect: %j', async (fields, outcome) => {
    expect(await paid(the.server, made, fields)).toMatchObject({ outcome })
    expect(await counts()).toEqual([1, 0, 0])
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 0 })
    expect(await paid(the.server, made)).toMatchObject({ outcome: 'applied' })
  })

  test('made in time counts although it is told after the last second, unless the code is another’s by then', async () => {
    const paidAt = Date.parse('2026-03-09T15:59:59Z')
    await later(10)
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: -1 })
    expect(await paid(the.server, made, { paidAt })).toMatchObject({ outcome: 'applied' })
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })

    const second = (await order(buyer, { code: 'second', period_start: '2026-03-12' })).json()
    await later(20)
    await order(await the.server.signIn('order@beta'), { code: 'second', period_start: '2026-03-22' })
    expect(await paid(the.server, second, { paidAt: began + 11 * dayMs })).toMatchObject({ outcome: 'replaced' })
  })

  test('for an order that was replaced or deleted is written down and has no effect', async () => {
    await order(buyer, { users: 11, replaces: made.id })
    expect(await paid(the.server, made)).toMatchObject({ outcome: 'replaced' })
    const gone = (await order(buyer, { code: 'gone' })).json()
    await buyer.send({ method: 'DELETE', url: `/api/sorder/${gone.id}` })
    expect(await paid(the.server, gone)).toMatchObject({ outcome: 'replaced' })
    expect(await counts()).toEqual([2, 0, 0])
    expect(await paid(the.server, { ...gone, id: 999_999 })).toBeNull()
  })

  test('that fails half-way leaves nothing, and no gap in the numbers', async () => {
    const now = the.server.clock.now
    const payment = { gateway: 'test', reference: 'cut', amount: made.amount, currency: 'HKD' as const, paidAt: now }
    const cut = inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      await applyPayment({ db, app: the.server.app, now }, { kind: 'order', id: made.id }, payment)
      throw new Error('cut off')
    })
    await expect(cut).rejects.toThrow('cut off')
    expect(await counts()).toEqual([0, 0, 0])
    expect(await paid(the.server, made, { reference: 'cut' })).toMatchObject({ outcome: 'applied' })
    const others = await Promise.all(['alpha1', 'beta1', 'gamma1'].map((code) => bought(the.server, buyer, { code })))
    const numbers = (await invoices()).map(({ code }) => code).toSorted()
    expect(numbers).toEqual(['I202603000001', 'I202603000002', 'I202603000003', 'I202603000004'])
    expect(new Set(others.map(({ contract }) => contract)).size).toBe(3)
  })
})
