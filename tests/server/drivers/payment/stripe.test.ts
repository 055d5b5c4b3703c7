import { describe, expect, it } from 'vitest'
import { createHmac } from 'node:crypto'
import { findPaymentDifference, type PaymentStartResult } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import { createStripeDriver } from '#server/drivers/payment/stripe.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { toPaymentQuery, buildBeginning, setUpSharedShop } from '#tests/support/orders/shop.ts'

const shop = setUpSharedShop()

const readBalance = () => shop.sandbox.getBalances().stripe.hkd ?? 0
const getRedirectUrl = (startResult: PaymentStartResult) => (startResult.kind === 'redirect' ? startResult.url : '')
const readReturn = (url: string) => shop.drivers.stripe.readReturn(new URL(url).searchParams)

describe('a Stripe payment with a card token', () => {
  it.each(['pm_card_visa', 'tok_visa'])(
    'charges %s immediately, in the requested amount and currency',
    async (token) => {
      const balanceBefore = readBalance()
      const input = buildBeginning(shop, { token })
      const startResult = await shop.drivers.stripe.start(input)
      expect(startResult).toMatchObject({ kind: 'taken', payment: { key: input.key, status: 'paid' } })
      if (startResult.kind === 'taken')
        expect(findPaymentDifference(startResult.payment, { ...input.money, key: input.key })).toBeNull()
      expect(readBalance() - balanceBefore).toBe(12_345)
    },
  )

  it('is charged in RMB as cny, and read as RMB again (D24)', async () => {
    const input = buildBeginning(shop, { money: { amount: 400n, currency: 'RMB' } })
    const startResult = await shop.drivers.stripe.start(input)
    expect(startResult).toMatchObject({ payment: { currency: 'RMB', amount: 400n } })
    expect(shop.sandbox.getBalances().stripe.cny).toBe(400)
  })

  it.each([
    ['pm_card_visa_chargeDeclined', 'generic_decline'],
    ['tok_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['tok_that_nobody_gave', 'resource_missing'],
    ['pi_fake', 'resource_missing'],
    ['pi_/../customers', 'resource_missing'],
  ])('is declined for the token %s with the specified reason: %s', async (token, reason) => {
    const balanceBefore = readBalance()
    const startResult = await shop.drivers.stripe.start(buildBeginning(shop, { token }))
    expect(startResult).toEqual({ kind: 'declined', code: 'CARD_INVALID', reason })
    expect(readBalance()).toBe(balanceBefore)
  })

  it('redirects to the bank, and is paid when the payer returns', async () => {
    const input = buildBeginning(shop, { token: 'pm_card_authenticationRequired' })
    const startResult = await shop.drivers.stripe.start(input)
    expect(startResult.kind).toBe('redirect')
    const page = await openGatewayPage(getRedirectUrl(startResult))
    expect(page.text).toContain('Confirmation by your bank')
    const balanceBefore = readBalance()
    const { url } = await openGatewayPage(getRedirectUrl(startResult), { answer: 'yes' })
    expect(url.startsWith(`${input.returnUrl}?payment_intent=pi_`)).toBe(true)
    const notice = await readReturn(url)
    expect(await shop.drivers.stripe.query({ ...toPaymentQuery(input, shop.clock.now), ...notice })).toMatchObject({
      status: 'paid',
      key: input.key,
    })
    // Opening the return address again gives the same result and charges nothing.
    expect(await readReturn(url)).toEqual(notice)
    await openGatewayPage(getRedirectUrl(startResult), { answer: 'yes' })
    expect(readBalance() - balanceBefore).toBe(12_345)
  })

  it.each([
    ['pm_card_authenticationRequired', 'no'],
    ['pm_card_threeDSecureRequiredChargeDeclined', 'yes'],
  ])('charges nothing for the token %s if the answer at the bank is "%s"', async (token, bankAnswer) => {
    const balanceBefore = readBalance()
    const input = buildBeginning(shop, { token })
    const startResult = await shop.drivers.stripe.start(input)
    const { url } = await openGatewayPage(getRedirectUrl(startResult), { answer: bankAnswer })
    expect(new URL(url).searchParams.get('redirect_status')).toBe('failed')
    const notice = await readReturn(url)
    const payment = await shop.drivers.stripe.query({ ...toPaymentQuery(input, shop.clock.now), ...notice })
    expect(payment?.status).toBe('failed')
    expect(readBalance()).toBe(balanceBefore)
  })

  it.each([
    ['another order', { order: 'CONTRACT-1' }],
    ['another attempt at the same order', {}],
  ])('rejects the payment intent of %s as a token', async (_, fields) => {
    const input = buildBeginning(shop, fields)
    const declinedStart = await shop.drivers.stripe.start(input)
    const token = declinedStart.kind === 'taken' ? declinedStart.payment.gatewayId : ''
    const declinedResult = { kind: 'declined', code: 'CARD_INVALID', reason: 'resource_missing' }
    expect(await shop.drivers.stripe.start(buildBeginning(shop, { token }))).toEqual(declinedResult)
    expect(await shop.drivers.stripe.start({ ...input, token })).toEqual(declinedStart)
  })
})

describe('a Stripe payment without a card token', () => {
  it("is paid on the gateway's page after a declined card", async () => {
    const balanceBefore = readBalance()
    const input = buildBeginning(shop, { token: null, language: 'zh' })
    const startResult = await shop.drivers.stripe.start(input)
    const page = await openGatewayPage(getRedirectUrl(startResult))
    expect(page.text).toContain('选择一张测试卡')
    expect(page.text).toContain('HKD 123.45')
    expect(page.text).toContain('Contract &lt;C0017&gt; &amp; more 合同')
    const declinedPage = await openGatewayPage(getRedirectUrl(startResult), { card: '4000 0000 0000 9995' })
    expect(declinedPage.text).toContain('role="alert"')
    const { url } = await openGatewayPage(getRedirectUrl(startResult), { card: '4242 4242 4242 4242' })
    expect(url).toMatch(/\/saas\/app\/contract\/17\?session_id=cs_test_\w+$/)
    const notice = await readReturn(url)
    const payment = await shop.drivers.stripe.query({ ...toPaymentQuery(input, shop.clock.now), ...notice })
    expect(payment).toMatchObject({ status: 'paid', amount: 12_345n, currency: 'HKD', key: input.key })
    // A second click and opening the page again lead to the return address and charge nothing.
    expect((await openGatewayPage(getRedirectUrl(startResult), { card: '4242 4242 4242 4242' })).url).toBe(url)
    expect((await openGatewayPage(getRedirectUrl(startResult))).url).toBe(url)
    expect(readBalance() - balanceBefore).toBe(12_345)
  })

  it('is paid once the bank confirms it, also after a refused confirmation', async () => {
    const input = buildBeginning(shop, { token: null })
    const startResult = await shop.drivers.stripe.start(input)
    const bankPage = await openGatewayPage(getRedirectUrl(startResult), { card: '4000 0025 0000 3155' })
    expect(bankPage.url).toContain('/pay/bank/')
    const refusedPage = await openGatewayPage(bankPage.url, { answer: 'no' })
    expect(refusedPage.url).toContain('/pay/card/')
    const secondPage = await openGatewayPage(getRedirectUrl(startResult), { card: '4000 0025 0000 3155' })
    const { url } = await openGatewayPage(secondPage.url, { answer: 'yes' })
    expect(await readReturn(url)).toMatchObject({ key: input.key })
  })

  it('leads the payer back on cancellation, and can be closed', async () => {
    const input = buildBeginning(shop, { token: null })
    const startResult = await shop.drivers.stripe.start(input)
    expect((await openGatewayPage(getRedirectUrl(startResult))).text).toContain(`href="${input.cancelUrl}"`)
    expect(await readReturn(input.cancelUrl)).toBeNull()
    const gatewayId = startResult.kind === 'redirect' ? startResult.gatewayId : null
    expect(await shop.drivers.stripe.close(toPaymentQuery(input, shop.clock.now, gatewayId))).toMatchObject({
      status: 'closed',
    })
    expect((await openGatewayPage(getRedirectUrl(startResult))).text).toContain('was cancelled')
    expect((await openGatewayPage(getRedirectUrl(startResult), { card: '4242 4242 4242 4242' })).status).toBe(404)
  })

  it('cannot be paid after it was closed, even by a payer at the bank', async () => {
    const balanceBefore = readBalance()
    const input = buildBeginning(shop, { token: null })
    const startResult = await shop.drivers.stripe.start(input)
    const bankPage = await openGatewayPage(getRedirectUrl(startResult), { card: '4000 0025 0000 3155' })
    expect(await shop.drivers.stripe.close(toPaymentQuery(input, shop.clock.now))).toMatchObject({ status: 'closed' })
    expect((await openGatewayPage(bankPage.url, { answer: 'yes' })).status).toBe(404)
    expect((await openGatewayPage(getRedirectUrl(startResult), { card: '4242 4242 4242 4242' })).status).toBe(404)
    expect(readBalance()).toBe(balanceBefore)
  })
})

describe('the Stripe driver (R-27)', () => {
  it.each(limitByDay(['pm_card_visa', null], 1))(
    'returns the result again under the same key after a lost response (token %s)',
    async (token) => {
      const balanceBefore = readBalance()
      const input = buildBeginning(shop, { token })
      // The library retries by itself first, and then the caller retries.
      shop.sandbox.faults.loseAnswers = 4
      await expect(shop.drivers.stripe.start(input)).rejects.toMatchObject({ name: 'PaymentProblem', isFinal: false })
      const [firstStart, secondStart] = [await shop.drivers.stripe.start(input), await shop.drivers.stripe.start(input)]
      expect(secondStart).toEqual(firstStart)
      if (token === null) await openGatewayPage(getRedirectUrl(firstStart), { card: '4242424242424242' })
      expect(readBalance() - balanceBefore).toBe(12_345)
    },
  )

  it('charges once for two concurrent calls', async () => {
    const balanceBefore = readBalance()
    const input = buildBeginning(shop)
    const starts = await Promise.all([shop.drivers.stripe.start(input), shop.drivers.stripe.start(input)])
    expect(starts[0]).toEqual(starts[1])
    expect(readBalance() - balanceBefore).toBe(12_345)
  })

  it('rejects the same key with another amount', async () => {
    const input = buildBeginning(shop)
    await shop.drivers.stripe.start(input)
    const changedInput = { ...input, money: { ...input.money, amount: 1n } }
    await expect(shop.drivers.stripe.start(changedInput)).rejects.toBeInstanceOf(PaymentProblem)
  })

  it('finds a payment by its key alone after a crash', async () => {
    const input = buildBeginning(shop)
    const query = toPaymentQuery(input, shop.clock.now)
    expect(await shop.drivers.stripe.query(query)).toBeNull()
    await shop.drivers.stripe.start(input)
    expect(await shop.drivers.stripe.query(query)).toMatchObject({ status: 'paid', key: input.key })
    const page = buildBeginning(shop, { token: null })
    await shop.drivers.stripe.start(page)
    expect(await shop.drivers.stripe.query(toPaymentQuery(page, shop.clock.now))).toMatchObject({ status: 'open' })
  })

  it('returns a paid payment instead of closing it, and closes an unpaid payment', async () => {
    const input = buildBeginning(shop)
    await shop.drivers.stripe.start(input)
    expect(await shop.drivers.stripe.close(toPaymentQuery(input, shop.clock.now))).toMatchObject({ status: 'paid' })
    const waitingInput = buildBeginning(shop, { token: 'pm_card_authenticationRequired' })
    const startResult = await shop.drivers.stripe.start(waitingInput)
    expect(await shop.drivers.stripe.close(toPaymentQuery(waitingInput, shop.clock.now))).toMatchObject({
      status: 'closed',
    })
    expect((await openGatewayPage(getRedirectUrl(startResult), { answer: 'yes' })).status).toBe(404)
  })

  it('reports a gateway failure as a problem that is not final, without any key', async () => {
    shop.sandbox.faults.fail = 1
    const problem: unknown = await shop.drivers.stripe.start(buildBeginning(shop)).catch((error: unknown) => error)
    expect(problem).toMatchObject({ name: 'PaymentProblem', isFinal: false, message: expect.stringContaining('500') })
    const { stripe } = shop.sandbox.gateways
    const otherDriver = createStripeDriver({ ...stripe!, secretKey: `sk_test_${'0'.repeat(20)}` }, Date.now)
    const otherProblem: unknown = await otherDriver.start(buildBeginning(shop)).catch((error: unknown) => error)
    expect(otherProblem).toMatchObject({ isFinal: false, message: expect.stringContaining('401') })
    expect(JSON.stringify([problem, otherProblem, String(otherProblem)])).not.toMatch(/sk_test|pm_card/)
  })
})

describe('a webhook call of Stripe (S-95)', () => {
  const createSignatureHeader = (body: string, signedAt: number, secret: string) => {
    const time = Math.floor(signedAt / 1000)
    const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    return { 'stripe-signature': `t=${time},v1=${digest}` }
  }
  async function receiveCall() {
    const input = buildBeginning(shop)
    const startResult = await shop.drivers.stripe.start(input)
    await shop.waitForCalls(1)
    const receivedCall = shop.receivedCalls.at(-1)!
    return { input, startResult, ...receivedCall, body: receivedCall.raw.toString() }
  }
  const readReason = (raw: string, headers: Record<string, string | string[] | undefined>) =>
    shop.drivers.stripe.readNotice(Buffer.from(raw), headers).then(
      () => 'taken',
      (error: unknown) => (error instanceof NoticeProblem ? error.reason : String(error)),
    )

  it('identifies its payment, in the same way in each repetition', async () => {
    const { input, startResult, raw, headers, path } = await receiveCall()
    expect(path).toBe('/public/payment/stripe')
    const notice = await shop.drivers.stripe.readNotice(raw, headers)
    expect(notice).toMatchObject({ key: input.key, id: expect.stringMatching(/^evt_/) })
    expect(startResult).toMatchObject({ payment: { gatewayId: notice?.gatewayId } })
    await shop.sandbox.webhooks.send(notice!.id)
    const repeatedCall = shop.receivedCalls.at(-1)!
    expect(await shop.drivers.stripe.readNotice(repeatedCall.raw, repeatedCall.headers)).toEqual(notice)
  })

  it('is rejected if it is forged, changed, unsigned, stale or from the other mode', async () => {
    const { body, headers } = await receiveCall()
    const secret = shop.sandbox.keys.stripe.webhookSecret
    const { now } = shop.clock
    expect(await readReason(body.replace('12345', '12344'), headers)).toBe('signature')
    expect(await readReason(body, {})).toBe('signature')
    expect(await readReason(body, createSignatureHeader(body, now, `whsec_${'a'.repeat(24)}`))).toBe('signature')
    expect(await readReason(body, createSignatureHeader(body, now - 301_000, secret))).toBe('stale')
    expect(await readReason(body, createSignatureHeader(body, now - 299_000, secret))).toBe('taken')
    expect(await readReason('{"half', createSignatureHeader('{"half', now, secret))).toBe('form')
    const liveBody = body.replace('"livemode":false', '"livemode":true')
    expect(await readReason(liveBody, createSignatureHeader(liveBody, now, secret))).toBe('mode')
  })

  it('is accepted with either of two secrets during a key change', async () => {
    const { raw, headers } = await receiveCall()
    const { stripe } = shop.sandbox.gateways
    const webhookSecrets = [`whsec_${'b'.repeat(24)}`, ...stripe!.webhookSecrets]
    const driver = createStripeDriver({ ...stripe!, webhookSecrets }, () => shop.clock.now)
    expect(await driver.readNotice(raw, headers)).not.toBeNull()
  })

  it('is ignored if it is not about a payment', async () => {
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'customer.created',
      livemode: false,
      data: { object: {} },
    })
    const headers = createSignatureHeader(body, shop.clock.now, shop.sandbox.keys.stripe.webhookSecret)
    expect(await shop.drivers.stripe.readNotice(Buffer.from(body), headers)).toBeNull()
  })

  it('has the same result in any order, because the driver queries the state', async () => {
    shop.sandbox.webhooks.hold()
    const input = buildBeginning(shop, { token: 'pm_card_authenticationRequired' })
    const startResult = await shop.drivers.stripe.start(input)
    await openGatewayPage(getRedirectUrl(startResult), { answer: 'yes' })
    const waitingCalls = shop.sandbox.webhooks.list().filter(({ nextAt }) => nextAt !== null)
    expect(waitingCalls.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'payment_intent.requires_action',
      'payment_intent.succeeded',
    ])
    for (const { id } of waitingCalls.toReversed()) await shop.sandbox.webhooks.send(id)
    const states = await Promise.all(
      shop.receivedCalls.map(async ({ raw, headers }) => {
        const notice = await shop.drivers.stripe.readNotice(raw, headers)
        const query = toPaymentQuery(input, shop.clock.now, notice?.gatewayId)
        return (await shop.drivers.stripe.query(query))?.status
      }),
    )
    expect(states).toEqual(['paid', 'paid'])
  })

  it('A return with a wrong or missing client secret is rejected', async () => {
    const { startResult, input } = await receiveCall()
    const id = startResult.kind === 'taken' ? startResult.payment.gatewayId : ''
    const buildReturnUrl = (secret: string) =>
      `${input.returnUrl}?payment_intent=${id}&payment_intent_client_secret=${secret}`
    await expect(readReturn(buildReturnUrl('guessed'))).rejects.toMatchObject({ reason: 'signature' })
    await expect(readReturn(`${input.returnUrl}?payment_intent=${id}`)).rejects.toMatchObject({ reason: 'signature' })
    expect(await readReturn(input.returnUrl)).toBeNull()
  })
})

it('findPaymentDifference detects another amount, currency or key', async () => {
  const input = buildBeginning(shop)
  const startResult = await shop.drivers.stripe.start(input)
  if (startResult.kind !== 'taken') throw new Error('not taken')
  const expectedPayment = { ...input.money, key: input.key }
  expect(findPaymentDifference(startResult.payment, { ...expectedPayment, amount: 12_346n })).toBe('amount')
  expect(findPaymentDifference(startResult.payment, { ...expectedPayment, currency: 'USD' })).toBe('currency')
  expect(findPaymentDifference(startResult.payment, { ...expectedPayment, key: 'other' })).toBe('key')
})
