import { describe, expect, it } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import { readPaymentSettings } from '#server/config/payment-config.ts'

const generateKeyPair = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const { privateKey, publicKey } = generateKeyPair(2048)
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const pkcs1Pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const toOneLine = (text: string) => text.replace(/-----[A-Z ]+-----|\n/g, '')

const key = (kind: string) => `${kind}_${'4f'.repeat(8)}`
const stripeEnv = {
  STRIPE_SECRET_KEY: key('sk_test'),
  STRIPE_PUBLISHABLE_KEY: key('pk_test'),
  STRIPE_WEBHOOK_SECRET: key('whsec'),
}
const alipayEnv = {
  ALIPAY_APP_ID: '2021000000000001',
  ALIPAY_SELLER_ID: '2088000000000001',
  ALIPAY_PRIVATE_KEY: toOneLine(pem),
  ALIPAY_PUBLIC_KEY: toOneLine(publicPem),
}
const globalEnv = {
  GLOBAL_ALIPAY_PARTNER: '2088000000000002',
  GLOBAL_ALIPAY_PRIVATE_KEY: pkcs1Pem,
  GLOBAL_ALIPAY_PUBLIC_KEY: publicPem.replaceAll('\n', '\\n'),
}
const readSettings = (env: Record<string, string>, isDemo = false) => readPaymentSettings(env, { demo: isDemo })

describe('the payment settings', () => {
  it('enable no gateway by default, and the sandbox in the demo', () => {
    const noSettings = {
      stripe: null,
      alipay: null,
      globalAlipay: null,
      simulate: false,
      sandbox: null,
      bankAccounts: [],
    }
    expect(readSettings({})).toEqual({ ...noSettings, maxPaymentsPerUser: 20 })
    expect(readSettings({}, true)).toMatchObject({ simulate: true, sandbox: { port: 0, url: null } })
    expect(readSettings({ PAYMENT_SANDBOX: '0', SIMULATED_PAYMENT: '0' }, true)).toMatchObject({
      simulate: false,
      sandbox: null,
    })
    expect(readSettings(stripeEnv, true)).toMatchObject({ simulate: true, sandbox: null })
  })

  it('enable each gateway whose keys are set, and accept keys in the formats of the providers', () => {
    const { stripe, alipay, globalAlipay } = readSettings({ ...stripeEnv, ...alipayEnv, ...globalEnv })
    expect(stripe).toMatchObject({
      apiUrl: 'https://api.stripe.com',
      webhookSecrets: [stripeEnv.STRIPE_WEBHOOK_SECRET],
    })
    expect(alipay).toMatchObject({ privateKey: pem, publicKey: publicPem, appId: alipayEnv.ALIPAY_APP_ID })
    expect(globalAlipay).toMatchObject({ privateKey: pem, publicKey: publicPem })
    expect(alipay?.gatewayUrl).toBe('https://openapi.alipay.com/gateway.do')
    const stripeSettings = readSettings({
      ...stripeEnv,
      STRIPE_WEBHOOK_SECRET: `${key('whsec')}, ${key('whsec')}b`,
    }).stripe
    expect(stripeSettings?.webhookSecrets).toHaveLength(2)
    expect(readSettings({ ...stripeEnv, STRIPE_API_URL: 'http://127.0.0.1:4242/' }).stripe?.apiUrl).toBe(
      'http://127.0.0.1:4242',
    )
  })

  it.each([
    [
      'a secret key without the other settings',
      { STRIPE_SECRET_KEY: stripeEnv.STRIPE_SECRET_KEY },
      'STRIPE_SECRET_KEY needs STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET as well',
    ],
    [
      'a key of the wrong kind',
      { ...stripeEnv, STRIPE_SECRET_KEY: key('pk_test') },
      'STRIPE_SECRET_KEY must look like',
    ],
    [
      'a live key together with a test key',
      { ...stripeEnv, STRIPE_PUBLISHABLE_KEY: key('pk_live') },
      'both be live keys',
    ],
    [
      'a webhook secret in the wrong format',
      { ...stripeEnv, STRIPE_WEBHOOK_SECRET: 'secret' },
      'STRIPE_WEBHOOK_SECRET must look like',
    ],
    [
      'an address without TLS',
      { ...stripeEnv, STRIPE_API_URL: 'http://stripe.example' },
      'STRIPE_API_URL must be an https',
    ],
    ['a seller id that is too short', { ...alipayEnv, ALIPAY_SELLER_ID: '2088' }, 'ALIPAY_SELLER_ID must look like'],
    ['an app id without digits', { ...alipayEnv, ALIPAY_APP_ID: 'app' }, 'ALIPAY_APP_ID must look like'],
    [
      'swapped keys',
      { ...alipayEnv, ALIPAY_PRIVATE_KEY: toOneLine(publicPem) },
      'ALIPAY_PRIVATE_KEY must be an RSA private key',
    ],
    [
      'a public key that is not a key',
      { ...alipayEnv, ALIPAY_PUBLIC_KEY: 'AAAA' },
      'ALIPAY_PUBLIC_KEY must be the RSA public key',
    ],
    [
      'a weak key',
      {
        ...globalEnv,
        GLOBAL_ALIPAY_PRIVATE_KEY: generateKeyPair(1024).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
      'GLOBAL_ALIPAY_PRIVATE_KEY must be an RSA private key of 2048 bits',
    ],
    ['the sandbox outside the demo', { PAYMENT_SANDBOX: '1' }, 'PAYMENT_SANDBOX works only in the demo'],
  ])('reject %s with a sentence that contains no key', (_, env, expectedMessage) => {
    let message = ''
    try {
      readSettings(env)
    } catch (error) {
      message = String((error as Error).message)
    }
    expect(message).toContain(expectedMessage)
    for (const secret of Object.values<string>(env).filter((value) => value.length > 20 && !value.startsWith('http')))
      expect(message).not.toContain(secret)
  })

  it('reject the sandbox together with gateway keys', () => {
    expect(() => readSettings({ ...stripeEnv, PAYMENT_SANDBOX: '1' }, true)).toThrow('replaces all payment gateways')
  })
})
