/** Amounts that a gateway does not take: refused before they are ordered, waived, or carried over (fault 7). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { backupOf, listPrices, move, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'
import { bought, order, readOrder, setUpShop, wish } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('amounts that a gateway does not take', (engine) => {
  const the = setUpShop(engine)
  let till: Till
  let buyer: SignedIn
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  beforeEach(async () => {
    till.sandbox.calls.hold()
    buyer = await the.server.signIn('order@alpha')
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const on = async (day: string) => {
    the.server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await the.server.signIn('order@alpha')
  }
  const ask = (url: string, payload: object, by = buyer) => by.send({ method: 'POST', url, payload })
  const told = (answer: { statusCode: number; json(): { errorCode: string } }) => [
    answer.statusCode,
    answer.json().errorCode,
  ]
  const tooLarge = {
    errorCode: 'AMOUNT_TOO_LARGE',
    data: { amount: 'HKD 1,008,000.00', limit: 'HKD 999,999.99' },
  }

  describe('above the maximum', () => {
    test('fault 7a are refused by quote and order alike, with the limit and what to do', async () => {
      const quote = await ask('/api/calculate', { ...wish, period: 24 })
      expect(quote.json()).toMatchObject(tooLarge)
      const answer = await order(buyer, { period: 24 })
      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toMatchObject(tooLarge)
      expect(answer.json().errorMessage).toContain('Choose fewer years')
      expect((await order(buyer, { period: 23 })).json()).toMatchObject({ amount: '966000.00' })
    })

    test('fault 7a are refused for extensions and changes of a contract too', async () => {
      const live = await bought(the.server, buyer)
      const extend = { type: 'extend', contract_id: live.contract_id, period: 24 }
      expect((await ask('/api/calculate', extend)).json()).toMatchObject(tooLarge)
      expect((await ask('/api/contract', extend)).json()).toMatchObject(tooLarge)
    })

    test('fault 7a in RMB can be ordered, because Alipay takes more, and a card refuses them by name', async () => {
      const made = (await order(buyer, { currency: 'RMB', period: 30 })).json()
      expect(Number(made.pay_amount)).toBeGreaterThan(999_999.99)
      expect(told(await payFor(buyer, made.id, { token: 'pm_card_visa' }))).toEqual([409, 'AMOUNT_TOO_LARGE'])
      expect(told(await payFor(buyer, made.id))).toEqual([409, 'AMOUNT_TOO_LARGE'])
      const opened = await payFor(buyer, made.id, { type: 'alipay' })
      const page = await visit(opened.json().redirect)
      await visit(page.url, { answer: 'pay' })
      await till.lookAfter()
      const check = await ask(`/api/payment/${made.id}/check`, { contractType: 'CONTRACT' })
      expect(check.json()).toEqual({ status: 'paid' })
    })

    test('fault 7a may be ordered by the provider’s admins, who record a bank transfer', async () => {
      const id = the.server.world.users['admin@m18'] ?? 0
      await asSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
      const staff = await the.server.signIn('admin@m18')
      const company_id = the.server.world.companies.alpha
      const made = (await ask('/api/sorder', { ...wish, company_id, period: 24 }, staff)).json()
      expect(made).toMatchObject({ amount: '1008000.00', status: 0 })
      expect(told(await payFor(buyer, made.id, { token: 'pm_card_visa' }))).toEqual([409, 'AMOUNT_TOO_LARGE'])
      expect((await payFor(staff, made.id, { type: 'simulate' })).json()).toEqual({ status: 'paid' })
    })
  })

  describe('below the minimum', () => {
    /** On the last day of a contract, under the list that it was sold by: a user more costs 2.74. */
    async function onLastDay() {
      const live = await bought(the.server, buyer)
      await asSystem((db) =>
        db
          .updateTable('price_list')
          .set({ deleted: true })
          .where('id', '!=', the.lists[0] ?? 0)
          .execute(),
      )
      await on('2027-03-01')
      return live
    }
    const change = (contractId: number, users: number) =>
      ask('/api/contract', { type: 'change', contract_id: contractId, users })

    test('fault 7b a change takes effect without payment, and says what was waived', async () => {
      const live = await onLastDay()
      const quote = await ask('/api/calculate', { type: 'change', contract_id: live.contract_id, users: 11 })
      expect(quote.json().amount).toBe('2.74')
      const made = (await change(live.contract_id, 11)).json()
      expect(made).toMatchObject({ status: 1, users: 11, amount: '2.74', pay_amount: '0.00', waived: '2.74' })
      expect(await asSystem((db) => db.selectFrom('invoice').selectAll().execute())).toHaveLength(1)
      expect(await asSystem((db) => db.selectFrom('payment').selectAll().execute())).toHaveLength(1)
    })

    test('fault 7b a large change cannot be cut into waived ones: what was waived was not paid', async () => {
      const live = await onLastDay()
      await change(live.contract_id, 11)
      const { contract_id } = await readOrder(buyer, (await latest()).id)
      expect((await change(contract_id, 12)).json()).toMatchObject({ status: 0, amount: '5.48', waived: null })
    })
    const latest = () =>
      asSystem((db) => db.selectFrom('service_order').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow())

    test('fault 7b from the minimum on a change is paid by card', async () => {
      const live = await onLastDay()
      const made = (await change(live.contract_id, 12)).json()
      expect(made).toMatchObject({ status: 0, amount: '5.48', waived: null })
      expect((await payFor(buyer, made.id, { token: 'pm_card_visa' })).json()).toEqual({ status: 'paid' })
    })

    test('fault 7c a backup is waived, but not month after month', async () => {
      await bought(the.server, buyer)
      await listPrices(the.server, { pdb2s3_fee_hkd: '36.00', pdb2s3_discount: '0.00' })
      const service_id = await serviceIdOf(the.server, 'shop')
      const subscribe = (period: number) =>
        ask('/api/pdb/order', { service_id, pdb_type: 'pdb2s3', period, period_type: 'month' })
      expect((await subscribe(1)).statusCode).toBe(200)
      const read = async () =>
        (await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}&results=5` })).json().data
      expect(await read()).toMatchObject([{ status: 1, amount: '3.00', pay_amount: '0.00', waived: '3.00' }])
      expect(told(await subscribe(1))).toEqual([409, 'AMOUNT_TOO_SMALL'])
      expect((await subscribe(2)).statusCode).toBe(200)
      expect((await read())[0]).toMatchObject({ status: 0, pay_amount: '6.00', waived: null })
    })

    test('fault 7d traffic is carried over to the next month until it can be paid, and suspends nothing', async () => {
      await bought(the.server, buyer)
      await backupOf(the.server, 'shop')
      const service_id = await serviceIdOf(the.server, 'shop')
      const read = async () =>
        (await buyer.send({ url: `/api/pdb/traffic?serviceId=${service_id}&results=5&sortOrder=asc` })).json().data
      await move(the.server, 'shop', 50.2e9, 'backup-1')
      await on('2026-04-01')
      await closeTraffic(the.server.app)
      await move(the.server, 'shop', 50.1e9, 'backup-2')
      await on('2026-05-20')
      expect(await closeTraffic(the.server.app)).toEqual({ billed: 1, overdue: 0 })
      await move(the.server, 'shop', 50.5e9, 'backup-3')
      await on('2026-06-02')
      await closeTraffic(the.server.app)
      const rows = await read()
      expect(rows).toMatchObject([
        { amount: '0.00', carried_in: '0.00', carried_from: null, carried_out: '2.50' },
        { amount: '0.00', carried_in: '2.50', carried_from: '2026-03', carried_out: '3.75' },
        { amount: '10.00', carried_in: '3.75', carried_from: '2026-04', carried_out: '0.00' },
      ])
      const [third] = await asSystem((db) =>
        db.selectFrom('traffic').select('steps').orderBy('id', 'desc').limit(1).execute(),
      )
      expect(third?.steps).toMatchObject([
        { code: 'traffic', amount: '6.25' },
        { code: 'carriedFrom', amount: '3.75', values: { month: '2026-04' } },
        { code: 'due', amount: '10.00' },
      ])
      const paid = await payFor(buyer, rows[2].id, { contractType: 'TRAFFIC', token: 'pm_card_visa' })
      expect(paid.json()).toEqual({ status: 'paid' })
      expect((await payFor(buyer, rows[0].id, { contractType: 'TRAFFIC' })).json()).toMatchObject({
        data: { why: 'paidAlready' },
      })
      await on('2026-09-20')
      await closeTraffic(the.server.app)
      expect(
        await asSystem((db) =>
          db.selectFrom('service').select('traffic_disabled').where('id', '=', service_id).execute(),
        ),
      ).toEqual([{ traffic_disabled: false }])
    })

    test('fault 7d traffic that was billed before the methods had a minimum suspends nothing either', async () => {
      await bought(the.server, buyer)
      await trafficOf(the.server, 'shop', { isPaid: false, amount: '0.03', currency: 'USD' })
      await on('2026-05-20')
      expect(await closeTraffic(the.server.app)).toMatchObject({ overdue: 0 })
      await trafficOf(the.server, 'shop', { isPaid: false, period_end: '2026-05-01' })
      await on('2026-06-20')
      expect(await closeTraffic(the.server.app)).toMatchObject({ overdue: 1 })
    })

    test('fault 7e what a gateway declines for its amount is named, and never a 503', async () => {
      const made = (await order(buyer)).json()
      await asSystem((db) =>
        db
          .updateTable('service_order')
          .set({ pay_amount: '2.74' } as never)
          .where('id', '=', made.id)
          .execute(),
      )
      expect(told(await payFor(buyer, made.id, { token: 'pm_card_visa' }))).toEqual([409, 'AMOUNT_TOO_SMALL'])
      // The gateway's own limits may be others than those that are known here.
      await expect(
        the.server.app.payments.driver('stripe').then((driver) =>
          driver?.begin({
            key: 'small',
            order: 'CONTRACT-1',
            money: { amount: 274n, currency: 'HKD' },
            description: 'small',
            returnUrl: 'http://127.0.0.1/back',
            cancelUrl: 'http://127.0.0.1/back',
            token: 'pm_card_visa',
            language: 'en',
            device: 'desktop',
          }),
        ),
      ).rejects.toMatchObject({ final: true, amountFault: 'tooSmall' })
    })
  })
})
