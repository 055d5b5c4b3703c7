/** Tests partial refunds of all drivers against the sandbox, which enforces the rules of the gateways. */
import { describe, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import type { Money, PaymentAttempt, RefundRequest } from '#server/drivers/payment/payment-driver.ts'
import { toPaymentKey } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { buildBeginning, setUpSharedShop, toPaymentQuery } from '#tests/support/orders/shop.ts'

const shop = setUpSharedShop()

const cases: ['stripe' | 'alipay' | 'globalAlipay', Money][] = [
  ['stripe', { amount: 10_000n, currency: 'HKD' }],
  ['alipay', { amount: 10_000n, currency: 'RMB' }],
  ['globalAlipay', { amount: 10_000n, currency: 'USD' }],
]

describe.each(cases)('partial refunds by %s', (gateway, money) => {
  const getDriver = () => shop.drivers[gateway]

  async function pay(): Promise<PaymentAttempt & { gatewayId: string }> {
    const input = buildBeginning(shop, { money, token: gateway === 'stripe' ? 'pm_card_visa' : null })
    const start = await getDriver().start(input)
    if (start.kind === 'redirect') await openGatewayPage((await openGatewayPage(start.url)).url, { answer: 'pay' })
    const payment = await getDriver().query(toPaymentQuery(input, shop.clock.now))
    return { key: input.key, gatewayId: payment?.gatewayId ?? '', startedAt: shop.clock.now }
  }
  const buildRequest = (payment: PaymentAttempt, amount: bigint): RefundRequest => ({
    refundKey: toPaymentKey(randomUUID()),
    payment,
    amount,
    currency: money.currency,
    reason: 'refund of CONTRACT-17',
  })
  const readProblem = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (error instanceof PaymentProblem && error.isFinal ? 'refused' : String(error)),
    )
  const sumOf = async (payment: PaymentAttempt, names: string[]) => {
    const { refunds, total } = await getDriver().readRefunds(payment, names)
    return total ?? refunds.reduce((sum, { amount }) => sum + amount, 0n)
  }

  it('refunds once for each key, and refuses a key with another amount', async () => {
    const payment = await pay()
    const first = buildRequest(payment, 1000n)
    const second = buildRequest(payment, 2000n)
    const results = [await getDriver().refund(first), await getDriver().refund(second), await getDriver().refund(first)]
    expect(results.map(({ status }) => status)).toEqual(['done', 'done', 'done'])
    expect(results[2]?.reference).toBe(results[0]?.reference)
    expect(await readProblem(getDriver().refund({ ...first, amount: 1500n }))).toBe('refused')
    expect(await sumOf(payment, [first.refundKey, second.refundKey])).toBe(3000n)
  })

  it('finds exactly the refund of a key among several', async () => {
    const payment = await pay()
    const sent = buildRequest(payment, 1000n)
    const notSent = buildRequest(payment, 1000n)
    await getDriver().refund(sent)
    await getDriver().refund(buildRequest(payment, 9000n))
    // Also after all money was sent back, a refund that was never sent is not found.
    expect(await getDriver().queryRefund(notSent)).toBeNull()
    const { reference } = await getDriver().refund(sent)
    if (gateway !== 'globalAlipay') expect(await getDriver().queryRefund(sent)).toEqual({ status: 'done', reference })
  })

  it('refuses more than what is left', async () => {
    const payment = await pay()
    await getDriver().refund(buildRequest(payment, 6000n))
    expect(await readProblem(getDriver().refund(buildRequest(payment, 4001n)))).toBe('refused')
    expect(await readProblem(getDriver().refund(buildRequest(payment, 4000n)))).toBe('done')
    expect(await sumOf(payment, [])).toBe(10_000n)
  })

  it('reads a notice about a refund that was made at the gateway, and the refund itself', async () => {
    const payment = await pay()
    await shop.waitForCalls(1)
    const before = shop.receivedCalls.length
    expect(shop.sandbox.staff.refund(payment.gatewayId, 10_001)).toBe(false)
    expect(shop.sandbox.staff.refund(payment.gatewayId, 2500)).toBe(true)
    await shop.waitForCalls(before + 1)
    const notices = await Promise.all(
      shop.receivedCalls.map(({ raw, headers }) => getDriver().readNotice(raw, headers)),
    )
    const notice = notices.find((one) => one?.kind === 'refund')
    expect(notice?.gatewayId).toBe(payment.gatewayId)
    const { refunds, total } = await getDriver().readRefunds(payment, notice?.refundNames ?? [])
    if (gateway === 'globalAlipay') expect({ refunds, total }).toEqual({ refunds: [], total: 2500n })
    else expect(refunds).toMatchObject([{ amount: 2500n, status: 'done' }])
  })
})

