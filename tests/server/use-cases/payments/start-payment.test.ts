/**
 * Tests payments over real HTTP with the sandbox: double clicks, lost responses, late, repeated and forged notices (R-27, S-18, S-22,
 * S-95).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import { createReconcileJob } from '#server/jobs/reconcile-payments.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import {
  shopOpenedAt,
  buyOrder,
  placeOrder,
  type OrderRow,
  readOrder,
  setUpShop,
} from '#tests/support/orders/shop-data.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'

onConnections('starting a payment', (engine) => {
  const fixture = setUpShop(engine)
  const inbox = createMailBox(() => fixture.server.app)
  let paymentSandbox: PaymentSandbox
  let buyer: SignedIn
  let order: OrderRow
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  let balancesBefore: ReturnType<PaymentSandbox['sandbox']['getBalances']>
  beforeEach(async () => {
    paymentSandbox.sandbox.webhooks.release()
    Object.assign(paymentSandbox.sandbox.faults, { loseAnswers: 0, fail: 0 })
    balancesBefore = paymentSandbox.sandbox.getBalances()
    buyer = await fixture.server.signIn('order@alpha')
    order = (await placeOrder(buyer)).json()
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const listAttempts = () => runAsSystem((db) => db.selectFrom('payment_attempt').selectAll().orderBy('id').execute())
  const listOutcomes = async () =>
    (await runAsSystem((db) => db.selectFrom('payment').select('outcome').orderBy('id').execute())).map(
      ({ outcome }) => outcome,
    )
  const countRows = (table: 'contract' | 'invoice') =>
    runAsSystem(async (db) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      return Number(rows[0]?.count)
    })
  /** Amount in cents that the gateways received since the test began. */
  const balance = () => {
    const balancesNow = paymentSandbox.sandbox.getBalances()
    const sumBalances = (balances: typeof balancesNow) =>
      Object.values(balances)
        .flatMap((amounts) => Object.values(amounts))
        .reduce((a, b) => a + b, 0)
    return sumBalances(balancesNow) - sumBalances(balancesBefore)
  }
  const dueAmount = 4_200_000
  const card = { token: 'pm_card_visa' }
  const checkPayment = async (id = order.id) =>
    (
      await buyer.send({ method: 'POST', url: `/api/payment/${id}/check`, payload: { contractType: 'CONTRACT' } })
    ).json()
  async function expectPaidOnce() {
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1 })
    expect([await listOutcomes(), await countRows('contract'), await countRows('invoice')]).toEqual([['applied'], 1, 1])
    expect(balance()).toBe(dueAmount)
  }
  const submitOnPage = async (response: { json(): unknown }, form: Record<string, string>) => {
    const page = await openGatewayPage((response.json() as { redirect: string }).redirect)
    return await openGatewayPage(page.url, form)
  }
  const payOnPage = async () => submitOnPage(await payFor(buyer, order.id), { card: '4242 4242 4242 4242' })
  const followReturn = async (address: string) => {
    const url = new URL(address)
    const location = (await fixture.server.send({ url: url.pathname + url.search })).headers.location
    return location?.replace(/#return=[\w-]+$/, '')
  }

  describe('a payment that returns to a browser without a session', () => {
    const readResultPage = async (address: string, language: string) => {
      const url = new URL(address)
      const { location = '' } = (await fixture.server.send({ url: url.pathname + url.search })).headers
      const key = /#return=([\w-]+)$/.exec(location)?.[1] ?? ''
      const resultUrl = `/public/payment/return/${key}?page=result`
      return fixture.server.send({ url: resultUrl, headers: { 'accept-language': language } })
    }

    test.each([
      ['en', 'Payment received'],
      ['zh', '已收到付款'],
    ])('shows in %s that it was paid, without details of the order (fault 26c)', async (language, title) => {
      const returnPage = await payOnPage()
      const page = await readResultPage(returnPage.url, language)
      expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.body).toContain(title)
      for (const secret of ['42,000', '42000', 'HKD', 'alpha']) expect(page.body).not.toContain(secret)
      await expectPaidOnce()
    })

    test('shows that it was not paid, and returns 404 for an unknown payment (fault 26c)', async () => {
      const returnPage = await submitOnPage(await payFor(buyer, order.id), { answer: 'back' })
      expect((await readResultPage(returnPage.url, 'en')).body).not.toContain('Payment received')
      const unknownUrl = `/public/payment/return/${randomUUID().replaceAll('-', '')}?page=result`
      expect((await fixture.server.send({ url: unknownUrl })).statusCode).toBe(404)
    })
  })

  describe('a payment by card', () => {
    test('charges the amount of the order, and creates one contract and one invoice', async () => {
      expect((await payFor(buyer, order.id, { ...card, amount: '0.01' })).json()).toEqual({ status: 'paid' })
      await expectPaidOnce()
      expect(await checkPayment()).toEqual({ status: 'paid' })
    })

    test('leaves the order unpaid with the reason if it is declined, and another card works', async () => {
      const response = await payFor(buyer, order.id, { token: 'pm_card_visa_chargeDeclinedInsufficientFunds' })
      expect([response.statusCode, response.json()]).toMatchObject([
        409,
        {
          errorCode: 'CARD_INVALID',
          errorMessage: 'Your card information is invalid',
          data: { reason: 'insufficient_funds' },
        },
      ])
      expect(await checkPayment()).toEqual({ status: 'declined' })
      expect((await payFor(buyer, order.id, card)).json()).toEqual({ status: 'paid' })
      await expectPaidOnce()
    })

    test('leads to the bank and back if 3-D Secure is required, and needs no webhook notice', async () => {
      paymentSandbox.sandbox.webhooks.hold()
      const response = await payFor(buyer, order.id, { token: 'pm_card_threeDSecureRequired' })
      expect(await checkPayment()).toEqual({ status: 'open' })
      const returnPage = await submitOnPage(response, { answer: 'yes' })
      expect(await followReturn(returnPage.url)).toMatch(new RegExp(`/saas/app/contract/${order.id}\\?payment=paid$`))
      await expectPaidOnce()
    })

    test("continues on the gateway's page in a second tab, and needs only the webhook notice", async () => {
      const [firstResponse, secondResponse] = await Promise.all([payFor(buyer, order.id), payFor(buyer, order.id)])
      expect(secondResponse.json()).toEqual(firstResponse.json())
      const returnPage = await submitOnPage(firstResponse, { card: '4242 4242 4242 4242' })
      await expect.poll(async () => (await readOrder(buyer, order.id)).status, { timeout: 10_000 }).toBe(1)
      await expectPaidOnce()
      expect(await followReturn(returnPage.url)).toMatch(/payment=paid$/)
      await expectPaidOnce()
    })

    test('is reported on return if the bank does not confirm it', async () => {
      const response = await payFor(buyer, order.id, { token: 'pm_card_threeDSecureRequired' })
      const returnPage = await submitOnPage(response, { answer: 'no' })
      expect(await followReturn(returnPage.url)).toMatch(/payment=declined$/)
      expect(await readOrder(buyer, order.id)).toMatchObject({ status: 0 })
    })
  })

  describe('a payment by Alipay', () => {
    test('leads to the gateway and back in RMB, and charges nothing if it is cancelled', async () => {
      order = (await placeOrder(buyer, { code: 'rmb', currency: 'RMB' })).json()
      const response = await payFor(buyer, order.id, { type: 'alipay' })
      expect(await followReturn((await submitOnPage(response, { answer: 'back' })).url)).toMatch(/payment=cancelled$/)
      const [call] = await paymentSandbox.holdCalls(async () => {
        const returnPage = await submitOnPage(await payFor(buyer, order.id, { type: 'alipay' }), { answer: 'pay' })
        expect(await listAttempts()).toHaveLength(1)
        expect(await followReturn(returnPage.url)).toMatch(/payment=paid$/)
      })
      expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1 })
      expect(await paymentSandbox.sandbox.webhooks.send(call?.id ?? '')).toBe(200)
      expect([await listOutcomes(), await countRows('invoice')]).toEqual([['applied'], 1])
    })

    test('returns to the page of the contract if it was for a change and is cancelled (D35)', async () => {
      const liveOrder = await buyOrder(fixture.server, buyer, { code: 'rmbchange', currency: 'RMB' })
      const { contract_id } = await readOrder(buyer, liveOrder.id)
      const payload = { type: 'change', contract_id, users: 30 }
      const { id } = (await buyer.send({ method: 'POST', url: '/api/contract', payload })).json()
      expect(id).not.toBe(liveOrder.id)
      const response = await payFor(buyer, id, { type: 'alipay' })
      expect(await followReturn((await submitOnPage(response, { answer: 'back' })).url)).toMatch(
        new RegExp(`/contract/${liveOrder.id}\\?payment=cancelled$`),
      )
      const returnPage = await submitOnPage(await payFor(buyer, id, { type: 'alipay' }), { answer: 'pay' })
      expect(await followReturn(returnPage.url)).toMatch(new RegExp(`/contract/${id}\\?payment=paid$`))
    })

    test('is limited to provider staff in HKD and USD, with one gateway per currency (D66)', async () => {
      expect((await payFor(buyer, order.id, { type: 'globalAlipay' })).statusCode).toBe(403)
      expect((await payFor(buyer, order.id, { type: 'alipay' })).json().errorCode).toBe('VALIDATION_ERROR')
      const staff = await signInWithOrderFlag('user@m18')
      const returnPage = await submitOnPage(await payFor(staff, order.id, { type: 'globalAlipay' }), { answer: 'pay' })
      expect(await followReturn(returnPage.url)).toMatch(/payment=paid$/)
      await expectPaidOnce()
    })
  })

  const signInWithOrderFlag = async (userName: string) => {
    const id = fixture.server.world.users[userName] ?? 0
    await runAsSystem((db) => db.updateTable('portal_user').set({ orders: true }).where('id', '=', id).execute())
    return await fixture.server.signIn(userName)
  }

  test('a simulated payment is limited to provider admins, and can be turned off (S-22, Z-21)', async () => {
    const simulate = { type: 'simulate' }
    expect((await payFor(buyer, order.id, simulate)).statusCode).toBe(403)
    expect((await payFor(await signInWithOrderFlag('user@m18'), order.id, simulate)).statusCode).toBe(403)
    const admin = await signInWithOrderFlag('admin@m18')
    const { payments } = fixture.server.app
    fixture.server.app.payments = {
      ...payments,
      findDriver: async (type) => (type === 'simulate' ? null : payments.findDriver(type)),
    }
    expect((await payFor(admin, order.id, simulate)).statusCode).toBe(404)
    fixture.server.app.payments = payments
    expect((await payFor(admin, order.id, simulate)).json()).toEqual({ status: 'paid' })
    expect(await listOutcomes()).toEqual(['applied'])
  })

  describe('faults during a payment', () => {
    test('ten concurrent clicks charge once', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => payFor(buyer, order.id, card)))
      for (const { statusCode } of responses) expect([200, 409]).toContain(statusCode)
      await paymentSandbox.runPaymentJobs()
      await expectPaidOnce()
    }, 30_000)

    test('a repeated key returns the same response, paid or declined', async () => {
      const key = { 'idempotency-key': randomUUID() }
      const declinedKey = { 'idempotency-key': randomUUID() }
      const declinedCard = { token: 'pm_card_visa_chargeDeclined' }
      for (let times = 0; times < 2; times++)
        expect((await payFor(buyer, order.id, declinedCard, declinedKey)).statusCode).toBe(409)
      for (let times = 0; times < 2; times++)
        expect((await payFor(buyer, order.id, card, key)).json()).toEqual({ status: 'paid' })
      expect(await listAttempts()).toHaveLength(2)
      expect((await payFor(buyer, order.id, card)).json()).toMatchObject({ data: { why: 'paidAlready' } })
      await expectPaidOnce()
    })

    test('a lost response is requested again, and another card waits for it', async () => {
      // The driver tries a request three times, so three responses must be lost.
      paymentSandbox.sandbox.webhooks.hold()
      paymentSandbox.sandbox.faults.loseAnswers = 3
      expect((await payFor(buyer, order.id, card)).json()).toEqual({ status: 'processing' })
      paymentSandbox.sandbox.faults.loseAnswers = 0
      expect((await payFor(buyer, order.id, { token: 'pm_card_mastercard' })).json()).toEqual({ status: 'paid' })
      await expectPaidOnce()
    }, 30_000)

    test('the job finds a payment whose payer does not return, and late money is recorded', async () => {
      const heldCalls = await paymentSandbox.holdCalls(payOnPage)
      fixture.server.clock.now = shopOpenedAt + 10_000
      await paymentSandbox.runPaymentJobs()
      await expectPaidOnce()
      for (const { id } of heldCalls) expect(await paymentSandbox.sandbox.webhooks.send(id)).toBe(204)
      await expectPaidOnce()
    })

    test('repeated concurrent notices pay once', async () => {
      const heldCalls = await paymentSandbox.holdCalls(payOnPage)
      const statusCodes = await Promise.all(
        heldCalls.flatMap(({ id }) => Array.from({ length: 5 }, () => paymentSandbox.sandbox.webhooks.send(id))),
      )
      expect(new Set(statusCodes)).toEqual(new Set([204]))
      await expectPaidOnce()
    }, 30_000)

    test('an order that is deleted or replaced can no longer be paid at the gateway', async () => {
      const paymentResponse = await payFor(buyer, order.id)
      await placeOrder(buyer, { users: 11, replaces: order.id })
      await paymentSandbox.runPaymentJobs()
      expect((await listAttempts()).map(({ state }) => state)).toEqual(['closed'])
      const page = await openGatewayPage((paymentResponse.json() as { redirect: string }).redirect)
      expect(page.status).toBe(404)
      expect((await payFor(buyer, order.id)).json()).toMatchObject({ data: { why: 'invalid' } })
      expect(balance()).toBe(0)
    })

    test('another payment method ends the previous one', async () => {
      order = (await placeOrder(buyer, { code: 'either', currency: 'RMB' })).json()
      await payFor(buyer, order.id)
      const response = await payFor(buyer, order.id, { type: 'alipay' })
      await openGatewayPage((response.json() as { redirect: string }).redirect)
      expect((await listAttempts()).map(({ state }) => state)).toEqual(['closed', 'open'])
      expect((await payFor(buyer, order.id, card)).json()).toEqual({ status: 'paid' })
      expect((await listAttempts()).map(({ state }) => state)).toEqual(['closed', 'closed', 'paid'])
    })
  })

  test('foreign and expired orders are refused, and more than twenty starts in ten minutes (S-25)', async () => {
    expect((await payFor(await fixture.server.signIn('order@beta'), order.id, card)).statusCode).toBe(404)
    expect((await payFor(buyer, 999_999, card)).statusCode).toBe(404)
    const declinedCard = { token: 'pm_card_visa_chargeDeclined' }
    for (let times = 0; times < 20; times++) expect((await payFor(buyer, order.id, declinedCard)).statusCode).toBe(409)
    expect((await payFor(buyer, order.id, declinedCard)).statusCode).toBe(429)
    fixture.server.clock.now = shopOpenedAt + 8 * 86_400_000
    buyer = await fixture.server.signIn('order@alpha')
    expect((await payFor(buyer, order.id, card)).json()).toMatchObject({ data: { why: 'invalid' } })
    expect(balance()).toBe(0)
  }, 30_000)

  test('notices without a valid signature are refused and change nothing (S-95, Z-22)', async () => {
    const [call] = await paymentSandbox.holdCalls(payOnPage)
    const stripeResponse = await fixture.server.send({
      method: 'POST',
      url: '/public/payment/stripe',
      headers: {
        'content-type': 'application/json',
        'stripe-signature': `t=${shopOpenedAt / 1000},v1=${'0'.repeat(64)}`,
      },
      payload: call?.body ?? '',
    })
    expect(stripeResponse.statusCode).toBe(400)
    const [attempt] = await listAttempts()
    for (const fields of [{ app_id: '2021' }, {}]) {
      const alipayResponse = await fixture.server.send({
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
      expect(alipayResponse.statusCode).toBe(400)
    }
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 0 })
    const location = await followReturn(`http://portal/public/payment/return/${randomUUID().replaceAll('-', '')}`)
    expect(location).toMatch(/\/saas\/app\/contract$/)
  })

  test('receipts with the invoice number go to the payer and users with the order right', async () => {
    await payFor(buyer, order.id, card)
    await paymentSandbox.runPaymentJobs()
    const mails = await inbox.fetch()
    expect(mails.map(({ to }) => to.address).toSorted()).toEqual(['order@alpha.example', 'second@alpha.example'])
    for (const { subject, text } of mails) {
      expect(subject).toContain('Payment received')
      expect(text).toContain('I202603000001')
      expect(text).toContain('HKD 42,000.00')
    }
    expect(await inbox.fetch()).toEqual([])
  })

  test('staff can start a reconciliation of all payments', async () => {
    paymentSandbox.sandbox.webhooks.hold()
    await payOnPage()
    const staff = await fixture.server.signIn('admin@m18')
    const startResponse = await staff.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })
    expect(startResponse.statusCode).toBe(202)
    await paymentSandbox.runPaymentJobs()
    expect((await staff.send({ url: startResponse.headers.location as string })).json()).toMatchObject({
      looked: 1,
      paid: 1,
    })
    await expectPaidOnce()
    expect((await buyer.send({ method: 'POST', url: '/api/payment/reconcile', payload: {} })).statusCode).toBe(403)
  })

  test('a reconciliation reports its progress', async () => {
    await payFor(buyer, order.id, { token: 'pm_card_threeDSecureRequired' })
    const [{ id: _, ...attempt }] = (await listAttempts()) as [Awaited<ReturnType<typeof listAttempts>>[number]]
    const attemptCopies = Array.from({ length: 24 }, (_one, index) => ({
      ...attempt,
      key: `${attempt.key}${index}`,
      intent: randomUUID(),
    }))
    await runAsSystem((db) => db.insertInto('payment_attempt').values(attemptCopies).execute())
    const { step } = createReconcileJob()
    const stepInput = { app: fixture.server.app, input: {}, tries: 1, reportProgress: async () => undefined }
    const percents: number[] = []
    let stepResult = await step({ ...stepInput, point: null })
    while (stepResult.kind === 'on') {
      percents.push(stepResult.percent)
      stepResult = await step({ ...stepInput, point: stepResult.point })
    }
    expect(percents).toEqual([40, 80])
    expect(stepResult.output).toMatchObject({ looked: 25 })
  })
})
