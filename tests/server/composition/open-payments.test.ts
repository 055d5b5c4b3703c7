import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { openPayments } from '#server/composition/open-payments.ts'
import { openSandbox } from '#demo/payment-sandbox/server.ts'
import { paymentTypes } from '#domain/payments.ts'
import { buildLog } from '#server/context/log.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { beginning } from '#tests/support/orders/shop.ts'

describe('the ways of paying', () => {
  let dataDir: string
  let lines: string[]
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portal-ways-'))
    lines = []
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  function open(env: Record<string, string>, demo: boolean) {
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(chunk.toString())
        done()
      },
    })
    // Nobody answers there: every call of the sandbox is in vain, and is logged.
    const config = { dataDir, host: '127.0.0.1', port: 9, publicUrl: 'https://portal.example' }
    const place = { config, log: buildLog('trace', sink), clock: Date.now }
    return openPayments(readPaymentSettings(env, { demo }), place, openSandbox)
  }

  it('are none where nothing is set', async () => {
    const payments = await open({}, false)
    expect(await Promise.all(paymentTypes.map((type) => payments.driver(type)))).toEqual([null, null, null, null])
    expect([payments.stripeKey, payments.cardFrame]).toEqual([null, null])
    expect(payments.types).toEqual([])
    await payments.close()
  })

  it('are all by the sandbox in the demo, and no key of it is ever logged (S-80)', async () => {
    const payments = await open({}, true)
    const [stripe, alipay, global, simulate] = await Promise.all(paymentTypes.map((type) => payments.driver(type)))
    expect(payments.stripeKey).toBeNull()
    expect(payments.types).toEqual(paymentTypes)
    expect(await payments.driver('stripe')).toBe(stripe)
    const shop = { url: 'http://127.0.0.1:9' }
    expect(await stripe!.begin(beginning(shop))).toMatchObject({ kind: 'taken' })
    expect(await stripe!.begin(beginning(shop, { token: 'tok_chargeDeclined' }))).toMatchObject({ kind: 'declined' })
    for (const [driver, currency] of [
      [alipay, 'RMB'],
      [global, 'USD'],
    ] as const) {
      const begun = await driver!.begin(beginning(shop, { money: { amount: 1n, currency } }))
      const page = await visit(begun.kind === 'redirect' ? begun.url : '')
      await visit(page.url, { answer: 'pay' })
    }
    const wanted = beginning(shop)
    const simulated = await simulate!.begin(wanted)
    expect(simulated).toMatchObject({ payment: { status: 'paid', key: wanted.key, ...wanted.money } })
    expect(await simulate!.begin(wanted)).toEqual(simulated)
    await expect.poll(() => lines.join('')).toContain('was not acknowledged')
    await payments.close()
    expect(lines.join('')).not.toMatch(/(sk|pk)_test|whsec|PRIVATE KEY|client_secret|sign=|2088\d/)
  })

  it('fault 36M81b of the demo have card fields in a frame of another origin, and with Stripe’s keys Stripe’s alone', async () => {
    const demo = await open({}, true)
    expect(demo.cardFrame).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/card-fields$/)
    expect((await fetch(`${demo.cardFrame}?shop=http://localhost&nonce=${'a'.repeat(36)}`)).status).toBe(200)
    await demo.close()
    const mapped = await open({ PAYMENT_SANDBOX_URL: 'http://localhost:9081' }, true)
    expect(mapped.cardFrame).toBe('http://localhost:9081/card-fields')
    await mapped.close()
    const keys = {
      STRIPE_SECRET_KEY: 'sk_test_a',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_b',
      STRIPE_WEBHOOK_SECRET: 'whsec_c',
    }
    const stripe = await open(keys, true)
    expect([stripe.stripeKey, stripe.cardFrame]).toEqual(['pk_test_b', null])
    await stripe.close()
  })

  it('cannot begin where the sandbox’s port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    await expect(open({ PAYMENT_SANDBOX_PORT: port }, true)).rejects.toThrow(`PAYMENT_SANDBOX_PORT ${port} is in use`)
    other.close()
  })
})
