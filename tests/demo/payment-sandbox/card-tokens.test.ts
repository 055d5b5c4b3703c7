/** Tests the card fields of the payment sandbox: their frame, and the tokens that they create and the real driver charges. */
import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stripe } from 'stripe'
import { createToken, sendCard } from '#tests/support/orders/card-fields.ts'
import { buildBeginning, setUpSharedShop } from '#tests/support/orders/shop.ts'

const shop = setUpSharedShop()

const readStripeBalance = () => shop.sandbox.getBalances().stripe.hkd ?? 0
const readJournal = () => readFileSync(join(shop.dataDir, 'payment-sandbox', 'journal.jsonl'), 'utf8')

describe('POST /v1/tokens of the payment sandbox', () => {
  it('creates a token that is charged once and declined for a second payment (fault 36M81a)', async () => {
    const balanceBefore = readStripeBalance()
    const token = await createToken(shop.sandbox)
    expect(token).toMatch(/^tok_\w+$/)
    const paymentRequest = buildBeginning(shop, { token })
    expect(await shop.drivers.stripe.start(paymentRequest)).toMatchObject({
      kind: 'taken',
      payment: { status: 'paid' },
    })
    // Repeating the same payment returns the same charge.
    expect(await shop.drivers.stripe.start(paymentRequest)).toMatchObject({
      kind: 'taken',
      payment: { status: 'paid' },
    })
    expect(await shop.drivers.stripe.start(buildBeginning(shop, { token }))).toEqual({
      kind: 'declined',
      code: 'CARD_INVALID',
      reason: 'token_already_used',
    })
    expect(readStripeBalance() - balanceBefore).toBe(12_345)
  })

  it.each([
    ['4000 0000 0000 0002', { kind: 'declined', code: 'CARD_INVALID', reason: 'generic_decline' }],
    ['4000-0000-0000-9995', { kind: 'declined', code: 'CARD_INVALID', reason: 'insufficient_funds' }],
    ['4000 0025 0000 3155', { kind: 'redirect', url: expect.stringContaining('/pay/bank/') }],
  ])(
    'creates a token of test card %s that leads to the outcome of this card (fault 36M81a)',
    async (number, outcome) => {
      const balanceBefore = readStripeBalance()
      const token = await createToken(shop.sandbox, number)
      expect(await shop.drivers.stripe.start(buildBeginning(shop, { token }))).toMatchObject(outcome)
      expect(readStripeBalance()).toBe(balanceBefore)
    },
  )

  it.each([
    [{ number: '4242424242424241' }, 'number', 'incorrect_number'],
    [{ number: '' }, 'number', 'incorrect_number'],
    [{ number: '4111111111111111' }, 'number', 'card_declined'],
    [{ exp_month: '13' }, 'exp_month', 'invalid_expiry_month'],
    [{ exp_month: '', exp_year: '' }, 'exp_month', 'invalid_expiry_month'],
    [{ exp_year: '2020' }, 'exp_year', 'invalid_expiry_year'],
    [{ exp_year: '2101' }, 'exp_year', 'invalid_expiry_year'],
    [{ cvc: '12' }, 'cvc', 'invalid_cvc'],
    [{ cvc: '12a' }, 'cvc', 'invalid_cvc'],
  ])("returns Stripe's error for an invalid card: %j (fault 36M81a)", async (card, param, code) => {
    const { status, body } = await sendCard(shop.sandbox, card)
    expect([status, body.error]).toMatchObject([402, { type: 'card_error', param, code }])
    expect(body.id).toBeUndefined()
  })

  it('accepts a card until the last day of its expiry month (fault 36M81a)', async () => {
    const { clock } = shop
    const timeBefore = clock.now
    try {
      const card = { exp_month: '3', exp_year: '27' }
      clock.now = Date.parse('2027-04-01T11:59:00Z')
      expect((await sendCard(shop.sandbox, card)).status).toBe(200)
      clock.now = Date.parse('2027-04-01T12:00:00Z')
      expect((await sendCard(shop.sandbox, card)).body.error).toMatchObject({ param: 'exp_year' })
    } finally {
      clock.now = timeBefore
    }
  })

  it('rejects every key but its publishable key, and stores no card code or real card number (fault 36M81a)', async () => {
    for (const key of ['', 'pk_test_other', shop.sandbox.keys.stripe.secretKey])
      expect((await sendCard(shop.sandbox, {}, key)).status).toBe(401)
    const { headers } = await sendCard(shop.sandbox, { number: '4111111111111111', cvc: '987' })
    // The frame has an opaque origin, so anybody may read the response. It contains no personal data.
    expect(headers.get('access-control-allow-origin')).toBe('*')
    await sendCard(shop.sandbox, { cvc: '986', exp_year: '2039' })
    expect(readJournal()).toContain('"tokens"')
    for (const text of ['4111111111111111', '987', '986', '2039'])
      expect(readJournal()).not.toMatch(new RegExp(`"${text}"`))
  })

  it('creates confirmation tokens that the Stripe library can charge (fault 36M81a)', async () => {
    const { stripe } = shop.sandbox.gateways
    const { hostname: host, port } = new URL(stripe!.apiUrl)
    const stripeClient = new Stripe(stripe!.secretKey, { host, port, protocol: 'http' })
    const createConfirmationToken = async (payment_method: string) =>
      (await stripeClient.testHelpers.confirmationTokens.create({ payment_method })).id
    const balanceBefore = readStripeBalance()
    const token = await createConfirmationToken('pm_card_visa')
    expect(token).toMatch(/^ctoken_/)
    const paymentRequest = buildBeginning(shop, { token })
    const [firstResult, secondResult] = await Promise.all([
      shop.drivers.stripe.start(paymentRequest),
      shop.drivers.stripe.start(paymentRequest),
    ])
    expect(firstResult).toMatchObject({ kind: 'taken', payment: { status: 'paid', key: paymentRequest.key } })
    expect(secondResult).toEqual(firstResult)
    expect(readStripeBalance() - balanceBefore).toBe(12_345)
    const redirectedRequest = buildBeginning(shop, {
      token: await createConfirmationToken('pm_card_threeDSecureRequired'),
    })
    expect(await shop.drivers.stripe.start(redirectedRequest)).toMatchObject({ kind: 'redirect' })
    const declinedRequest = buildBeginning(shop, {
      token: await createConfirmationToken('pm_card_visa_chargeDeclined'),
    })
    expect(await shop.drivers.stripe.start(declinedRequest)).toMatchObject({
      kind: 'declined',
      reason: 'generic_decline',
    })
  })
})

