/** Tests contracts and backups that are bought one after another through the server's calls (decisions 60 and 61). */
import { beforeEach, expect, test } from 'vitest'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { buyOrder, type OrderRow, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('consecutive periods', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  const moveToDay = async (day: string) => {
    fixture.server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await fixture.server.signIn('order@alpha')
  }
  beforeEach(() => moveToDay('2026-03-02'))
  const post = async (url: string, payload: object) => {
    const response = await buyer.send({ method: 'POST', url, payload })
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json()
  }

  async function extend({ contract_id }: OrderRow, period: number): Promise<OrderRow> {
    const order: OrderRow = await post('/api/contract', { type: 'extend', contract_id, period })
    await payOrder(fixture.server, order)
    return readOrder(buyer, order.id)
  }
  const readHistory = async ({ contract_id }: OrderRow) =>
    (await buyer.send({ url: `/api/contract/${contract_id}/history` })).json()

  let referenceCount = 0
  async function buyBackup(period: number, period_type: 'month' | 'year' = 'month') {
    const service_id = await readServiceId(fixture.server, 'shop')
    const { id } = await post('/api/pdb/order', { service_id, pdb_type: 'pdb2rds', period, period_type })
    const list = await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}` })
    const row = list.json().data.find((candidate: { id: number }) => candidate.id === id)
    referenceCount += 1
    const payment = { gateway: 'test', reference: `backup${referenceCount}`, paidAt: fixture.server.clock.now }
    const { pay_amount: amount, currency } = row
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      applyPayment(
        { db, app: fixture.server.app, now: fixture.server.clock.now },
        { kind: 'backup', id },
        { ...payment, amount, currency },
      ),
    )
    return row
  }

  test('A contract from 29 February ends on that day again in a leap year, and costs whole years (fault 8)', async () => {
    await moveToDay('2028-02-29')
    const first = await buyOrder(fixture.server, buyer, { period_start: '2028-02-29' })
    expect(first).toMatchObject({ period_end: '2029-02-28', period: 1 })
    const extendedOrder = await extend(first, 3)
    expect(extendedOrder).toMatchObject({ period_start: '2028-02-29', period_end: '2032-02-29', period: 4 })
    expect((await readHistory(extendedOrder))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })

    const change = { type: 'change', contract_id: extendedOrder.contract_id, users: 11 }
    const { amount, steps } = await post('/api/calculate', change)
    const segmentSteps = steps.filter(({ code }: { code: string }) => code === 'segment')
    expect(segmentSteps.map(({ values }: { values: { years: string } }) => values.years)).toEqual(['1', '3'])
    const order: OrderRow = await post('/api/contract', change)
    expect(order.amount).toBe(amount)
    await payOrder(fixture.server, order)
    const changedOrder = await readOrder(buyer, order.id)
    expect((await readHistory(changedOrder))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })
    expect(await extend(changedOrder, 1)).toMatchObject({ period_end: '2033-02-28', period: 5 })
  })

  test('A contract that is extended after a gap is counted from its new start (fault 8)', async () => {
    await moveToDay('2028-02-29')
    const first = await buyOrder(fixture.server, buyer, { period_start: '2028-02-29' })
    await moveToDay('2029-03-10')
    const extendedOrder = await extend(first, 1)
    expect(extendedOrder).toMatchObject({ period_start: '2029-03-10', period_end: '2030-03-10' })
    expect((await readHistory(extendedOrder))[0]).toMatchObject({ anchor_date: '2029-03-10', anchor_months: 12 })
  })

  test('A contract that is extended on its last day keeps its original start (fault 8)', async () => {
    await moveToDay('2028-02-29')
    const first = await buyOrder(fixture.server, buyer, { period_start: '2028-02-29' })
    await moveToDay('2029-02-28')
    const extendedOrder = await extend(first, 3)
    expect(extendedOrder).toMatchObject({ period_start: '2029-02-28', period_end: '2032-02-29', period: 3 })
    expect((await readHistory(extendedOrder))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })
  })

  test('Four single backup months end like one order of four months, also after a cut and a gap (fault 8)', async () => {
    await buyOrder(fixture.server, buyer, { period_start: '2026-03-30', period: 1 })
    await moveToDay('2026-08-31')
    const rows = []
    for (const period of [1, 1, 1, 1]) rows.push(await buyBackup(period))
    expect(rows.map((row) => row.period_end)).toEqual(['2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31'])
    expect(rows.at(-1)).toMatchObject({ anchor_date: '2026-08-31', anchor_months: 4, amount: '1250.00' })

    // The contract ends on 2027-03-30, so the subscription ends with it and costs three months. No fourth month has started.
    const shortBackup = await buyBackup(1, 'year')
    expect(shortBackup).toMatchObject({ period_start: '2026-12-31', period_end: '2027-03-30', amount: '3750.00' })
    expect(shortBackup).toMatchObject({ anchor_date: null, anchor_months: null })

    const [contract] = (await buyer.send({ url: `/api/company/${fixture.server.world.companies.alpha}/sorder` })).json()
      .data
    await extend(contract, 2)
    expect(await buyBackup(1)).toMatchObject({ period_start: '2027-03-30', period_end: '2027-04-30', anchor_months: 1 })
    await moveToDay('2027-07-05')
    expect(await buyBackup(1)).toMatchObject({ period_end: '2027-08-05', anchor_date: '2027-07-05', anchor_months: 1 })
  })

  test('A change one day later does not cost more, because leap days never exceed whole years (fault 9)', async () => {
    await moveToDay('2027-03-01')
    const contract = await buyOrder(fixture.server, buyer, { period_start: '2027-03-01', period: 5 })
    const change = { type: 'change', contract_id: contract.contract_id, users: 11 }
    const firstQuote = await post('/api/calculate', change)
    await moveToDay('2027-03-02')
    const laterQuote = await post('/api/calculate', change)
    expect(laterQuote).toMatchObject({
      contract_amount: firstQuote.contract_amount,
      residual_amount: firstQuote.residual_amount,
      amount: firstQuote.amount,
    })
    const [segment] = laterQuote.steps.filter(({ code }: { code: string }) => code === 'segment')
    expect(segment.values).toMatchObject({ years: '5', days: '1826' })
    await moveToDay('2027-03-04')
    expect(Number((await post('/api/calculate', change)).amount)).toBeLessThan(Number(firstQuote.amount))
  })
})
