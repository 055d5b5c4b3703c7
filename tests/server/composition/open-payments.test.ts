import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { openPayments } from '#server/composition/open-payments.ts'
import { openSandbox } from '#demo/payment-sandbox/sandbox-server.ts'
import { paymentTypes } from '#domain/payments.ts'
import { createLogger } from '#server/context/log.ts'
import { readPaymentSettings } from '#server/config/payment-config.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { buildBeginning } from '#tests/support/orders/shop.ts'

describe('openPayments', () => {
  let dataDir: string
  let lines: string[]
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'portal-ways-'))
    lines = []
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  function openTestPayments(env: Record<string, string>, isDemo: boolean) {
    const sink = new Writable({
      write(chunk: Buffer, _, callback) {
        lines.push(chunk.toString())
        callback()
      },
    })
    // Nothing listens on this port, so every webhook of the sandbox fails and is logged.
    const config = { dataDir, host: '127.0.0.1', port: 9, publicUrl: 'https://portal.example' }
    const context = { config, log: createLogger('trace', sink), clock: Date.now }
    return openPayments(readPaymentSettings(env, { demo: isDemo }), context, openSandbox)
  }

  it('offers no payment methods without settings', async () => {
    const payments = await openTestPayments({}, false)
    expect(await Promise.all(paymentTypes.map((type) => payments.findDriver(type)))).toEqual([null, null, null, null])
    expect([payments.stripeKey, payments.cardFrame]).toEqual([null, null])
    expect(payments.types).toEqual([])
    await payments.close()
  })

  it('offers all payment methods through the sandbox in the demo, and never logs its keys (S-80)', async () => {
    const payments = await openTestPayments({}, true)
    const [stripe, alipay, global, simulate] = await Promise.all(paymentTypes.map((type) => payments.findDriver(type)))
    expect(payments.stripeKey).toBeNull()
    expect(payments.types).toEqual(paymentTypes)
    expect(await payments.findDriver('stripe')).toBe(stripe)
    const shop = { url: 'http://127.0.0.1:9' }
    expect(await stripe!.start(buildBeginning(shop))).toMatchObject({ kind: 'taken' })
    expect(await stripe!.start(buildBeginning(shop, { token: 'tok_chargeDeclined' }))).toMatchObject({
      kind: 'declined',
    })
    for (const [driver, currency] of [
      [alipay, 'RMB'],
      [global, 'USD'],
    ] as const) {
      const start = await driver!.start(buildBeginning(shop, { money: { amount: 1n, currency } }))
      const page = await openGatewayPage(start.kind === 'redirect' ? start.url : '')
      await openGatewayPage(page.url, { answer: 'pay' })
    }
    const input = buildBeginning(shop)
    const simulatedStart = await simulate!.start(input)
    expect(simulatedStart).toMatchObject({ payment: { status: 'paid', key: input.key, ...input.money } })
    expect(await simulate!.start(input)).toEqual(simulatedStart)
    await expect.poll(() => lines.join('')).toContain('sandbox_webhook_unacknowledged')
    await payments.close()
    expect(lines.join('')).not.toMatch(/(sk|pk)_test|whsec|PRIVATE KEY|client_secret|sign=|2088\d/)
  })

  it('returns a card frame of another origin in the demo, and none if Stripe keys are set (fault 36M81b)', async () => {
    const defaultPayments = await openTestPayments({}, true)
    expect(defaultPayments.cardFrame).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/card-fields$/)
    expect((await fetch(`${defaultPayments.cardFrame}?shop=http://localhost&nonce=${'a'.repeat(36)}`)).status).toBe(200)
    await defaultPayments.close()
    const mappedPayments = await openTestPayments({ PAYMENT_SANDBOX_URL: 'http://localhost:9081' }, true)
    expect(mappedPayments.cardFrame).toBe('http://localhost:9081/card-fields')
    await mappedPayments.close()
    const keys = {
      STRIPE_SECRET_KEY: 'sk_test_a',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_b',
      STRIPE_WEBHOOK_SECRET: 'whsec_c',
    }
    const stripePayments = await openTestPayments(keys, true)
    expect([stripePayments.stripeKey, stripePayments.cardFrame]).toEqual(['pk_test_b', null])
    await stripePayments.close()
  })

  it('fails if the port of the sandbox is in use', async () => {
    const otherServer = createServer().listen(0, '127.0.0.1')
    await once(otherServer, 'listening')
    const address = otherServer.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    await expect(openTestPayments({ PAYMENT_SANDBOX_PORT: port }, true)).rejects.toThrow(
      `PAYMENT_SANDBOX_PORT ${port} is in use`,
    )
    otherServer.close()
  })
})
