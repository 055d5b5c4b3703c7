/** Contracts and backups that are bought one after the other through the server's calls (decisions 60 and 61). */
import { beforeEach, expect, test } from 'vitest'
import { serviceIdOf } from '#tests/support/hosting/backups.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { bought, type Ordered, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('periods bought one after the other', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  const goTo = async (day: string) => {
    the.server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await the.server.signIn('order@alpha')
  }
  beforeEach(() => goTo('2026-03-02'))
  const post = async (url: string, payload: object) => {
    const response = await buyer.send({ method: 'POST', url, payload })
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json()
  }

  async function extend({ contract_id }: Ordered, period: number): Promise<Ordered> {
    const ordered: Ordered = await post('/api/contract', { type: 'extend', contract_id, period })
    await paid(the.server, ordered)
    return readOrder(buyer, ordered.id)
  }
  const history = async ({ contract_id }: Ordered) =>
    (await buyer.send({ url: `/api/contract/${contract_id}/history` })).json()

  let references = 0
  async function buyBackup(period: number, period_type: 'month' | 'year' = 'month') {
    const service_id = await serviceIdOf(the.server, 'shop')
    const { id } = await post('/api/pdb/order', { service_id, pdb_type: 'pdb2rds', period, period_type })
    const list = await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}` })
    const row = list.json().data.find((one: { id: number }) => one.id === id)
    references += 1
    const payment = { gateway: 'test', reference: `backup${references}`, paidAt: the.server.clock.now }
    const { pay_amount: amount, currency } = row
    await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      applyPayment(
        { db, app: the.server.app, now: the.server.clock.now },
        { kind: 'backup', id },
        { ...payment, amount, currency },
      ),
    )
    return row
  }

  test('fault 8 a contract of a 29 February ends on one again in a leap year, and costs whole years', async () => {
    await goTo('2028-02-29')
    const first = await bought(the.server, buyer, { period_start: '2028-02-29' })
    expect(first).toMatchObject({ period_end: '2029-02-28', period: 1 })
    const extended = await extend(first, 3)
    expect(extended).toMatchObject({ period_start: '2028-02-29', period_end: '2032-02-29', period: 4 })
    expect((await history(extended))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })

    const change = { type: 'change', contract_id: extended.contract_id, users: 11 }
    const { amount, steps } = await post('/api/calculate', change)
    const parts = steps.filter(({ code }: { code: string }) => code === 'segment')
    expect(parts.map(({ values }: { values: { years: string } }) => values.years)).toEqual(['1', '3'])
    const ordered: Ordered = await post('/api/contract', change)
    expect(ordered.amount).toBe(amount)
    await paid(the.server, ordered)
    const changed = await readOrder(buyer, ordered.id)
    expect((await history(changed))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })
    expect(await extend(changed, 1)).toMatchObject({ period_end: '2033-02-28', period: 5 })
  })

  test('fault 8 a contract that is extended after a gap counts from its new start', async () => {
    await goTo('2028-02-29')
    const first = await bought(the.server, buyer, { period_start: '2028-02-29' })
    await goTo('2029-03-10')
    const anew = await extend(first, 1)
    expect(anew).toMatchObject({ period_start: '2029-03-10', period_end: '2030-03-10' })
    expect((await history(anew))[0]).toMatchObject({ anchor_date: '2029-03-10', anchor_months: 12 })
  })

  test('fault 8 a contract that is extended on the day of its end goes on counting', async () => {
    await goTo('2028-02-29')
    const first = await bought(the.server, buyer, { period_start: '2028-02-29' })
    await goTo('2029-02-28')
    const anew = await extend(first, 3)
    expect(anew).toMatchObject({ period_start: '2029-02-28', period_end: '2032-02-29', period: 3 })
    expect((await history(anew))[0]).toMatchObject({ anchor_date: '2028-02-29', anchor_months: 48 })
  })

  test('fault 8 four backup months end where four months at once do, through a cut and a gap', async () => {
    await bought(the.server, buyer, { period_start: '2026-03-30', period: 1 })
    await goTo('2026-08-31')
    const rows = []
    for (const period of [1, 1, 1, 1]) rows.push(await buyBackup(period))
    expect(rows.map((row) => row.period_end)).toEqual(['2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31'])
    expect(rows.at(-1)).toMatchObject({ anchor_date: '2026-08-31', anchor_months: 4, amount: '1250.00' })

    // The contract ends on 2027-03-30: three months and a part of none, cut.
    const cut = await buyBackup(1, 'year')
    expect(cut).toMatchObject({ period_start: '2026-12-31', period_end: '2027-03-30', amount: '3750.00' })
    expect(cut).toMatchObject({ anchor_date: null, anchor_months: null })

    const [contract] = (await buyer.send({ url: `/api/company/${the.server.world.companies.alpha}/sorder` })).json()
      .data
    await extend(contract, 2)
    expect(await buyBackup(1)).toMatchObject({ period_start: '2027-03-30', period_end: '2027-04-30', anchor_months: 1 })
    await goTo('2027-07-05')
    expect(await buyBackup(1)).toMatchObject({ period_end: '2027-08-05', anchor_date: '2027-07-05', anchor_months: 1 })
  })

  test('fault 9 a change one day later costs no more: two leap days count as no more than the years', async () => {
    await goTo('2027-03-01')
    const contract = await bought(the.server, buyer, { period_start: '2027-03-01', period: 5 })
    const change = { type: 'change', contract_id: contract.contract_id, users: 11 }
    const onTheDay = await post('/api/calculate', change)
    await goTo('2027-03-02')
    const later = await post('/api/calculate', change)
    expect(later).toMatchObject({
      contract_amount: onTheDay.contract_amount,
      residual_amount: onTheDay.residual_amount,
      amount: onTheDay.amount,
    })
    const [segment] = later.steps.filter(({ code }: { code: string }) => code === 'segment')
    expect(segment.values).toMatchObject({ years: '5', days: '1826' })
    await goTo('2027-03-04')
    expect(Number((await post('/api/calculate', change)).amount)).toBeLessThan(Number(onTheDay.amount))
  })
})