describe('notices of Alipay about refunds', () => {
  async function refundByHand(form: 'unnamed' | 'hidden') {
    const input = buildBeginning(shop, { money: { amount: 10_000n, currency: 'RMB' }, token: null })
    const start = await shop.drivers.alipay.start(input)
    if (start.kind === 'redirect') await openGatewayPage((await openGatewayPage(start.url)).url, { answer: 'pay' })
    const payment = await shop.drivers.alipay.query(toPaymentQuery(input, shop.clock.now))
    await shop.waitForCalls(1)
    const before = shop.receivedCalls.length
    expect(shop.sandbox.staff.refund(payment?.gatewayId ?? '', 2500, form)).toBe(true)
    await shop.waitForCalls(before + 1)
    const [call] = shop.receivedCalls.slice(before)
    const notice = call && (await shop.drivers.alipay.readNotice(call.raw, call.headers))
    const read = () =>
      shop.drivers.alipay.readRefunds(
        toPaymentQuery(input, shop.clock.now, payment?.gatewayId),
        notice?.refundNames ?? [],
        notice?.refundSum,
      )
    return { notice, read }
  }

  it('without a name have the sum of all refunds', async () => {
    const { notice, read } = await refundByHand('unnamed')
    expect(notice).toMatchObject({ kind: 'refund', refundNames: [], refundSum: 2500n })
    expect(await read()).toEqual({ refunds: [], total: 2500n })
  })

  it('with a name that Alipay does not find yet must be repeated', async () => {
    const { notice, read } = await refundByHand('hidden')
    expect(notice).toMatchObject({ kind: 'refund', refundSum: null })
    await expect(read()).rejects.toMatchObject({ isFinal: false })
    shop.sandbox.staff.showRefunds()
    expect(await read()).toMatchObject({ refunds: [{ amount: 2500n, status: 'done' }], total: null })
  })
})

describe('disputes at Stripe', () => {
  it('are inquiries until the bank makes them disputes', async () => {
    const input = buildBeginning(shop)
    await shop.drivers.stripe.start(input)
    const payment = await shop.drivers.stripe.query(toPaymentQuery(input, shop.clock.now))
    const attempt = toPaymentQuery(input, shop.clock.now, payment?.gatewayId)
    const id = shop.sandbox.staff.openInquiry(payment?.gatewayId ?? '') ?? ''
    expect(await shop.drivers.stripe.readDisputes(attempt)).toMatchObject([{ isInquiry: true, state: 'open' }])
    shop.sandbox.staff.escalate(id)
    expect(await shop.drivers.stripe.readDisputes(attempt)).toMatchObject([
      { isInquiry: false, state: 'open', currency: 'HKD' },
    ])
  })

  it('are read with their state and the time until which to respond, and block refunds', async () => {
    const input = buildBeginning(shop)
    await shop.drivers.stripe.start(input)
    const payment = await shop.drivers.stripe.query(toPaymentQuery(input, shop.clock.now))
    const attempt = toPaymentQuery(input, shop.clock.now, payment?.gatewayId)
    const id = shop.sandbox.staff.openDispute(payment?.gatewayId ?? '') ?? ''
    const [dispute] = await shop.drivers.stripe.readDisputes(attempt)
    expect(dispute).toMatchObject({ reference: id, amount: 12_345n, state: 'open', reason: 'fraudulent' })
    expect(dispute?.respondBy).toBeGreaterThan(shop.clock.now)
    const request = { refundKey: 'k', payment: attempt, amount: 1n, currency: 'HKD', reason: '' }
    await expect(shop.drivers.stripe.refund(request)).rejects.toThrow('charge_disputed')
    shop.sandbox.staff.endDispute(id, 'lost')
    expect(await shop.drivers.stripe.readDisputes(attempt)).toMatchObject([{ state: 'lost' }])
  })
})
