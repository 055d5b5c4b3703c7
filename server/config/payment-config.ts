/** How money is taken, read from the environment with the other settings. No message repeats a key. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { type Config, type Env, flag, isLoopback, StartProblem, whole } from '#server/config/config.ts'

export interface StripeSettings {
  secretKey: string
  /** For the browser. */
  publishableKey: string
  /** More than one while it is being changed. */
  webhookSecrets: readonly string[]
  apiUrl: string
}

/** Keys as PEM: our private one, and the public one that Alipay signs for. */
export interface AlipayKeys {
  privateKey: string
  publicKey: string
  gatewayUrl: string
}

export interface AlipaySettings extends AlipayKeys {
  appId: string
  sellerId: string
}

export interface GlobalAlipaySettings extends AlipayKeys {
  partner: string
}

export interface Gateways {
  stripe: StripeSettings | null
  alipay: AlipaySettings | null
  globalAlipay: GlobalAlipaySettings | null
}

export interface PaymentSettings extends Gateways {
  /** For the provider's staff (S-22). */
  simulate: boolean
  /** So many may one user begin in ten minutes, and a company three times as many (S-25). */
  perUser: number
  /** The gateways' stand-in on this machine, where there is no key of any; null: none. */
  sandbox: SandboxSettings | null
}

export interface SandboxSettings {
  /** 0: the one it had before, or any free one. */
  port: number
  /** Under which browsers reach it; null: its port on this machine. */
  url: string | null
}

/** Throws StartProblem. */
export function readPaymentSettings(env: Env, { demo }: Pick<Config, 'demo'>): PaymentSettings {
  const gateways = { stripe: stripe(env), alipay: alipay(env), globalAlipay: globalAlipay(env) }
  const simulate = flag(env, 'SIMULATED_PAYMENT', demo)
  const hasKeys = Object.values(gateways).some((gateway) => gateway !== null)
  const wanted = flag(env, 'PAYMENT_SANDBOX', demo && !hasKeys)
  if (wanted && !demo)
    throw new StartProblem('PAYMENT_SANDBOX takes no real money and is for the demo only: set DEMO=1 too.')
  if (wanted && hasKeys)
    throw new StartProblem('PAYMENT_SANDBOX stands in for all gateways: take it out, or the keys of Stripe and Alipay.')
  const url = env.PAYMENT_SANDBOX_URL ? address(env, 'PAYMENT_SANDBOX_URL', '') : null
  const port = whole(env, 'PAYMENT_SANDBOX_PORT', 0, 0, 65_535)
  const perUser = whole(env, 'PAYMENTS_PER_USER', 20, 1, 1_000_000)
  return { ...gateways, simulate, perUser, sandbox: wanted ? { port, url } : null }
}

/** All of them or none; null: none. */
function together<const N extends string>(env: Env, names: readonly N[]): Record<N, string> | null {
  const given = names.filter((name) => env[name])
  if (given.length === 0) return null
  const missing = names.filter((name) => !env[name])
  if (missing.length > 0) throw new StartProblem(`${given.join(', ')} needs ${missing.join(', ')} as well.`)
  return Object.fromEntries(names.map((name) => [name, env[name]?.trim()])) as Record<N, string>
}

function shaped(name: string, value: string, shape: RegExp, example: string): string {
  if (shape.test(value)) return value
  throw new StartProblem(`${name} must look like ${example}.`)
}

