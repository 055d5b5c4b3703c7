/** Orders that are deleted or replaced while somebody pays them: the gateway is asked first (fault 5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { serviceIdOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'
import { began, bought, order, type Ordered, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('an order that is being paid', (engine) => {
  const the = setUpShop(engine)
  let till: Till
  let buyer: SignedIn
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  beforeEach(async () => {
    till.sandbox.calls.hold()
    Object.assign(till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    buyer = await the.server.signIn('order@alpha')
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const states = () =>
    asSystem(async (db) =>
      (await db.selectFrom('payment_attempt').select('state').orderBy('id').execute()).map(({ state }) => state),
    )
  const outcomes = () =>
    asSystem(async (db) =>
      (await db.selectFrom('payment').select('outcome').orderBy('id').execute()).map(({ outcome }) => outcome),
    )
  const onPage = async (answer: { json(): unknown }, form: Record<string, string>) => {
    const page = await visit((answer.json() as { redirect: string }).redirect)
    return await visit(page.url, form)
  }
  const pays = { card: '4242 4242 4242 4242' }
  const told = ({ statusCode, json }: { statusCode: number; json(): { errorCode: string } }) => [
    statusCode,
    json().errorCode,
  ]
  const silence = () => Object.assign(till.sandbox.moods, { fail: 50 })
  const change = (contractId: number, fields: object = {}) =>
    buyer.send({
      method: 'POST',
      url: '/api/contract',
      payload: { type: 'change', contract_id: contractId, users: 30, ...fields },
    })

  /** An unpaid row, the call that takes it away, and what it says where it cannot. */
  interface Kind {
    make(): Promise<{ id: number; contractType: string }>
    end(id: number): ReturnType<SignedIn['send']>
    unanswered: string
    paid: string
  }
  let live: Ordered
  const kinds: Record<string, Kind> = {
    'a deleted order': {
      make: async () => ({ id: (await order(buyer)).json().id, contractType: 'CONTRACT' }),
      end: (id) => buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }),
      unanswered: 'PAYMENT_UNANSWERED',
      paid: 'ORDER_PAID',
    },
    'an order replaced by a new one': {
      make: async () => ({ id: (await order(buyer)).json().id, contractType: 'CONTRACT' }),
      end: (id) => order(buyer, { users: 11, replaces: id }),
      unanswered: 'REPLACED_UNANSWERED',
      paid: 'REPLACED_PAID',
    },
    'a deleted change': {
      async make() {
        live = await bought(the.server, buyer)
        return { id: (await change(live.contract_id)).json().id, contractType: 'CONTRACT' }
      },
      end: (id) => buyer.send({ method: 'DELETE', url: `/api/contract/${id}` }),
      unanswered: 'PAYMENT_UNANSWERED',
      paid: 'ORDER_PAID',
    },
    'a replaced change': {
      async make() {
        live = await bought(the.server, buyer)
        return { id: (await change(live.contract_id)).json().id, contractType: 'CONTRACT' }
      },
      end: (id) => change(live.contract_id, { type: 'extend', users: undefined, period: 2, replaces: id }),
      unanswered: 'REPLACED_UNANSWERED',
      paid: 'REPLACED_PAID',
    },
    'a replaced backup': {
      async make() {
        live = await bought(the.server, buyer)
        return { id: (await backup(1)).json().id, contractType: 'PDBORDER' }
      },
      end: () => backup(6),
      unanswered: 'REPLACED_UNANSWERED',
      paid: 'REPLACED_PAID',
    },
  }
  const backup = async (months: number) => {
    const payload = { service_id: await serviceIdOf(the.server, 'shop'), pdb_type: 'pdb2s3', period: months }
    return buyer.send({ method: 'POST', url: '/api/pdb/order', payload: { ...payload, period_type: 'month' } })
  }

  describe.each(Object.entries(kinds))('%s', (_, { make, end, unanswered, paid }) => {
    test('fault 5a ends the payment at the gateway before it goes', async () => {
      const { id, contractType } = await make()
      const opened = await payFor(buyer, id, { contractType })
      expect((await end(id)).statusCode).toBeLessThan(300)
      expect(await states()).toEqual(['closed'])
      // Without a look of the job: the page is closed by the time that the order is gone.
      expect((await visit((opened.json() as { redirect: string }).redirect)).status).toBe(404)
    })

    test('fault 5b is applied where it was paid in the meantime, and stays', async () => {
      const { id, contractType } = await make()
      await onPage(await payFor(buyer, id, { contractType }), pays)
      expect(told(await end(id))).toEqual([409, paid])
      expect([await states(), (await outcomes()).at(-1)]).toEqual([['paid'], 'applied'])
    })

    test('fault 5c stays while the gateway does not answer, and goes once it does', async () => {
      const { id, contractType } = await make()
      await payFor(buyer, id, { contractType })
      silence()
      expect(told(await end(id))).toEqual([409, unanswered])
      expect(await states()).toEqual(['open'])
      Object.assign(till.sandbox.moods, { fail: 0 })
      expect((await end(id)).statusCode).toBeLessThan(300)
    })
  })

  test('fault 5c says in both languages that the gateway does not answer', async () => {
    const { id } = (await order(buyer)).json()
    await payFor(buyer, id)
    silence()
    const say = async (language: string) =>
      (
        await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}`, headers: { 'accept-language': language } })
      ).json().errorMessage
    expect(await say('en')).toBe(
      'The payment provider does not answer, so this order cannot be deleted yet. Try again in a minute.',
    )
    expect(await say('zh')).toBe('支付服务商没有响应，因此暂时无法删除此订单。请在一分钟后重试。')
  })

  test('fault 5d is kept while a card may still be charged by a request on its way', async () => {
    const { id } = (await order(buyer)).json()
    till.sandbox.moods.fail = 50
    expect((await payFor(buyer, id, { token: 'pm_card_visa' })).json()).toEqual({ status: 'processing' })
    Object.assign(till.sandbox.moods, { fail: 0 })
    expect(told(await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }))).toEqual([409, 'PAYMENT_IN_PROGRESS'])
    the.server.clock.now = began + 61_000
    expect((await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` })).statusCode).toBe(204)
  })

  test('fault 5e is asked about for an item of a batch, and the same key is told the same', async () => {
    const { id } = (await order(buyer)).json()
    await onPage(await payFor(buyer, id), pays)
    const item = { key: randomUUID(), method: 'DELETE', path: `/api/sorder/${id}`, headers: {} }
    const send = async () =>
      (await buyer.send({ method: 'POST', url: '/api/batch', payload: [item] })).json()[0] as { body: object }
    expect((await send()).body).toMatchObject({ errorCode: 'ORDER_PAID' })
    expect((await send()).body).toMatchObject({ errorCode: 'ORDER_PAID' })
    expect(await readOrder(buyer, id)).toMatchObject({ status: 1 })
  })

  test('fault 5f is nobody else’s to end: a stranger’s delete asks no gateway', async () => {
    const { id } = (await order(buyer)).json()
    await payFor(buyer, id)
    const stranger = await the.server.signIn('order@beta')
    expect((await stranger.send({ method: 'DELETE', url: `/api/sorder/${id}` })).statusCode).toBe(404)
    expect(
      (await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}`, headers: { 'if-match': '"99"' } })).statusCode,
    ).toBe(412)
    expect(await states()).toEqual(['open'])
  })

  test('fault 5g of which payment and deletion race is either paid or gone, and never both', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = (await order(buyer, { code: `race${round}` })).json()
      const [removed] = await Promise.all([
        buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` }),
        payFor(buyer, id, { token: 'pm_card_visa' }),
      ])
      const row = await asSystem((db) =>
        db.selectFrom('service_order').select(['stored', 'deleted']).where('id', '=', id).executeTakeFirstOrThrow(),
      )
      expect([row.stored === 'paid', row.deleted]).toEqual(removed.statusCode === 204 ? [false, true] : [true, false])
    }
    const { rows } = await asSystem((db) => sql`select from payment where outcome <> 'applied'`.execute(db))
    expect(rows).toEqual([])
  }, 30_000)
})
