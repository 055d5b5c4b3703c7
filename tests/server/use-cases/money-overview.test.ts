/** Tests the overview of all money for the provider's finance staff (decision 124). */
import { beforeEach, describe, expect, test } from 'vitest'
import type { OutputOf } from '#contract/endpoint.ts'
import type { readMoneyOverview } from '#contract/staff/money.ts'
import { placeOrder } from '#tests/support/orders/shop-data.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

type Overview = OutputOf<typeof readMoneyOverview>

eachEngineByNight('the overview of all money', (engine) => {
  const setup = setUpRefunds(engine)
  const { actors, runAsSystem } = setup
  const readOverview = async (): Promise<Overview> => {
    const response = await actors.staff.send({ method: 'GET', url: '/api/money' })
    expect(response.statusCode).toBe(200)
    return response.json() as Overview
  }
  const addTransfer = (day: string, amount: string, state: 'open' | 'credited', currency: 'HKD' | 'RMB' = 'HKD') =>
    runAsSystem(async (db) => {
      const company = await db.selectFrom('company').select('id').where('code', '=', 'alpha').executeTakeFirstOrThrow()
      await db
        .insertInto('bank_transfer')
        .values({
          identity: `${day} ${amount} ${state}`,
          source: 'staff',
          account: '',
          day,
          currency,
          amount,
          sender: 'Alpha Ltd',
          reference: '',
          bank_reference: 'FT1',
          state,
          company_id: state === 'open' ? null : company.id,
          user_id: null,
          create_time: 0,
          update_time: 0,
        })
        .execute()
    })

  test('is empty without money, but has what is not paid', async () => {
    const order = (await placeOrder(actors.buyer, { code: 'shop' })).json() as { pay_amount: string }
    expect(await readOverview()).toEqual({
      month: '2026-03',
      received: [],
      months: [],
      open: [{ currency: 'HKD', amount: order.pay_amount, count: 1, age: 'week' }],
      refunds: [],
      disputes: [],
      unmatched: [],
      credit: [],
    })
  })

  describe('with a payment, transfers and a refund', () => {
    let paidAmount: string
    beforeEach(async () => {
      const invoice = await setup.payInvoice()
      paidAmount = invoice.amount
      await addTransfer('2026-03-01', '1000.00', 'credited')
      await addTransfer('2026-02-28', '70.00', 'credited')
      await addTransfer('2025-03-31', '9.00', 'credited')
      await addTransfer('2026-03-01', '55.50', 'open', 'RMB')
      await setup.refund(invoice, { amount: '10.00' })
    })

    test('sums what was received by method and month, at the boundaries of months', async () => {
      const overview = await readOverview()
      expect(overview.received).toEqual([
        { method: 'stripe', currency: 'HKD', amount: paidAmount, count: 1 },
        { method: 'transfer', currency: 'HKD', amount: '1000.00', count: 1 },
      ])
      expect(overview.months.map(({ month, count }) => [month, count])).toEqual([
        ['2026-02', 1],
        ['2026-03', 2],
      ])
      expect(overview.unmatched).toEqual([{ kind: 'transfer', currency: 'RMB', amount: '55.50', count: 1 }])
    })

    test('shows a refund first as running, then as done', async () => {
      expect((await readOverview()).refunds).toEqual([{ state: 'running', currency: 'HKD', amount: '10.00', count: 1 }])
      await setup.runJobs()
      expect((await readOverview()).refunds).toEqual([{ state: 'done', currency: 'HKD', amount: '10.00', count: 1 }])
    })
  })

  test('is refused for customers', async () => {
    expect((await actors.buyer.send({ method: 'GET', url: '/api/money' })).statusCode).toBe(403)
  })
})