describe('GET /card-fields of the payment sandbox', () => {
  const openCardFrame = (query: Record<string, string>) =>
    fetch(`${shop.sandbox.cardFrame}?${new URLSearchParams({ shop: 'http://localhost:8080', nonce, ...query })}`)
  const nonce = 'a'.repeat(36)

  it('can be framed only by the portal page, and loads nothing from other hosts (fault 36M81b)', async () => {
    const { status, headers } = await openCardFrame({})
    expect(status).toBe(200)
    expect(headers.get('x-frame-options')).toBeNull()
    const own = new URL(shop.sandbox.cardFrame).origin
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'self' ${own}`,
      `style-src 'self' ${own}`,
      `connect-src 'self' ${own}`,
      "base-uri 'none'",
      "form-action 'none'",
      'sandbox allow-scripts',
      'frame-ancestors http://localhost:8080',
    ])
  })

  it('is in the requested language and marked as a test (fault 36M81b)', async () => {
    for (const [lang, ...words] of [
      ['en', '<html lang="en">', 'Card number', 'Test payment'],
      ['zh', '<html lang="zh-Hans">', '卡号', '测试付款'],
    ] as const) {
      const text = await (await openCardFrame({ lang })).text()
      for (const word of words) expect(text).toContain(word)
    }
  })

  it.each([
    { shop: 'https://evil.example' },
    { shop: 'http://localhost.evil.example' },
    { shop: 'http://localhost:8080; script-src *' },
    { shop: 'javascript:alert(1)' },
    { shop: '' },
    { nonce: '' },
    { nonce: '"><script>' },
  ])('returns 404 for an invalid query: %j (fault 36M81b)', async (query) => {
    expect((await openCardFrame(query)).status).toBe(404)
  })

  it('is the only page of the sandbox that can be framed (fault 36M81b)', async () => {
    const { apiUrl } = shop.sandbox.gateways.stripe!
    expect((await openCardFrame({})).headers.get('x-frame-options')).toBeNull()
    for (const path of ['/card-fields.js', '/card-fields.css', '/pay/card/cs_none', '/v1/tokens'])
      expect((await fetch(apiUrl + path)).headers.get('x-frame-options')).toBe('DENY')
  })
})
