import { describe, expect, it } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import { readPaymentSettings } from '#server/config/payment-config.ts'

const pair = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const { privateKey, publicKey } = pair(2048)
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const old = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const oneLine = (text: string) => text.replace(/-----[A-Z ]+-----|\n/g, '')

const key = (kind: string) => `${kind}_${'4f'.repeat(8)}`
const stripe = {
  STRIPE_SECRET_KEY: key('sk_test'),
  STRIPE_PUBLISHABLE_KEY: key('pk_test'),
  STRIPE_WEBHOOK_SECRET: key('whsec'),
}
const alipay = {
  ALIPAY_APP_ID: '2021000000000001',
  ALIPAY_SELLER_ID: '2088000000000001',
  ALIPAY_PRIVATE_KEY: oneLine(pem),
  ALIPAY_PUBLIC_KEY: oneLine(publicPem),
}
const global = {
  GLOBAL_ALIPAY_PARTNER: '2088000000000002',
  GLOBAL_ALIPAY_PRIVATE_KEY: old,
  GLOBAL_ALIPAY_PUBLIC_KEY: publicPem.replaceAll('\n', '\\n'),
}
const read = (env: Record<string, string>, demo = false) => readPaymentSettings(env, { demo })

describe('how money is taken', () => {
  it('is by nothing where nothing is set, and in the demo by the sandbox', () => {
    const none = { stripe: null, alipay: null, globalAlipay: null, simulate: false, sandbox: null }
    expect(read({})).toEqual({ ...none, perUser: 20 })
    expect(read({}, true)).toMatchObject({ simulate: true, sandbox: { port: 0, url: null } })
    expect(read({ PAYMENT_SANDBOX: '0', SIMULATED_PAYMENT: '0' }, true)).toMatchObject({
      simulate: false,
      sandbox: null,
    })
    expect(read(stripe, true)).toMatchObject({ simulate: true, sandbox: null })
  })

  it('is by what has keys, which are understood as the providers write them', () => {
    const { stripe: cards, alipay: mainland, globalAlipay } = read({ ...stripe, ...alipay, ...global })
    expect(cards).toMatchObject({ apiUrl: 'https://api.stripe.com', webhookSecrets: [stripe.STRIPE_WEBHOOK_SECRET] })
    expect(mainland).toMatchObject({ privateKey: pem, publicKey: publicPem, appId: alipay.ALIPAY_APP_ID })
    expect(globalAlipay).toMatchObject({ privateKey: pem, publicKey: publicPem })
    expect(mainland?.gatewayUrl).toBe('https://openapi.alipay.com/gateway.do')
    const two = read({ ...stripe, STRIPE_WEBHOOK_SECRET: `${key('whsec')}, ${key('whsec')}b` }).stripe
    expect(two?.webhookSecrets).toHaveLength(2)
    expect(read({ ...stripe, STRIPE_API_URL: 'http://127.0.0.1:4242/' }).stripe?.apiUrl).toBe('http://127.0.0.1:4242')
  })

  it.each([
    [
      'a key alone',
      { STRIPE_SECRET_KEY: stripe.STRIPE_SECRET_KEY },
      'STRIPE_SECRET_KEY needs STRIPE_PUBLISHABLE_KEY, STRIPE_WEBHOOK_SECRET as well',
    ],
    ['a key of the wrong kind', { ...stripe, STRIPE_SECRET_KEY: key('pk_test') }, 'STRIPE_SECRET_KEY must look like'],
    ['two modes', { ...stripe, STRIPE_PUBLISHABLE_KEY: key('pk_live') }, 'both be live keys'],
    [
      'a secret of the wrong kind',
      { ...stripe, STRIPE_WEBHOOK_SECRET: 'secret' },
      'STRIPE_WEBHOOK_SECRET must look like',
    ],
    [
      'an address in the open',
      { ...stripe, STRIPE_API_URL: 'http://stripe.example' },
      'STRIPE_API_URL must be an https',
    ],
    ['a short number', { ...alipay, ALIPAY_SELLER_ID: '2088' }, 'ALIPAY_SELLER_ID must look like'],
    ['an app without digits', { ...alipay, ALIPAY_APP_ID: 'app' }, 'ALIPAY_APP_ID must look like'],
    [
      'keys the wrong way round',
      { ...alipay, ALIPAY_PRIVATE_KEY: oneLine(publicPem) },
      'ALIPAY_PRIVATE_KEY must be an RSA private key',
    ],
    ['no key', { ...alipay, ALIPAY_PUBLIC_KEY: 'AAAA' }, 'ALIPAY_PUBLIC_KEY must be the RSA public key'],
    [
      'a weak key',
      {
        ...global,
        GLOBAL_ALIPAY_PRIVATE_KEY: pair(1024).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
      'GLOBAL_ALIPAY_PRIVATE_KEY must be an RSA private key of 2048 bits',
    ],
    ['the sandbox in earnest', { PAYMENT_SANDBOX: '1' }, 'PAYMENT_SANDBOX takes no real money'],
  ])('%s ends the start with one sentence that repeats no key', (_, env, said) => {
    let message = ''
    try {
      read(env)
    } catch (error) {
      message = String((error as Error).message)
    }
    expect(message).toContain(said)
    for (const secret of Object.values<string>(env).filter((value) => value.length > 20 && !value.startsWith('http')))
      expect(message).not.toContain(secret)
  })

  it('is not by the sandbox and by keys at once', () => {
    expect(() => read({ ...stripe, PAYMENT_SANDBOX: '1' }, true)).toThrow('stands in for all gateways')
  })
})
