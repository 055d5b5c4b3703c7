import { describe, expect, it } from 'vitest'
import { createHmac } from 'node:crypto'
import { differenceOf, type Begun } from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'
import { stripePayment } from '#server/drivers/payment/stripe.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { byDay } from '#tests/support/runner/nightly.ts'
import { askedFor, beginning, shopForAll } from '#tests/support/orders/shop.ts'

const shop = shopForAll()

const taken = () => shop.sandbox.balances().stripe.hkd ?? 0
const urlOf = (begun: Begun) => (begun.kind === 'redirect' ? begun.url : '')
const returned = (url: string) => shop.drivers.stripe.readReturn(new URL(url).searchParams)

describe('a card that the browser has a token for', () => {
  it.each(['pm_card_visa', 'tok_visa'])('%s is charged at once, for the amount and in the currency', async (token) => {
    const before = taken()
    const wanted = beginning(shop, { token })
    const begun = await shop.drivers.stripe.begin(wanted)
    expect(begun).toMatchObject({ kind: 'taken', payment: { key: wanted.key, status: 'paid' } })
    if (begun.kind === 'taken') expect(differenceOf(begun.payment, { ...wanted.money, key: wanted.key })).toBeNull()
    expect(taken() - before).toBe(12_345)
  })

  it('is charged in RMB as cny, and read as RMB again (D24)', async () => {
    const wanted = beginning(shop, { money: { amount: 400n, currency: 'RMB' } })
    const begun = await shop.drivers.stripe.begin(wanted)
    expect(begun).toMatchObject({ payment: { currency: 'RMB', amount: 400n } })
    expect(shop.sandbox.balances().stripe.cny).toBe(400)
  })

  it.each([
    ['pm_card_visa_chargeDeclined', 'generic_decline'],
    ['tok_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['tok_that_nobody_gave', 'resource_missing'],
    ['pi_fake', 'resource_missing'],
    ['pi_/../customers', 'resource_missing'],
  ])('%s is declined as the specification says: %s', async (token, reason) => {
    const before = taken()
    const begun = await shop.drivers.stripe.begin(beginning(shop, { token }))
    expect(begun).toEqual({ kind: 'declined', code: 'CARD_INVALID', reason })
    expect(taken()).toBe(before)
  })

  it('is asked about by its bank, and paid when the payer comes back', async () => {
    const wanted = beginning(shop, { token: 'pm_card_authenticationRequired' })
    const begun = await shop.drivers.stripe.begin(wanted)
    expect(begun.kind).toBe('redirect')
    const page = await visit(urlOf(begun))
    expect(page.text).toContain('Your bank asks')
    const before = taken()
    const { url } = await visit(urlOf(begun), { answer: 'yes' })
    expect(url.startsWith(`${wanted.returnUrl}?payment_intent=pi_`)).toBe(true)
    const notice = await returned(url)
    expect(await shop.drivers.stripe.query({ ...askedFor(wanted, shop.clock.now), ...notice })).toMatchObject({
      status: 'paid',
      key: wanted.key,
    })
    // A return that is opened again says the same and takes nothing.
    expect(await returned(url)).toEqual(notice)
    await visit(urlOf(begun), { answer: 'yes' })
    expect(taken() - before).toBe(12_345)
  })

  it.each([
    ['pm_card_authenticationRequired', 'no'],
    ['pm_card_threeDSecureRequiredChargeDeclined', 'yes'],
  ])('%s pays nothing when the bank hears "%s" and declines', async (token, answer) => {
    const before = taken()
    const wanted = beginning(shop, { token })
    const begun = await shop.drivers.stripe.begin(wanted)
    const { url } = await visit(urlOf(begun), { answer })
    expect(new URL(url).searchParams.get('redirect_status')).toBe('failed')
    const notice = await returned(url)
    const known = await shop.drivers.stripe.query({ ...askedFor(wanted, shop.clock.now), ...notice })
    expect(known?.status).toBe('failed')
    expect(taken()).toBe(before)
  })

  it.each([
    ['another order', { order: 'CONTRACT-1' }],
    ['another attempt at the same order', {}],
  ])('is no token of ours when it names an intent of %s', async (_, fields) => {
    const wanted = beginning(shop, fields)
    const other = await shop.drivers.stripe.begin(wanted)
    const token = other.kind === 'taken' ? other.payment.gatewayId : ''
    const declined = { kind: 'declined', code: 'CARD_INVALID', reason: 'resource_missing' }
    expect(await shop.drivers.stripe.begin(beginning(shop, { token }))).toEqual(declined)
    expect(await shop.drivers.stripe.begin({ ...wanted, token })).toEqual(other)
  })
})

describe('a card that is asked for on the gateway’s own page', () => {
  it('is paid there, after one that was declined', async () => {
    const before = taken()
    const wanted = beginning(shop, { token: null, language: 'zh' })
    const begun = await shop.drivers.stripe.begin(wanted)
    const page = await visit(urlOf(begun))
    expect(page.text).toContain('选择一张测试卡')
    expect(page.text).toContain('HKD 123.45')
    expect(page.text).toContain('Contract &lt;C0017&gt; &amp; more 合同')
    const again = await visit(urlOf(begun), { card: '4000 0000 0000 9995' })
    expect(again.text).toContain('role="alert"')
    const { url } = await visit(urlOf(begun), { card: '4242 4242 4242 4242' })
    expect(url).toMatch(/\/saas\/app\/contract\/17\?session_id=cs_test_\w+$/)
    const notice = await returned(url)
    const known = await shop.drivers.stripe.query({ ...askedFor(wanted, shop.clock.now), ...notice })
    expect(known).toMatchObject({ status: 'paid', amount: 12_345n, currency: 'HKD', key: wanted.key })
    // A second click, and the page opened again, lead on and take nothing.
    expect((await visit(urlOf(begun), { card: '4242 4242 4242 4242' })).url).toBe(url)
    expect((await visit(urlOf(begun))).url).toBe(url)
    expect(taken() - before).toBe(12_345)
  })

  it('may be asked about by its bank there too', async () => {
    const wanted = beginning(shop, { token: null })
    const begun = await shop.drivers.stripe.begin(wanted)
    const bank = await visit(urlOf(begun), { card: '4000 0025 0000 3155' })
    expect(bank.url).toContain('/pay/bank/')
    const refused = await visit(bank.url, { answer: 'no' })
    expect(refused.url).toContain('/pay/card/')
    const second = await visit(urlOf(begun), { card: '4000 0025 0000 3155' })
    const { url } = await visit(second.url, { answer: 'yes' })
    expect(await returned(url)).toMatchObject({ key: wanted.key })
  })

  it('leads back without a word when the payer turns round, and can be closed', async () => {
    const wanted = beginning(shop, { token: null })
    const begun = await shop.drivers.stripe.begin(wanted)
    expect((await visit(urlOf(begun))).text).toContain(`href="${wanted.cancelUrl}"`)
    expect(await returned(wanted.cancelUrl)).toBeNull()
    const gatewayId = begun.kind === 'redirect' ? begun.gatewayId : null
    expect(await shop.drivers.stripe.close(askedFor(wanted, shop.clock.now, gatewayId))).toMatchObject({
      status: 'closed',
    })
    expect((await visit(urlOf(begun))).text).toContain('was cancelled')
    expect((await visit(urlOf(begun), { card: '4242 4242 4242 4242' })).status).toBe(404)
  })

  it('once closed is paid no more by whoever is still at the bank', async () => {
    const before = taken()
    const wanted = beginning(shop, { token: null })
    const begun = await shop.drivers.stripe.begin(wanted)
    const bank = await visit(urlOf(begun), { card: '4000 0025 0000 3155' })
    expect(await shop.drivers.stripe.close(askedFor(wanted, shop.clock.now))).toMatchObject({ status: 'closed' })
    expect((await visit(bank.url, { answer: 'yes' })).status).toBe(404)
    expect((await visit(urlOf(begun), { card: '4242 4242 4242 4242' })).status).toBe(404)
    expect(taken()).toBe(before)
  })
})

describe('money is taken once and never lost (R-27)', () => {
  it.each(byDay(['pm_card_visa', null], 1))(
    'an answer that was lost is answered again under the same key (token %s)',
    async (token) => {
      const before = taken()
      const wanted = beginning(shop, { token })
      // The library tries again by itself; after that the caller does.
      shop.sandbox.moods.loseAnswers = 4
      await expect(shop.drivers.stripe.begin(wanted)).rejects.toMatchObject({ name: 'PaymentProblem', final: false })
      const [first, second] = [await shop.drivers.stripe.begin(wanted), await shop.drivers.stripe.begin(wanted)]
      expect(second).toEqual(first)
      if (token === null) await visit(urlOf(first), { card: '4242424242424242' })
      expect(taken() - before).toBe(12_345)
    },
  )

  it('two clicks at once are one charge', async () => {
    const before = taken()
    const wanted = beginning(shop)
    const both = await Promise.all([shop.drivers.stripe.begin(wanted), shop.drivers.stripe.begin(wanted)])
    expect(both[0]).toEqual(both[1])
    expect(taken() - before).toBe(12_345)
  })

  it('the same key with another amount is refused', async () => {
    const wanted = beginning(shop)
    await shop.drivers.stripe.begin(wanted)
    const more = { ...wanted, money: { ...wanted.money, amount: 1n } }
    await expect(shop.drivers.stripe.begin(more)).rejects.toBeInstanceOf(PaymentProblem)
  })

  it('is found by our key alone when the process died before it heard an id', async () => {
    const wanted = beginning(shop)
    const asked = askedFor(wanted, shop.clock.now)
    expect(await shop.drivers.stripe.query(asked)).toBeNull()
    await shop.drivers.stripe.begin(wanted)
    expect(await shop.drivers.stripe.query(asked)).toMatchObject({ status: 'paid', key: wanted.key })
    const page = beginning(shop, { token: null })
    await shop.drivers.stripe.begin(page)
    expect(await shop.drivers.stripe.query(askedFor(page, shop.clock.now))).toMatchObject({ status: 'open' })
  })

  it('what was paid cannot be closed, and says so', async () => {
    const wanted = beginning(shop)
    await shop.drivers.stripe.begin(wanted)
    expect(await shop.drivers.stripe.close(askedFor(wanted, shop.clock.now))).toMatchObject({ status: 'paid' })
    const waiting = beginning(shop, { token: 'pm_card_authenticationRequired' })
    const begun = await shop.drivers.stripe.begin(waiting)
    expect(await shop.drivers.stripe.close(askedFor(waiting, shop.clock.now))).toMatchObject({ status: 'closed' })
    expect((await visit(urlOf(begun), { answer: 'yes' })).status).toBe(404)
  })

  it('trouble at the gateway is no refusal, and names no key', async () => {
    shop.sandbox.moods.fail = 1
    const problem: unknown = await shop.drivers.stripe.begin(beginning(shop)).catch((error: unknown) => error)
    expect(problem).toMatchObject({ name: 'PaymentProblem', final: false, message: expect.stringContaining('500') })
    const { stripe } = shop.sandbox.gateways
    const stranger = stripePayment({ ...stripe!, secretKey: `sk_test_${'0'.repeat(20)}` }, Date.now)
    const unknown: unknown = await stranger.begin(beginning(shop)).catch((error: unknown) => error)
    expect(unknown).toMatchObject({ final: false, message: expect.stringContaining('401') })
    expect(JSON.stringify([problem, unknown, String(unknown)])).not.toMatch(/sk_test|pm_card/)
  })
})

describe('what Stripe calls us with (S-95)', () => {
  const signed = (body: string, at: number, secret: string) => {
    const time = Math.floor(at / 1000)
    const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    return { 'stripe-signature': `t=${time},v1=${digest}` }
  }
  async function call() {
    const wanted = beginning(shop)
    const begun = await shop.drivers.stripe.begin(wanted)
    await shop.hears(1)
    const heard = shop.heard.at(-1)!
    return { wanted, begun, ...heard, body: heard.raw.toString() }
  }
  const reasonOf = (raw: string, headers: Record<string, string | string[] | undefined>) =>
    shop.drivers.stripe.readNotice(Buffer.from(raw), headers).then(
      () => 'taken',
      (error: unknown) => (error instanceof NoticeProblem ? error.reason : String(error)),
    )

  it('names the payment it is about, the same each time it is repeated', async () => {
    const { wanted, begun, raw, headers, path } = await call()
    expect(path).toBe('/public/payment/stripe')
    const notice = await shop.drivers.stripe.readNotice(raw, headers)
    expect(notice).toMatchObject({ key: wanted.key, id: expect.stringMatching(/^evt_/) })
    expect(begun).toMatchObject({ payment: { gatewayId: notice?.gatewayId } })
    await shop.sandbox.calls.send(notice!.id)
    const repeated = shop.heard.at(-1)!
    expect(await shop.drivers.stripe.readNotice(repeated.raw, repeated.headers)).toEqual(notice)
  })

  it('is refused when forged, changed, unsigned, stale or from the other mode', async () => {
    const { body, headers } = await call()
    const secret = shop.sandbox.keys.stripe.webhookSecret
    const { now } = shop.clock
    expect(await reasonOf(body.replace('12345', '12344'), headers)).toBe('signature')
    expect(await reasonOf(body, {})).toBe('signature')
    expect(await reasonOf(body, signed(body, now, `whsec_${'a'.repeat(24)}`))).toBe('signature')
    expect(await reasonOf(body, signed(body, now - 301_000, secret))).toBe('stale')
    expect(await reasonOf(body, signed(body, now - 299_000, secret))).toBe('taken')
    expect(await reasonOf('{"half', signed('{"half', now, secret))).toBe('form')
    const live = body.replace('"livemode":false', '"livemode":true')
    expect(await reasonOf(live, signed(live, now, secret))).toBe('mode')
  })

  it('is taken with either of two secrets while one replaces the other', async () => {
    const { raw, headers } = await call()
    const { stripe } = shop.sandbox.gateways
    const webhookSecrets = [`whsec_${'b'.repeat(24)}`, ...stripe!.webhookSecrets]
    const driver = stripePayment({ ...stripe!, webhookSecrets }, () => shop.clock.now)
    expect(await driver.readNotice(raw, headers)).not.toBeNull()
  })

  it('says nothing to us about other things', async () => {
    const body = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'customer.created',
      livemode: false,
      data: { object: {} },
    })
    const headers = signed(body, shop.clock.now, shop.sandbox.keys.stripe.webhookSecret)
    expect(await shop.drivers.stripe.readNotice(Buffer.from(body), headers)).toBeNull()
  })

  it('in any order leads to the same: the state is asked for, not believed', async () => {
    shop.sandbox.calls.hold()
    const wanted = beginning(shop, { token: 'pm_card_authenticationRequired' })
    const begun = await shop.drivers.stripe.begin(wanted)
    await visit(urlOf(begun), { answer: 'yes' })
    const waiting = shop.sandbox.calls.list().filter(({ nextAt }) => nextAt !== null)
    expect(waiting.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'payment_intent.requires_action',
      'payment_intent.succeeded',
    ])
    for (const { id } of waiting.toReversed()) await shop.sandbox.calls.send(id)
    const states = await Promise.all(
      shop.heard.map(async ({ raw, headers }) => {
        const notice = await shop.drivers.stripe.readNotice(raw, headers)
        return (await shop.drivers.stripe.query({ ...askedFor(wanted, shop.clock.now), ...notice }))?.status
      }),
    )
    expect(states).toEqual(['paid', 'paid'])
  })

  it('cannot be made from an intent’s id alone by whoever comes back', async () => {
    const { begun, wanted } = await call()
    const id = begun.kind === 'taken' ? begun.payment.gatewayId : ''
    const back = (secret: string) => `${wanted.returnUrl}?payment_intent=${id}&payment_intent_client_secret=${secret}`
    await expect(returned(back('guessed'))).rejects.toMatchObject({ reason: 'signature' })
    await expect(returned(`${wanted.returnUrl}?payment_intent=${id}`)).rejects.toMatchObject({ reason: 'signature' })
    expect(await returned(wanted.returnUrl)).toBeNull()
  })
})

it('a payment of another amount, currency or key is not the one that was due', async () => {
  const wanted = beginning(shop)
  const begun = await shop.drivers.stripe.begin(wanted)
  if (begun.kind !== 'taken') throw new Error('not taken')
  const due = { ...wanted.money, key: wanted.key }
  expect(differenceOf(begun.payment, { ...due, amount: 12_346n })).toBe('amount')
  expect(differenceOf(begun.payment, { ...due, currency: 'USD' })).toBe('currency')
  expect(differenceOf(begun.payment, { ...due, key: 'other' })).toBe('key')
})
