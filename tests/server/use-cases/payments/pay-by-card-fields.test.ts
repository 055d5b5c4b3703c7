/**
 * Tests payments with the card fields of the page. Each click in another tab or page creates a new token, but the card is charged once
 * (R-27, M81).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { createTraffic } from '#tests/support/hosting/backups.ts'
import { createToken } from '#tests/support/orders/card-fields.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { openPaymentSandbox, payFor, type PaymentSandbox } from '#tests/support/orders/sandbox-server.ts'
import { buyOrder, placeOrder, type OrderRow, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('paying by card fields', (engine) => {
  const fixture = setUpShop(engine)
  let paymentSandbox: PaymentSandbox
  let buyer: SignedIn
  let order: OrderRow
  let balanceBefore = 0
  beforeAll(async () => {
    paymentSandbox = await openPaymentSandbox(fixture.server)
  }, 60_000)
  afterAll(() => paymentSandbox.close())
  beforeEach(async () => {
    paymentSandbox.sandbox.webhooks.release()
    Object.assign(paymentSandbox.sandbox.faults, { loseAnswers: 0, fail: 0 })
    buyer = await fixture.server.signIn('order@alpha')
    order = (await placeOrder(buyer)).json()
    balanceBefore = readBalance()
  })

  const readBalance = () => paymentSandbox.sandbox.getBalances().stripe.hkd ?? 0
  const dueAmount = 4_200_000
  const payBy = async (number?: string) =>
    payFor(buyer, order.id, { token: await createToken(paymentSandbox.sandbox, number) })
  /** Loses the responses to the charge, which the library sends three times, and holds the notices. */
  function loseResponse() {
    paymentSandbox.sandbox.webhooks.hold()
    paymentSandbox.sandbox.faults.loseAnswers = 3
  }
  const listPayments = () =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('payment').select(['outcome', 'amount']).execute(),
    )
  async function expectPaidOnce() {
    await paymentSandbox.runPaymentJobs()
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1 })
    expect(await listPayments()).toEqual([{ outcome: 'applied', amount: '42000.00' }])
    expect(readBalance() - balanceBefore).toBe(dueAmount)
  }

  test('Five tabs with a card each charge the order once (fault 36M81c)', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => payBy()))
    for (const { statusCode } of responses) expect([200, 409, 503]).toContain(statusCode)
    await expectPaidOnce()
  })

  test('After a lost response the same page can continue with its card (fault 36M81c)', async () => {
    const token = await createToken(paymentSandbox.sandbox)
    loseResponse()
    const response = await payFor(buyer, order.id, { token })
    expect(response.json()).toEqual({ status: 'processing' })
    expect((await payFor(buyer, order.id, { token })).json()).toEqual({ status: 'paid' })
    await expectPaidOnce()
  })

  test('After a lost response a reloaded page can send the card again (fault 36M81c)', async () => {
    loseResponse()
    expect((await payBy()).json()).toEqual({ status: 'processing' })
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    await expectPaidOnce()
  })

  test('After a declined card another can be used (fault 36M81c)', async () => {
    for (const [number, reason] of [
      ['4000000000000002', 'generic_decline'],
      ['4000000000000127', 'incorrect_cvc'],
    ]) {
      const response = await payBy(number)
      expect([response.statusCode, response.json()]).toMatchObject([
        409,
        { errorCode: 'CARD_INVALID', errorMessage: 'Your card information is invalid', data: { reason } },
      ])
    }
    expect(readBalance()).toBe(balanceBefore)
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    await expectPaidOnce()
  })

  test('A card that waits for the confirmation of its bank is not charged after another card was (fault 36M81c)', async () => {
    const payment = (await payBy('4000002500003155')).json() as { redirect: string }
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    expect((await openGatewayPage(payment.redirect, { answer: 'yes' })).status).toBe(404)
    await expectPaidOnce()
  })

  test('A payment by card closes an open page of the gateway (fault 36M81c)', async () => {
    const payment = (await payFor(buyer, order.id)).json() as { redirect: string }
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    expect((await openGatewayPage(payment.redirect, { card: '4242424242424242' })).status).toBe(404)
    await expectPaidOnce()
  })

  test('Traffic is paid in the same way, and the log contains no card or token (fault 36M81c)', async () => {
    await buyOrder(fixture.server, buyer, { code: 'shop2' })
    const id = await createTraffic(fixture.server, 'shop2', { isPaid: false })
    const token = await createToken(paymentSandbox.sandbox)
    expect((await payFor(buyer, id, { token, contractType: 'TRAFFIC' })).json()).toEqual({ status: 'paid' })
    expect(readBalance() - balanceBefore).toBe(16_250)
    expect(fixture.server.readLog()).not.toMatch(/4242|tok_/)
  })
})
