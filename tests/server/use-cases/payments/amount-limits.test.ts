/** Tests that amounts which a gateway does not accept are refused before the order, waived, or carried over (fault 7). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import {
  createBackupOrder,
  setBackupPrices,
  recordTraffic,
  readServiceId,
  createTraffic,
} from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'
import { buyOrder, placeOrder, readOrder, setUpShop, orderInput } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('amounts outside the limits of a gateway', (engine) => {
  const fixture = setUpShop(engine)
  let paymentSandbox: PaymentSandbox
  let buyer: SignedIn
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  beforeEach(async () => {
    paymentSandbox.sandbox.webhooks.hold()
    buyer = await fixture.server.signIn('order@alpha')
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const setDay = async (day: string) => {
    fixture.server.clock.now = Date.parse(`${day}T02:00:00Z`)
    buyer = await fixture.server.signIn('order@alpha')
  }
  const post = (url: string, payload: object, caller = buyer) => caller.send({ method: 'POST', url, payload })
  const readStatusAndCode = (response: { statusCode: number; json(): { errorCode: string } }) => [
    response.statusCode,
    response.json().errorCode,
  ]
  const tooLargeProblem = {
    errorCode: 'AMOUNT_TOO_LARGE',
    data: { amount: 'HKD 1,008,000.00', limit: 'HKD 999,999.99' },
  }

  describe('above the maximum', () => {
    test('quote and order are refused with the limit and advice (fault 7a)', async () => {
      const quoteResponse = await post('/api/calculate', { ...orderInput, period: 24 })
      expect(quoteResponse.json()).toMatchObject(tooLargeProblem)
      const response = await placeOrder(buyer, { period: 24 })
      expect(response.statusCode).toBe(409)
      expect(response.json()).toMatchObject(tooLargeProblem)
      expect(response.json().errorMessage).toContain('Choose fewer years')
      expect((await placeOrder(buyer, { period: 23 })).json()).toMatchObject({ amount: '966000.00' })
    })

    test('extensions and changes of a contract are refused too (fault 7a)', async () => {
      const liveOrder = await buyOrder(fixture.server, buyer)
      const extension = { type: 'extend', contract_id: liveOrder.contract_id, period: 24 }
      expect((await post('/api/calculate', extension)).json()).toMatchObject(tooLargeProblem)
      expect((await post('/api/contract', extension)).json()).toMatchObject(tooLargeProblem)
    })

    test('an order in RMB is accepted, because Alipay allows more, but a card payment is refused (fault 7a)', async () => {
      const order = (await placeOrder(buyer, { currency: 'RMB', period: 30 })).json()
      expect(Number(order.pay_amount)).toBeGreaterThan(999_999.99)
      expect(readStatusAndCode(await payFor(buyer, order.id, { token: 'pm_card_visa' }))).toEqual([
        409,
        'AMOUNT_TOO_LARGE',
      ])
      expect(readStatusAndCode(await payFor(buyer, order.id))).toEqual([409, 'AMOUNT_TOO_LARGE'])
      const paymentResponse = await payFor(buyer, order.id, { type: 'alipay' })
      const page = await openGatewayPage(paymentResponse.json().redirect)
      await openGatewayPage(page.url, { answer: 'pay' })
      await paymentSandbox.runPaymentJobs()
      const checkResponse = await post(`/api/payment/${order.id}/check`, { contractType: 'CONTRACT' })
      expect(checkResponse.json()).toEqual({ status: 'paid' })
    })

    test('provider admins can order and record a bank transfer (fault 7a)', async () => {
      const id = fixture.server.world.users['admin@m18'] ?? 0
      await runAsSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
      const staff = await fixture.server.signIn('admin@m18')
      const company_id = fixture.server.world.companies.alpha
      const order = (await post('/api/sorder', { ...orderInput, company_id, period: 24 }, staff)).json()
      expect(order).toMatchObject({ amount: '1008000.00', status: 0 })
      expect(readStatusAndCode(await payFor(buyer, order.id, { token: 'pm_card_visa' }))).toEqual([
        409,
        'AMOUNT_TOO_LARGE',
      ])
      expect((await payFor(staff, order.id, { type: 'simulate' })).json()).toEqual({ status: 'paid' })
    })
  })

  describe('below the minimum', () => {
    /** Buys a contract and moves the clock to its last day, with the same price list. On that day one more user costs 2.74. */
    async function buyOnLastDay() {
      const liveOrder = await buyOrder(fixture.server, buyer)
      await runAsSystem((db) =>
        db
          .updateTable('price_list')
          .set({ deleted: true })
          .where('id', '!=', fixture.priceListIds[0] ?? 0)
          .execute(),
      )
      await setDay('2027-03-01')
      return liveOrder
    }
    const change = (contractId: number, users: number) =>
      post('/api/contract', { type: 'change', contract_id: contractId, users })

    test('a change takes effect without payment and names the waived amount (fault 7b)', async () => {
      const liveOrder = await buyOnLastDay()
      const quoteResponse = await post('/api/calculate', {
        type: 'change',
        contract_id: liveOrder.contract_id,
        users: 11,
      })
      expect(quoteResponse.json().amount).toBe('2.74')
      const order = (await change(liveOrder.contract_id, 11)).json()
      expect(order).toMatchObject({ status: 1, users: 11, amount: '2.74', pay_amount: '0.00', waived: '2.74' })
      expect(await runAsSystem((db) => db.selectFrom('invoice').selectAll().execute())).toHaveLength(1)
      expect(await runAsSystem((db) => db.selectFrom('payment').selectAll().execute())).toHaveLength(1)
    })

    test('a large change cannot be split into several waived changes (fault 7b)', async () => {
      const liveOrder = await buyOnLastDay()
      await change(liveOrder.contract_id, 11)
      const { contract_id } = await readOrder(buyer, (await findLatestOrder()).id)
      expect((await change(contract_id, 12)).json()).toMatchObject({ status: 0, amount: '5.48', waived: null })
    })
    const findLatestOrder = () =>
      runAsSystem((db) => db.selectFrom('service_order').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow())

    test('a change of the minimum amount is paid by card (fault 7b)', async () => {
      const liveOrder = await buyOnLastDay()
      const order = (await change(liveOrder.contract_id, 12)).json()
      expect(order).toMatchObject({ status: 0, amount: '5.48', waived: null })
      expect((await payFor(buyer, order.id, { token: 'pm_card_visa' })).json()).toEqual({ status: 'paid' })
    })

    test('a backup is waived once, not every month (fault 7c)', async () => {
      await buyOrder(fixture.server, buyer)
      await setBackupPrices(fixture.server, { pdb2s3_fee_hkd: '36.00', pdb2s3_discount: '0.00' })
      const service_id = await readServiceId(fixture.server, 'shop')
      const orderBackup = (period: number) =>
        post('/api/pdb/order', { service_id, pdb_type: 'pdb2s3', period, period_type: 'month' })
      expect((await orderBackup(1)).statusCode).toBe(200)
      const listBackups = async () =>
        (await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}&results=5` })).json().data
      expect(await listBackups()).toMatchObject([{ status: 1, amount: '3.00', pay_amount: '0.00', waived: '3.00' }])
      expect(readStatusAndCode(await orderBackup(1))).toEqual([409, 'AMOUNT_TOO_SMALL'])
      expect((await orderBackup(2)).statusCode).toBe(200)
      expect((await listBackups())[0]).toMatchObject({ status: 0, pay_amount: '6.00', waived: null })
    })

    test('traffic is carried over until it can be paid, and suspends nothing (fault 7d)', async () => {
      await buyOrder(fixture.server, buyer)
      await createBackupOrder(fixture.server, 'shop')
      const service_id = await readServiceId(fixture.server, 'shop')
      const listTraffic = async () =>
        (await buyer.send({ url: `/api/pdb/traffic?serviceId=${service_id}&results=5&sortOrder=asc` })).json().data
      await recordTraffic(fixture.server, 'shop', 50.2e9, 'backup-1')
      await setDay('2026-04-01')
      await closeTraffic(fixture.server.app)
      await recordTraffic(fixture.server, 'shop', 50.1e9, 'backup-2')
      await setDay('2026-05-20')
      expect(await closeTraffic(fixture.server.app)).toEqual({ billed: 1, overdue: 0 })
      await recordTraffic(fixture.server, 'shop', 50.5e9, 'backup-3')
      await setDay('2026-06-02')
      await closeTraffic(fixture.server.app)
      const rows = await listTraffic()
      expect(rows).toMatchObject([
        { amount: '0.00', carried_in: '0.00', carried_from: null, carried_out: '2.50' },
        { amount: '0.00', carried_in: '2.50', carried_from: '2026-03', carried_out: '3.75' },
        { amount: '10.00', carried_in: '3.75', carried_from: '2026-04', carried_out: '0.00' },
      ])
      const [thirdTraffic] = await runAsSystem((db) =>
        db.selectFrom('traffic').select('steps').orderBy('id', 'desc').limit(1).execute(),
      )
      expect(thirdTraffic?.steps).toMatchObject([
        { code: 'traffic', amount: '6.25' },
        { code: 'carriedFrom', amount: '3.75', values: { month: '2026-04' } },
        { code: 'due', amount: '10.00' },
      ])
      const paymentResponse = await payFor(buyer, rows[2].id, { contractType: 'TRAFFIC', token: 'pm_card_visa' })
      expect(paymentResponse.json()).toEqual({ status: 'paid' })
      expect((await payFor(buyer, rows[0].id, { contractType: 'TRAFFIC' })).json()).toMatchObject({
        data: { why: 'paidAlready' },
      })
      await setDay('2026-09-20')
      await closeTraffic(fixture.server.app)
      expect(
        await runAsSystem((db) =>
          db.selectFrom('service').select('traffic_disabled').where('id', '=', service_id).execute(),
        ),
      ).toEqual([{ traffic_disabled: false }])
    })

    test('traffic that was billed before there was a minimum suspends no service (fault 7d)', async () => {
      await buyOrder(fixture.server, buyer)
      await createTraffic(fixture.server, 'shop', { isPaid: false, amount: '0.03', currency: 'USD' })
      await setDay('2026-05-20')
      expect(await closeTraffic(fixture.server.app)).toMatchObject({ overdue: 0 })
      await createTraffic(fixture.server, 'shop', { isPaid: false, period_end: '2026-05-01' })
      await setDay('2026-06-20')
      expect(await closeTraffic(fixture.server.app)).toMatchObject({ overdue: 1 })
    })

    test('an amount that the gateway declines is reported as such, never as a 503 (fault 7e)', async () => {
      const order = (await placeOrder(buyer)).json()
      await runAsSystem((db) =>
        db
          .updateTable('service_order')
          .set({ pay_amount: '2.74' } as never)
          .where('id', '=', order.id)
          .execute(),
      )
      expect(readStatusAndCode(await payFor(buyer, order.id, { token: 'pm_card_visa' }))).toEqual([
        409,
        'AMOUNT_TOO_SMALL',
      ])
      // The real limits of a gateway may differ from those configured here.
      await expect(
        fixture.server.app.payments.findDriver('stripe').then((driver) =>
          driver?.start({
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
      ).rejects.toMatchObject({ isFinal: true, amountFault: 'tooSmall' })
    })
  })
})