function stripe(env: Env): StripeSettings | null {
  const given = together(env, ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'])
  if (!given) return null
  const secretKey = shaped(
    'STRIPE_SECRET_KEY',
    given.STRIPE_SECRET_KEY,
    /^[sr]k_(test|live)_\w+$/,
    'sk_test_... or sk_live_...',
  )
  const publishableKey = shaped(
    'STRIPE_PUBLISHABLE_KEY',
    given.STRIPE_PUBLISHABLE_KEY,
    /^pk_(test|live)_\w+$/,
    'pk_test_... or pk_live_...',
  )
  if (mode(secretKey) !== mode(publishableKey))
    throw new StartProblem('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys, or both test keys.')
  const webhookSecrets = given.STRIPE_WEBHOOK_SECRET.split(',').map((secret) =>
    shaped('STRIPE_WEBHOOK_SECRET', secret.trim(), /^whsec_\w+$/, 'whsec_..., or two of them with a comma between'),
  )
  return { secretKey, publishableKey, webhookSecrets, apiUrl: address(env, 'STRIPE_API_URL', 'https://api.stripe.com') }
}

const mode = (key: string) => key.split('_')[1]

function alipay(env: Env): AlipaySettings | null {
  const names = ['ALIPAY_APP_ID', 'ALIPAY_SELLER_ID', 'ALIPAY_PRIVATE_KEY', 'ALIPAY_PUBLIC_KEY'] as const
  const given = together(env, names)
  if (!given) return null
  return {
    appId: shaped('ALIPAY_APP_ID', given.ALIPAY_APP_ID, /^\d{10,32}$/, '2021000000000000, digits only'),
    sellerId: shaped('ALIPAY_SELLER_ID', given.ALIPAY_SELLER_ID, /^2088\d{12}$/, '2088000000000000, 16 digits'),
    privateKey: privateKey('ALIPAY_PRIVATE_KEY', given.ALIPAY_PRIVATE_KEY),
    publicKey: publicKey('ALIPAY_PUBLIC_KEY', given.ALIPAY_PUBLIC_KEY),
    gatewayUrl: address(env, 'ALIPAY_GATEWAY_URL', 'https://openapi.alipay.com/gateway.do'),
  }
}

function globalAlipay(env: Env): GlobalAlipaySettings | null {
  const names = ['GLOBAL_ALIPAY_PARTNER', 'GLOBAL_ALIPAY_PRIVATE_KEY', 'GLOBAL_ALIPAY_PUBLIC_KEY'] as const
  const given = together(env, names)
  if (!given) return null
  return {
    partner: shaped(
      'GLOBAL_ALIPAY_PARTNER',
      given.GLOBAL_ALIPAY_PARTNER,
      /^2088\d{12}$/,
      '2088000000000000, 16 digits',
    ),
    privateKey: privateKey('GLOBAL_ALIPAY_PRIVATE_KEY', given.GLOBAL_ALIPAY_PRIVATE_KEY),
    publicKey: publicKey('GLOBAL_ALIPAY_PUBLIC_KEY', given.GLOBAL_ALIPAY_PUBLIC_KEY),
    gatewayUrl: address(env, 'GLOBAL_ALIPAY_GATEWAY_URL', 'https://intlmapi.alipay.com/gateway.do'),
  }
}

const body = (text: string) => text.replace(/-----[A-Z ]+-----|\\n|\s/g, '')
const wrapped = (text: string, label: string) => `-----BEGIN ${label}-----\n${body(text)}\n-----END ${label}-----\n`

/** As Alipay's key tool writes it, one line of base64, or as PEM; PKCS #8 or PKCS #1. */
function privateKey(name: string, text: string): string {
  const key = firstOf(['PRIVATE KEY', 'RSA PRIVATE KEY'], (label) => createPrivateKey(wrapped(text, label)))
  if (!isStrong(key))
    throw new StartProblem(`${name} must be an RSA private key of 2048 bits or more, in base64 or PEM.`)
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function publicKey(name: string, text: string): string {
  const key = firstOf(['PUBLIC KEY'], (label) => createPublicKey(wrapped(text, label)))
  if (!isStrong(key))
    throw new StartProblem(
      `${name} must be the RSA public key that Alipay shows for the application, in base64 or PEM.`,
    )
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

const isStrong = (key: KeyObject | null): key is KeyObject =>
  key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048

function firstOf(labels: readonly string[], read: (label: string) => KeyObject): KeyObject | null {
  for (const label of labels) {
    try {
      return read(label)
    } catch {
      // The next way of writing it, then null.
    }
  }
  return null
}

/** Keys and money go there: over TLS, but on this machine. */
function address(env: Env, name: string, otherwise: string): string {
  const given = env[name] || otherwise
  const url = URL.canParse(given) ? new URL(given) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe) return url.href.replace(/\/$/, '')
  throw new StartProblem(`${name} must be an https address, or an http address of this machine.`)
}
