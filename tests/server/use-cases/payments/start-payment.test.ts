/** Paying, over real HTTP with the sandbox: clicked twice, cut off, told late, twice and by strangers (R-27, S-18, S-22, S-95). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import { reconcilePayments } from '#server/jobs/reconcile-payments.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { began, bought, order, type Ordered, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'

onConnections('paying', (engine) => {
  const the = setUpShop(engine)
  const box = mailBox(() => the.server.app)
  let till: Till
  let buyer: SignedIn
  let made: Ordered
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  let taken: ReturnType<Till['sandbox']['balances']>
  beforeEach(async () => {
    till.sandbox.calls.release()
    Object.assign(till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    taken = till.sandbox.balances()
    buyer = await the.server.signIn('order@alpha')
    made = (await order(buyer)).json()
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const attempts = () => asSystem((db) => db.selectFrom('payment_attempt').selectAll().orderBy('id').execute())
  const outcomes = async () =>
    (await asSystem((db) => db.selectFrom('payment').select('outcome').orderBy('id').execute())).map(
      ({ outcome }) => outcome,
    )
  const count = (table: 'contract' | 'invoice') =>
    asSystem(async (db) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      return Number(rows[0]?.count)
    })
  /** What the gateways took since the test began, in hundredths. */
  const balance = () => {
    const now = till.sandbox.balances()
    const sum = (all: typeof now) =>
      Object.values(all)
        .flatMap((one) => Object.values(one))
        .reduce((a, b) => a + b, 0)
    return sum(now) - sum(taken)
  }
  const due = 4_200_000
  const card = { token: 'pm_card_visa' }
  const check = async (id = made.id) =>
    (
      await buyer.send({ method: 'POST', url: `/api/payment/${id}/check`, payload: { contractType: 'CONTRACT' } })
    ).json()
  async function paidOnce() {
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })
    expect([await outcomes(), await count('contract'), await count('invoice')]).toEqual([['applied'], 1, 1])
    expect(balance()).toBe(due)
  }
  /** On the page to which the answer leads. */
  const onPage = async (answer: { json(): unknown }, form: Record<string, string>) => {
    const page = await visit((answer.json() as { redirect: string }).redirect)
    return await visit(page.url, form)
  }
  const back = async (address: string) => {
    const url = new URL(address)
    const location = (await the.server.send({ url: url.pathname + url.search })).headers.location
    return location?.replace(/#return=[\w-]+$/, '')
  }

  describe('a payment that returns to a browser in which nobody is signed in', () => {
    const resultOf = async (address: string, language: string) => {
      const url = new URL(address)
      const { location = '' } = (await the.server.send({ url: url.pathname + url.search })).headers
      const key = /#return=([\w-]+)$/.exec(location)?.[1] ?? ''
      const result = `/public/payment/return/${key}?page=result`
      return the.server.send({ url: result, headers: { 'accept-language': language } })
    }

    test.each([
      ['en', 'Payment received'],
      ['zh', '已收到付款'],
    ])('fault 26c shows in %s that it was paid, and nothing of the order', async (language, title) => {
      const seen = await onPage(await payFor(buyer, made.id), { card: '4242 4242 4242 4242' })
      const page = await resultOf(seen.url, language)
      expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.body).toContain(title)
      for (const secret of ['42,000', '42000', 'HKD', 'alpha']) expect(page.body).not.toContain(secret)
      await paidOnce()
    })

    test('fault 26c shows that nothing was paid, and 404 for a payment that is none', async () => {
      const seen = await onPage(await payFor(buyer, made.id), { answer: 'back' })
      expect((await resultOf(seen.url, 'en')).body).not.toContain('Payment received')
      const none = `/public/payment/return/${randomUUID().replaceAll('-', '')}?page=result`
      expect((await the.server.send({ url: none })).statusCode).toBe(404)
    })
  })

  describe('by card', () => {
    test('takes the order’s own amount, and makes one contract and one invoice', async () => {
      expect((await payFor(buyer, made.id, { ...card, amount: '0.01' })).json()).toEqual({ status: 'paid' })
      await paidOnce()
      expect(await check()).toEqual({ status: 'paid' })
    })

    test('a declined one leaves the order as it is, says why, and another card pays', async () => {
      const answer = await payFor(buyer, made.id, { token: 'pm_card_visa_chargeDeclinedInsufficientFunds' })
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        {
          errorCode: 'CARD_INVALID',
          errorMessage: 'Your card information is invalid',
          data: { reason: 'insufficient_funds' },
        },
      ])
      expect(await check()).toEqual({ status: 'declined' })
      expect((await payFor(buyer, made.id, card)).json()).toEqual({ status: 'paid' })
      await paidOnce()
    })

    test('with 3-D Secure leads to the bank and back, and the return alone is enough', async () => {
      till.sandbox.calls.hold()
      const answer = await payFor(buyer, made.id, { token: 'pm_card_threeDSecureRequired' })
      expect(await check()).toEqual({ status: 'open' })
      const seen = await onPage(answer, { answer: 'yes' })
      expect(await back(seen.url)).toMatch(new RegExp(`/saas/app/contract/${made.id}\\?payment=paid$`))
      await paidOnce()
    })

    test('asked for on the gateway’s page, is gone on with in a second tab, and its notice alone is enough', async () => {
      const [one, two] = await Promise.all([payFor(buyer, made.id), payFor(buyer, made.id)])
      expect(two.json()).toEqual(one.json())
      const seen = await onPage(one, { card: '4242 4242 4242 4242' })
      await expect.poll(async () => (await readOrder(buyer, made.id)).status, { timeout: 10_000 }).toBe(1)
      await paidOnce()
      expect(await back(seen.url)).toMatch(/payment=paid$/)
      await paidOnce()
    })

    test('that the bank does not confirm is told so on return', async () => {
      const answer = await payFor(buyer, made.id, { token: 'pm_card_threeDSecureRequired' })
      const seen = await onPage(answer, { answer: 'no' })
      expect(await back(seen.url)).toMatch(/payment=declined$/)
      expect(await readOrder(buyer, made.id)).toMatchObject({ status: 0 })
    })
  })

  describe('by Alipay', () => {
    test('RMB goes there and back; turning back pays nothing', async () => {
      made = (await order(buyer, { code: 'rmb', currency: 'RMB' })).json()
      const answer = await payFor(buyer, made.id, { type: 'alipay' })
      expect(await back((await onPage(answer, { answer: 'back' })).url)).toMatch(/payment=cancelled$/)
      till.sandbox.calls.hold()
      const seen = await onPage(await payFor(buyer, made.id, { type: 'alipay' }), { answer: 'pay' })
      expect(await attempts()).toHaveLength(1)
      expect(await back(seen.url)).toMatch(/payment=paid$/)
      expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })
      const [call] = till.sandbox.calls.list().filter(({ gate, nextAt }) => gate === 'alipay' && nextAt !== null)
      expect(await till.sandbox.calls.send(call?.id ?? '')).toBe(200)
      expect([await outcomes(), await count('invoice')]).toEqual([['applied'], 1])
    })

    test('who turns back from paying a change stands on the page of its contract again (D35)', async () => {
      const live = await bought(the.server, buyer, { code: 'rmbchange', currency: 'RMB' })
      const { contract_id } = await readOrder(buyer, live.id)
      const payload = { type: 'change', contract_id, users: 30 }
      const { id } = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json()
      expect(id).not.toBe(live.id)
      const answer = await payFor(buyer, id, { type: 'alipay' })
      expect(await back((await onPage(answer, { answer: 'back' })).url)).toMatch(
        new RegExp(`/contract/${live.id}\\?payment=cancelled$`),
      )
      const seen = await onPage(await payFor(buyer, id, { type: 'alipay' }), { answer: 'pay' })
      expect(await back(seen.url)).toMatch(new RegExp(`/contract/${id}\\?payment=paid$`))
    })

    test('HKD and USD are the provider’s staff’s alone; each currency has its own gateway (D66)', async () => {
      expect((await payFor(buyer, made.id, { type: 'globalAlipay' })).statusCode).toBe(403)
      expect((await payFor(buyer, made.id, { type: 'alipay' })).json().errorCode).toBe('VALIDATION_ERROR')
      const staff = await flagged('user@m18')
      const seen = await onPage(await payFor(staff, made.id, { type: 'globalAlipay' }), { answer: 'pay' })
      expect(await back(seen.url)).toMatch(/payment=paid$/)
      await paidOnce()
    })
  })

  const flagged = async (who: string) => {
    const id = the.server.world.users[who] ?? 0
    await asSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
    return await the.server.signIn(who)
  }

  test('simulated is the provider’s admins’ alone, and not there where it is switched off (S-22, Z-21)', async () => {
    const simulate = { type: 'simulate' }
    expect((await payFor(buyer, made.id, simulate)).statusCode).toBe(403)
    expect((await payFor(await flagged('user@m18'), made.id, simulate)).statusCode).toBe(403)
    const admin = await flagged('admin@m18')
    const { payments } = the.server.app
    the.server.app.payments = {
      ...payments,
      driver: async (type) => (type === 'simulate' ? null : payments.driver(type)),
    }
    expect((await payFor(admin, made.id, simulate)).statusCode).toBe(404)
    the.server.app.payments = payments
    expect((await payFor(admin, made.id, simulate)).json()).toEqual({ status: 'paid' })
    expect(await outcomes()).toEqual(['applied'])
  })

  describe('whatever happens in between', () => {
    test('ten clicks at once take money once', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => payFor(buyer, made.id, card)))
      for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode)
      await till.lookAfter()
      await paidOnce()
    }, 30_000)

    test('the same call again is told the same, paid or declined', async () => {
      const key = { 'idempotency-key': randomUUID() }
      const declined = { 'idempotency-key': randomUUID() }
      const bad = { token: 'pm_card_visa_chargeDeclined' }
      for (let times = 0; times < 2; times++) expect((await payFor(buyer, made.id, bad, declined)).statusCode).toBe(409)
      for (let times = 0; times < 2; times++)
        expect((await payFor(buyer, made.id, card, key)).json()).toEqual({ status: 'paid' })
      expect(await attempts()).toHaveLength(2)
      expect((await payFor(buyer, made.id, card)).json()).toMatchObject({ data: { why: 'paidAlready' } })
      await paidOnce()
    })

    test('an answer that is lost is asked for again, and another card waits until it is known', async () => {
      // The driver tries three times by itself.
      till.sandbox.calls.hold()
      till.sandbox.moods.loseAnswers = 3
      expect((await payFor(buyer, made.id, card)).json()).toEqual({ status: 'processing' })
      till.sandbox.moods.loseAnswers = 0
      expect((await payFor(buyer, made.id, { token: 'pm_card_mastercard' })).json()).toEqual({ status: 'paid' })
      await paidOnce()
    }, 30_000)

    test('a payer who never comes back is found by the job, and money is told late', async () => {
      till.sandbox.calls.hold()
      await onPage(await payFor(buyer, made.id), { card: '4242 4242 4242 4242' })
      the.server.clock.now = began + 10_000
      await till.lookAfter()
      await paidOnce()
      const isHeld = ({ gate, nextAt }: { gate: string; nextAt: number | null }) => gate === 'stripe' && nextAt !== null
      for (const { id } of till.sandbox.calls.list().filter(isHeld)) expect(await till.sandbox.calls.send(id)).toBe(204)
      await paidOnce()
    })

    test('notices that come five times, at once and before the browser, pay once', async () => {
      till.sandbox.calls.hold()
      await onPage(await payFor(buyer, made.id), { card: '4242 4242 4242 4242' })
      const held = till.sandbox.calls.list().filter(({ nextAt }) => nextAt !== null)
      const sent = await Promise.all(
        held.flatMap(({ id }) => Array.from({ length: 5 }, () => till.sandbox.calls.send(id))),
      )
      expect(new Set(sent)).toEqual(new Set([204]))
      await paidOnce()
    }, 30_000)

    test('an order that is deleted or replaced can no longer be paid at the gateway', async () => {
      const opened = await payFor(buyer, made.id)
      await order(buyer, { users: 11, replaces: made.id })
      await till.lookAfter()
      expect((await attempts()).map(({ state }) => state)).toEqual(['closed'])
      const page = await visit((opened.json() as { redirect: string }).redirect)
      expect(page.status).toBe(404)
      expect((await payFor(buyer, made.id)).json()).toMatchObject({ data: { why: 'invalid' } })
      expect(balance()).toBe(0)
    })

    test('another way of paying ends the one before it', async () => {
      made = (await order(buyer, { code: 'either', currency: 'RMB' })).json()
      await payFor(buyer, made.id)
      const alipay = await payFor(buyer, made.id, { type: 'alipay' })
      await visit((alipay.json() as { redirect: string }).redirect)
      expect((await attempts()).map(({ state }) => state)).toEqual(['closed', 'open'])
      expect((await payFor(buyer, made.id, card)).json()).toEqual({ status: 'paid' })
      expect((await attempts()).map(({ state }) => state)).toEqual(['closed', 'closed', 'paid'])
    })
  })

  test('nobody else’s order, none that is over, and no more than twenty beginnings in ten minutes (S-25)', async () => {
    expect((await payFor(await the.server.signIn('order@beta'), made.id, card)).statusCode).toBe(404)
    expect((await payFor(buyer, 999_999, card)).statusCode).toBe(404)
    const bad = { token: 'pm_card_visa_chargeDeclined' }
    for (let times = 0; times < 20; times++) expect((await payFor(buyer, made.id, bad)).statusCode).toBe(409)
    expect((await payFor(buyer, made.id, bad)).statusCode).toBe(429)
    the.server.clock.now = began + 8 * 86_400_000
    buyer = await the.server.signIn('order@alpha')
    expect((await payFor(buyer, made.id, card)).json()).toMatchObject({ data: { why: 'invalid' } })
    expect(balance()).toBe(0)
  }, 30_000)

  test('call-backs that no gateway signed change nothing and are told so (S-95, Z-22)', async () => {
    till.sandbox.calls.hold()
    await onPage(await payFor(buyer, made.id), { card: '4242 4242 4242 4242' })
    const [call] = till.sandbox.calls.list().filter(({ nextAt }) => nextAt !== null)
    const forged = await the.server.send({
      method: 'POST',
      url: '/public/payment/stripe',
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${began / 1000},v1=${'0'.repeat(64)}` },
      payload: call?.body ?? '',
    })
    expect(forged.statusCode).toBe(400)
    const [attempt] = await attempts()
    for (const fields of [{ app_id: '2021' }, {}]) {
      const alipay = await the.server.send({
        method: 'POST',
        url: '/public/payment/alipay',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({
          ...fields,
          out_trade_no: attempt?.key ?? '',
          trade_no: '1',
          sign: 'x',
        }).toString(),
      })
      expect(alipay.statusCode).toBe(400)
    }
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 0 })
    const stranger = await back(`http://portal/public/payment/return/${randomUUID().replaceAll('-', '')}`)
    expect(stranger).toMatch(/\/saas\/app\/contract$/)
  })

  test('receipts go to who paid and to who orders, once each, with the number of the invoice', async () => {
    await payFor(buyer, made.id, card)
    await till.lookAfter()
    const mails = await box.fetch()
    expect(mails.map(({ to }) => to.address).toSorted()).toEqual(['order@alpha.example', 'second@alpha.example'])
    for (const { subject, text } of mails) {
      expect(subject).toContain('Payment received')
      expect(text).toContain('I202603000001')
      expect(text).toContain('HKD 42,000.00')
    }
    expect(await box.fetch()).toEqual([])
  })

  test('the staff can have everything looked at', async () => {
    till.sandbox.calls.hold()
    await onPage(await payFor(buyer, made.id), { card: '4242 4242 4242 4242' })
    const staff = await the.server.signIn('admin@m18')
    const began = await staff.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })
    expect(began.statusCode).toBe(202)
    await till.lookAfter()
    expect((await staff.send({ url: began.headers.location as string })).json()).toMatchObject({ looked: 1, paid: 1 })
    await paidOnce()
    expect((await buyer.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })).statusCode).toBe(403)
  })

  test('a reconciliation of many says how far it is', async () => {
    await payFor(buyer, made.id, { token: 'pm_card_threeDSecureRequired' })
    const [{ id: _, ...first }] = (await attempts()) as [Awaited<ReturnType<typeof attempts>>[number]]
    const more = Array.from({ length: 24 }, (_one, at) => ({
      ...first,
      key: `${first.key}${at}`,
      intent: randomUUID(),
    }))
    await asSystem((db) => db.insertInto('payment_attempt').values(more).execute())
    const { step } = reconcilePayments()
    const percents: number[] = []
    let done = await step({ app: the.server.app, input: {}, point: null, tell: async () => undefined })
    while (done.kind === 'on') {
      percents.push(done.percent)
      done = await step({ app: the.server.app, input: {}, point: done.point, tell: async () => undefined })
    }
    expect(percents).toEqual([40, 80])
    expect(done.output).toMatchObject({ looked: 25 })
  })
})
