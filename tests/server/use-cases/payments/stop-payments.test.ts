/** Tests orders that are deleted or replaced during a payment: the payment is first ended at the gateway (fault 5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'
import {
  shopOpenedAt,
  buyOrder,
  placeOrder,
  type OrderRow,
  readOrder,
  setUpShop,
} from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('removing an order during its payment', (engine) => {
  const fixture = setUpShop(engine)
  let paymentSandbox: PaymentSandbox
  let buyer: SignedIn
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  beforeEach(async () => {
    paymentSandbox.sandbox.webhooks.hold()
    Object.assign(paymentSandbox.sandbox.faults, { loseAnswers: 0, fail: 0 })
    buyer = await fixture.server.signIn('order@alpha')
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const listStates = () =>
    runAsSystem(async (db) =>
      (await db.selectFrom('payment_attempt').select('state').orderBy('id').execute()).map(({ state }) => state),
    )
  const listOutcomes = () =>
    runAsSystem(async (db) =>
      (await db.selectFrom('payment').select('outcome').orderBy('id').execute()).map(({ outcome }) => outcome),
    )
  const submitOnPage = async (response: { json(): unknown }, form: Record<string, string>) => {
    const page = await openGatewayPage((response.json() as { redirect: string }).redirect)
    return await openGatewayPage(page.url, form)
  }
  const cardForm = { card: '4242 4242 4242 4242' }
  const readStatusAndCode = ({ statusCode, json }: { statusCode: number; json(): { errorCode: string } }) => [
    statusCode,
    json().errorCode,
  ]
  const silenceGateway = () => Object.assign(paymentSandbox.sandbox.faults, { fail: 50 })
  const change = (contractId: number, fields: object = {}) =>
    buyer.send({
      method: 'POST',
      url: '/api/contract',
      payload: { type: 'change', contract_id: contractId, users: 30, ...fields },
    })

  /** An unpaid row, the call that removes it, and the error codes if it cannot be removed. */
  interface RemovalCase {
    make(): Promise<{ id: number; contractType: string }>
    end(id: number): ReturnType<SignedIn['send']>
    unansweredCode: string
    paidCode: string
  }
  let liveOrder: OrderRow
  const removalCases: Record<string, RemovalCase> = {
    'deleting an order': {
      make: async () => ({ id: (await placeOrder(buyer)).json().id, contractType: 'CONTRACT' }),
      end: (id) => buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }),
      unansweredCode: 'PAYMENT_UNANSWERED',
      paidCode: 'ORDER_PAID',
    },
    'replacing an order by a new order': {
      make: async () => ({ id: (await placeOrder(buyer)).json().id, contractType: 'CONTRACT' }),
      end: (id) => placeOrder(buyer, { users: 11, replaces: id }),
      unansweredCode: 'REPLACED_UNANSWERED',
      paidCode: 'REPLACED_PAID',
    },
    'deleting a change': {
      async make() {
        liveOrder = await buyOrder(fixture.server, buyer)
        return { id: (await change(liveOrder.contract_id)).json().id, contractType: 'CONTRACT' }
      },
      end: (id) => buyer.send({ method: 'DELETE', url: `/api/contract/${id}` }),
      unansweredCode: 'PAYMENT_UNANSWERED',
      paidCode: 'ORDER_PAID',
    },
    'replacing a change': {
      async make() {
        liveOrder = await buyOrder(fixture.server, buyer)
        return { id: (await change(liveOrder.contract_id)).json().id, contractType: 'CONTRACT' }
      },
      end: (id) => change(liveOrder.contract_id, { type: 'extend', users: undefined, period: 2, replaces: id }),
      unansweredCode: 'REPLACED_UNANSWERED',
      paidCode: 'REPLACED_PAID',
    },
    'replacing a backup': {
      async make() {
        liveOrder = await buyOrder(fixture.server, buyer)
        return { id: (await orderBackup(1)).json().id, contractType: 'PDBORDER' }
      },
      end: () => orderBackup(6),
      unansweredCode: 'REPLACED_UNANSWERED',
      paidCode: 'REPLACED_PAID',
    },
  }
  const orderBackup = async (months: number) => {
    const payload = { service_id: await readServiceId(fixture.server, 'shop'), pdb_type: 'pdb2s3', period: months }
    return buyer.send({ method: 'POST', url: '/api/pdb/order', payload: { ...payload, period_type: 'month' } })
  }

  describe.each(Object.entries(removalCases))('%s', (_, { make, end, unansweredCode, paidCode }) => {
    test('ends the payment at the gateway first (fault 5a)', async () => {
      const { id, contractType } = await make()
      const paymentResponse = await payFor(buyer, id, { contractType })
      expect((await end(id)).statusCode).toBeLessThan(300)
      expect(await listStates()).toEqual(['closed'])
      // The payment page is closed by the deletion itself, no job has run.
      expect((await openGatewayPage((paymentResponse.json() as { redirect: string }).redirect)).status).toBe(404)
    })

    test('is refused and the payment applied if it was paid in the meantime (fault 5b)', async () => {
      const { id, contractType } = await make()
      await submitOnPage(await payFor(buyer, id, { contractType }), cardForm)
      expect(readStatusAndCode(await end(id))).toEqual([409, paidCode])
      expect([await listStates(), (await listOutcomes()).at(-1)]).toEqual([['paid'], 'applied'])
    })

    test('is refused while the gateway does not respond, and works afterwards (fault 5c)', async () => {
      const { id, contractType } = await make()
      await payFor(buyer, id, { contractType })
      silenceGateway()
      expect(readStatusAndCode(await end(id))).toEqual([409, unansweredCode])
      expect(await listStates()).toEqual(['open'])
      Object.assign(paymentSandbox.sandbox.faults, { fail: 0 })
      expect((await end(id)).statusCode).toBeLessThan(300)
    })
  })

  test('The message about a silent gateway exists in both languages (fault 5c)', async () => {
    const { id } = (await placeOrder(buyer)).json()
    await payFor(buyer, id)
    silenceGateway()
    const readMessage = async (language: string) =>
      (
        await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}`, headers: { 'accept-language': language } })
      ).json().errorMessage
    expect(await readMessage('en')).toBe(
      'The payment provider does not respond, so this order cannot be deleted yet. Try again in a minute.',
    )
    expect(await readMessage('zh')).toBe('支付服务商没有响应，因此暂时无法删除此订单。请在一分钟后重试。')
  })

  test('An order cannot be deleted while a request may still charge a card (fault 5d)', async () => {
    const { id } = (await placeOrder(buyer)).json()
    paymentSandbox.sandbox.faults.fail = 50
    expect((await payFor(buyer, id, { token: 'pm_card_visa' })).json()).toEqual({ status: 'processing' })
    Object.assign(paymentSandbox.sandbox.faults, { fail: 0 })
    expect(readStatusAndCode(await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }))).toEqual([
      409,
      'PAYMENT_IN_PROGRESS',
    ])
    fixture.server.clock.now = shopOpenedAt + 61_000
    expect((await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` })).statusCode).toBe(204)
  })

  test('A batch checks the gateway per item, and a repeated key gets the same response (fault 5e)', async () => {
    const { id } = (await placeOrder(buyer)).json()
    await submitOnPage(await payFor(buyer, id), cardForm)
    const item = { key: randomUUID(), method: 'DELETE', path: `/api/sorder/${id}`, headers: {} }
    const send = async () =>
      (await buyer.send({ method: 'POST', url: '/api/batch', payload: [item] })).json()[0] as { body: object }
    expect((await send()).body).toMatchObject({ errorCode: 'ORDER_PAID' })
    expect((await send()).body).toMatchObject({ errorCode: 'ORDER_PAID' })
    expect(await readOrder(buyer, id)).toMatchObject({ status: 1 })
  })

  test('A deletion by another company sends no request to the gateway (fault 5f)', async () => {
    const { id } = (await placeOrder(buyer)).json()
    await payFor(buyer, id)
    const otherUser = await fixture.server.signIn('order@beta')
    expect((await otherUser.send({ method: 'DELETE', url: `/api/sorder/${id}` })).statusCode).toBe(404)
    expect(
      (await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}`, headers: { 'if-match': '"99"' } })).statusCode,
    ).toBe(412)
    expect(await listStates()).toEqual(['open'])
  })

  test('An order with concurrent payment and deletion is either paid or deleted (fault 5g)', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = (await placeOrder(buyer, { code: `race${round}` })).json()
      const [response] = await Promise.all([
        buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }),
        payFor(buyer, id, { token: 'pm_card_visa' }),
      ])
      const row = await runAsSystem((db) =>
        db.selectFrom('service_order').select(['stored', 'deleted']).where('id', '=', id).executeTakeFirstOrThrow(),
      )
      expect([row.stored === 'paid', row.deleted]).toEqual(response.statusCode === 204 ? [false, true] : [true, false])
    }
    const { rows } = await runAsSystem((db) => sql`select from payment where outcome <> 'applied'`.execute(db))
    expect(rows).toEqual([])
  }, 30_000)
})
