/** Money that no order waits for: a task for the provider's admins, refunded or applied once (fault 5). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { tendOrders } from '#server/jobs/expire-orders.ts'
import { applyPayment } from '#server/services/payments/apply-payment.ts'
import { serviceIdOf, trafficOf } from '#tests/support/backups.ts'
import { onConnections } from '#tests/support/database.ts'
import { visit } from '#tests/support/gateway-pages.ts'
import { mailBox } from '#tests/support/mailed.ts'
import { openTill, payFor, type Till } from '#tests/support/sandbox-server.ts'
import { began, bought, order, type Ordered, paid, readOrder, setUpShop } from '#tests/support/shop-data.ts'
import type { SignedIn } from '#tests/support/server.ts'
import { entriesOf } from '#tests/support/trail-entries.ts'

const dayMs = 86_400_000

interface Task {
  id: number
  reason: string
  state: string
  amount: string
  currency: string
  problem: string | null
  user_name: string | null
  settled: string | null
}

onConnections('money that no order waits for', (engine) => {
  const the = setUpShop(engine)
  const box = mailBox(() => the.server.app)
  let till: Till
  let buyer: SignedIn
  let staff: SignedIn
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  beforeEach(async () => {
    till.sandbox.calls.hold()
    Object.assign(till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    await signIn()
    await asSystem((db) => db.updateTable('portal_user').set({ alert: true }).where('admin', '=', true).execute())
    await box.fetch()
    taken = sum()
  })

  let taken = 0
  const sum = () =>
    Object.values(till.sandbox.balances())
      .flatMap((one) => Object.values(one))
      .reduce((a, b) => a + b, 0)
  /** What the gateways took and did not give back since the test began, in hundredths. */
  const balance = () => sum() - taken
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  async function signIn(): Promise<void> {
    buyer = await the.server.signIn('order@alpha')
    staff = await the.server.signIn('admin@m18')
  }
  const later = async (ms: number) => {
    the.server.clock.now += ms
    await signIn()
  }
  const tasks = async (): Promise<Task[]> => (await staff.send({ url: '/api/payment/tasks' })).json()
  const act = (id: number, action: 'refund' | 'apply', by = staff) =>
    by.send({ method: 'POST', url: `/api/payment/tasks/${id}/${action}`, payload: {} })
  const why = ({ statusCode, json }: { statusCode: number; json(): { data: { why: string } } }) => [
    statusCode,
    json().data.why,
  ]
  const onPage = async (address: string, form: Record<string, string>) => {
    const page = await visit(address)
    return await visit(page.url, form)
  }
  /** The gateway tells of it. */
  const tellAll = async () => {
    for (const { id, nextAt } of till.sandbox.calls.list())
      if (nextAt !== null) {
        await till.sandbox.calls.send(id)
        till.sandbox.calls.drop(id)
      }
  }
  const addressOf = (answer: { json(): unknown }) => (answer.json() as { redirect: string }).redirect
  const orderFlag = async () => {
    const id = the.server.world.users['user@m18'] ?? 0
    await asSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
    return await the.server.signIn('user@m18')
  }
  /** Decision 62: every payment is applied, or has one task. */
  const unaccounted = () =>
    asSystem(async (db) => {
      const { rows } = await sql`select p.id from payment p left join payment_task t on t.payment_id = p.id
        where (p.outcome = 'applied') <> (t.id is null)`.execute(db)
      return rows
    })

  /** Its address is opened for the first time after the order was deleted, and paid. */
  async function paidAfterDeletion(type: 'alipay' | 'globalAlipay'): Promise<Ordered> {
    const made = (await order(buyer, { code: type.toLowerCase(), currency: type === 'alipay' ? 'RMB' : 'HKD' })).json()
    const payer = type === 'alipay' ? buyer : await orderFlag()
    const address = addressOf(await payFor(payer, made.id, { type }))
    expect((await buyer.send({ method: 'DELETE', url: `/api/sorder/${made.id}` })).statusCode).toBe(204)
    await onPage(address, { answer: 'pay' })
    await tellAll()
    return made
  }

  /** Its time is over and the code is another company's by the time that the page is paid. */
  async function paidTooLate(): Promise<Ordered> {
    const made = (await order(buyer)).json()
    const address = addressOf(await payFor(buyer, made.id))
    await later(8 * dayMs)
    await order(await the.server.signIn('order@beta'), { period_start: '2026-03-10' })
    await onPage(address, { card: '4242 4242 4242 4242' })
    await tellAll()
    return made
  }

  const gateways = {
    stripe: { make: paidTooLate, reason: 'replaced', amount: 'HKD 42,000.00' },
    alipay: { make: () => paidAfterDeletion('alipay'), reason: 'deleted', amount: 'RMB 36,500.00' },
    globalAlipay: { make: () => paidAfterDeletion('globalAlipay'), reason: 'deleted', amount: 'HKD 42,000.00' },
  } as const

  describe.each(Object.entries(gateways))('by %s', (gateway, { make, reason }) => {
    test('fault 5h becomes a task, an audit entry and a mail to the provider’s admins', async () => {
      const made = await make()
      const [task] = await tasks()
      expect(task).toMatchObject({ gateway, reason, state: 'open', amount: made.amount, payable_id: made.id })
      const admins = (await box.fetch()).filter(({ subject }) => subject.startsWith('Money was received'))
      expect(admins.map(({ to }) => to.address).toSorted()).toEqual(
        ['admin', 'delete', 'second'].map((role) => `${role}@m18.example`),
      )
      expect(admins[0]?.text).toContain(made.amount.replace(/\B(?=(\d{3})+\.)/g, ','))
      const entries = (await entriesOf(the.server, 'order')).filter(({ operation }) => operation === 'pay')
      expect(entries.at(-1)?.info).toMatchObject({ Outcome: 'replaced', OrderId: made.id })
      expect(await unaccounted()).toEqual([])
    })

    test('fault 5i is refunded at its gateway, once, with an audit entry and a mail to the customer', async () => {
      const made = await make()
      await box.fetch()
      const [task] = await tasks()
      expect(balance()).toBe(Number(made.amount) * 100)
      const answers = await Promise.all([1, 2, 3].map(() => act(task?.id ?? 0, 'refund')))
      expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409])
      expect((await tasks())[0]).toMatchObject({ state: 'refunding' })
      await till.lookAfter()
      expect(balance()).toBe(0)
      expect((await tasks())[0]).toMatchObject({ state: 'refunded', user_name: expect.stringContaining('admin') })
      expect(why(await act(task?.id ?? 0, 'refund'))).toEqual([409, 'refunded'])
      expect(why(await act(task?.id ?? 0, 'apply'))).toEqual([409, 'refunded'])
      const mails = (await box.fetch()).filter(({ subject }) => subject.startsWith('A payment was refunded'))
      expect(mails.map(({ to }) => to.address)).toContain('admin@alpha.example')
      const refunds = (await entriesOf(the.server, 'order')).filter(
        (one) => one.operation === 'refund' && one.status === 0,
      )
      expect(refunds.map(({ info }) => (info as { Outcome: string }).Outcome)).toEqual(['refunding', 'refunded'])
      expect(new Set(refunds.map(({ company_id: company }) => company))).toEqual(
        new Set([the.server.world.companies.alpha]),
      )
    })

    test('fault 5j is refunded once although the answer was lost, or the server was killed before it came', async () => {
      await make()
      const [task] = await tasks()
      await act(task?.id ?? 0, 'refund')
      // The gateway has done it, and nobody was told: as after a kill.
      const { refund_key, key, gateway_id, begun_at } = await asSystem((db) =>
        db
          .selectFrom('payment_task as t')
          .innerJoin('payment_attempt as a', 'a.id', 't.attempt_id')
          .select(['t.refund_key', 'a.key', 'a.gateway_id', 'a.begun_at'])
          .executeTakeFirstOrThrow(),
      )
      const driver = await the.server.app.payments.driver(gateway as 'stripe')
      await driver?.refund({
        refundKey: refund_key ?? '',
        payment: { key, gatewayId: gateway_id, begunAt: begun_at },
        amount: BigInt((task?.amount ?? '').replace('.', '')),
        currency: task?.currency ?? '',
        reason: 'test',
      })
      expect(balance()).toBe(0)
      await asSystem((db) => db.updateTable('payment_task').set({ looks: 1 }).execute())
      await till.lookAfter()
      expect([(await tasks())[0]?.state, balance()]).toEqual(['refunded', 0])
    })

    test('fault 5j stays claimed while the gateway is silent, and is refunded when it answers again', async () => {
      await make()
      const [task] = await tasks()
      await act(task?.id ?? 0, 'refund')
      till.sandbox.moods.fail = 50
      await till.lookAfter()
      expect((await tasks())[0]).toMatchObject({ state: 'refunding' })
      expect(why(await act(task?.id ?? 0, 'apply'))).toEqual([409, 'refunding'])
      till.sandbox.moods.fail = 0
      await later(60_000)
      await till.lookAfter()
      expect([(await tasks())[0]?.state, balance()]).toEqual(['refunded', 0])
    })
  })

  test('fault 5i is open again, with the reason, where the gateway refuses the refund', async () => {
    const made = await paidAfterDeletion('alipay')
    const id = (await tasks())[0]?.id ?? 0
    const { key, begun_at: begunAt } = await asSystem((db) =>
      db.selectFrom('payment_attempt').selectAll().executeTakeFirstOrThrow(),
    )
    const byHand = async (refundKey: string, amount: bigint) =>
      (await the.server.app.payments.driver('alipay'))?.refund({
        refundKey,
        payment: { key, gatewayId: null, begunAt },
        amount,
        currency: 'RMB',
        reason: 'by hand',
      })
    await byHand('first', 100n)
    await act(id, 'refund')
    await till.lookAfter()
    expect((await tasks())[0]).toMatchObject({
      state: 'open',
      problem: expect.stringContaining('40004'),
      user_name: null,
    })
    // Somebody gives the rest back in the gateway's own pages: the task learns of it.
    await byHand('rest', BigInt(made.amount.replace('.', '')) - 100n)
    await act(id, 'refund')
    await till.lookAfter()
    expect([(await tasks())[0]?.state, balance()]).toEqual(['refunded', 0])
  })

  test('fault 5k is the provider’s admins’ alone, and asks for the password where the operator wants that', async () => {
    await paidAfterDeletion('alipay')
    const [task] = await tasks()
    for (const who of ['admin@alpha', 'order@alpha', 'user@m18']) {
      const by = await the.server.signIn(who)
      expect((await by.send({ url: '/api/payment/tasks' })).statusCode).toBe(403)
      expect((await act(task?.id ?? 0, 'refund', by)).statusCode).toBe(403)
      expect((await act(task?.id ?? 0, 'apply', by)).statusCode).toBe(403)
    }
    expect((await act(999_999, 'refund')).statusCode).toBe(404)
    the.server.app.config.stepUp = true
    const denied = await Promise.all((['refund', 'apply'] as const).map((action) => act(task?.id ?? 0, action)))
    the.server.app.config.stepUp = false
    expect(denied.map((answer) => answer.json().errorCode)).toEqual(['STEP_UP_REQUIRED', 'STEP_UP_REQUIRED'])
    expect((await tasks())[0]?.state).toBe('open')
  })

  describe('applied', () => {
    const first = async () => (await tasks()).find(({ state }) => state === 'open')?.id ?? 0

    test('fault 5l brings a deleted order back, with contract, invoice and receipt', async () => {
      const made = await paidAfterDeletion('alipay')
      await box.fetch()
      expect((await act(await first(), 'apply')).json()).toMatchObject({ state: 'applied' })
      expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1, contract: 'C202603000001' })
      expect((await tasks())[0]).toMatchObject({ state: 'applied', settled: '2026-03-02 10:00:00' })
      expect((await box.fetch()).map(({ subject }) => subject)).toContainEqual(
        expect.stringContaining('Payment received'),
      )
      expect((await order(buyer, { code: 'alipay' })).json().errorCode).toBe('DUP_CODE')
      expect(balance()).toBe(Number(made.amount) * 100)
      expect(await unaccounted()).toEqual([])
    })

    test('fault 5l an order whose code is taken by now says so, and the money can be refunded', async () => {
      await paidTooLate()
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'codeTaken'])
      expect((await act(await first(), 'refund')).statusCode).toBe(200)
    })

    test('fault 5l an order that came too late takes effect where its code is still free', async () => {
      const made = (await order(buyer)).json()
      await later(8 * dayMs)
      await paid(the.server, made)
      expect((await act(await first(), 'apply')).statusCode).toBe(200)
      expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })
    })

    test('fault 5l says why it cannot: another sum or currency, paid already, a newer order', async () => {
      const made = (await order(buyer)).json()
      await paid(the.server, made, { amount: '41999.99' })
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'anotherAmount'])
      const other = (await order(buyer, { code: 'other' })).json()
      await paid(the.server, other, { currency: 'USD' })
      const newest = async () => (await tasks()).filter(({ state }) => state === 'open').at(-1)?.id ?? 0
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'anotherCurrency'])
      await paid(the.server, other)
      await paid(the.server, other)
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'paidAlready'])
      const third = (await order(buyer, { code: 'third' })).json()
      await order(buyer, { code: 'third', users: 11, replaces: third.id })
      await paid(the.server, third)
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'newerOrder'])
      // Nobody knows at which gateway these were paid.
      expect(why(await act(await newest(), 'refund'))).toEqual([409, 'noGateway'])
      expect(await unaccounted()).toEqual([])
    })

    test('fault 5m backups and traffic are tasks too, and are applied where nothing newer took their place', async () => {
      await bought(the.server, buyer)
      const service_id = await serviceIdOf(the.server, 'shop')
      const ask = async (period: number) =>
        (
          await buyer.send({
            method: 'POST',
            url: '/api/pdb/order',
            payload: { service_id, pdb_type: 'pdb2s3', period, period_type: 'month' },
          })
        ).json().id as number
      const pay = (kind: 'backup' | 'traffic', id: number, amount: string, reference: string) =>
        asSystem((db) =>
          applyPayment(
            { db, app: the.server.app, now: the.server.clock.now },
            { kind, id },
            {
              gateway: 'test',
              reference,
              amount,
              currency: 'HKD',
              paidAt: the.server.clock.now,
            },
          ),
        )
      const replaced = await ask(6)
      const newer = await ask(12)
      await pay('backup', replaced, '2700.00', 'b1')
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'newerOrder'])
      await later(8 * dayMs)
      await pay('backup', newer, '5400.00', 'b2')
      await asSystem((db) => db.updateTable('backup_order').set({ status: -1 }).where('id', '=', newer).execute())
      const open = (await tasks()).filter(({ state }) => state === 'open')
      expect(open.map(({ reason }) => reason)).toEqual(['replaced', 'tooLate'])
      expect((await act(open.at(-1)?.id ?? 0, 'apply')).statusCode).toBe(200)
      const rows = (await buyer.send({ url: `/api/pdb/order?serviceId=${service_id}&results=50` })).json().data
      expect(rows.find((row: { id: number }) => row.id === newer)).toMatchObject({ status: 1 })
      const month = await trafficOf(the.server, 'shop', { isPaid: false })
      await pay('traffic', month, '162.50', 't1')
      await pay('traffic', month, '162.50', 't2')
      const last = (await tasks()).filter(({ state }) => state === 'open').at(-1)
      expect(last).toMatchObject({ reason: 'paidAlready', kind: 'traffic' })
      expect(why(await act(last?.id ?? 0, 'apply'))).toEqual([409, 'paidAlready'])
      expect(await unaccounted()).toEqual([])
    })
  })

  test('fault 5n an address that is opened late is found by the job although no notice ever comes, and one that is open is closed', async () => {
    const made = (await order(buyer, { code: 'late', currency: 'RMB' })).json()
    const address = addressOf(await payFor(buyer, made.id, { type: 'alipay' }))
    const second = (await order(buyer, { code: 'late2', currency: 'RMB' })).json()
    const open = addressOf(await payFor(buyer, second.id, { type: 'alipay' }))
    for (const { id } of [made, second]) await buyer.send({ method: 'DELETE', url: `/api/sorder/${id}` })
    await onPage(address, { answer: 'pay' })
    const page = await visit(open)
    await later(120_000)
    await till.lookAfter()
    expect(await tasks()).toMatchObject([{ reason: 'deleted', payable_id: made.id }])
    expect((await visit(page.url)).status).toBe(404)
    await later(30 * 3_600_000)
    await till.lookAfter()
    const waiting = await asSystem((db) =>
      db.selectFrom('payment_attempt').select('id').where('next_look', 'is not', null).execute(),
    )
    expect(waiting).toEqual([])
  })

  test('fault 5o an order whose time is over is ended at the gateway by the job that expires it', async () => {
    const made = (await order(buyer)).json()
    const address = addressOf(await payFor(buyer, made.id))
    const page = await visit(address)
    await later(8 * dayMs)
    await asSystem((db) =>
      db
        .updateTable('payment_attempt')
        .set({ next_look: the.server.clock.now + dayMs })
        .execute(),
    )
    await tendOrders().step({ app: the.server.app, point: null } as never)
    await till.lookAfter()
    expect((await visit(page.url)).status).toBe(404)
    expect(the.server.clock.now).toBe(began + 8 * dayMs)
  })

  test('fault 6a a change cannot be paid after its contract has ended, and an extension can', async () => {
    const live = await bought(the.server, buyer)
    await later(362 * dayMs)
    const ask = async (fields: object) =>
      (
        await buyer.send({
          method: 'POST',
          url: '/api/contract',
          payload: { contract_id: live.contract_id, ...fields },
        })
      ).json()
    const change = await ask({ type: 'change', users: 60 })
    expect(change.due).toBe('2027-03-01 23:59:59')
    expect((await readOrder(buyer, live.id)).pending).toMatchObject({ due: '2027-03-01 23:59:59' })
    await later(3 * dayMs)
    expect((await payFor(buyer, change.id)).json()).toMatchObject({ data: { why: 'invalid' } })
    expect((await readOrder(buyer, live.id)).pending).toBeNull()
    const extension = await ask({ type: 'extend', period: 1 })
    expect(extension.due).toBe('2027-03-09 23:59:59')
  })

  test('fault 6b a change that was begun in time and is paid after its contract has ended is a task', async () => {
    const live = await bought(the.server, buyer)
    await later(362 * dayMs)
    const payload = { type: 'change', contract_id: live.contract_id, users: 60 }
    const answer = await buyer.send({ method: 'POST', url: '/api/contract', payload })
    const made = answer.json()
    expect(made.due).toBe('2027-03-01 23:59:59')
    const address = addressOf(await payFor(buyer, made.id))
    await later(5 * dayMs)
    await onPage(address, { card: '4242 4242 4242 4242' })
    await tellAll()
    expect(await tasks()).toMatchObject([{ reason: 'tooLate', payable_id: made.id }])
    const [task] = await tasks()
    expect(why(await act(task?.id ?? 0, 'apply'))).toEqual([409, 'contractEnded'])
  })
})
