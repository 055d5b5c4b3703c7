/** Reads the payment settings from the environment. No message repeats a key. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { BankAccount } from '#contract/invoices.ts'
import { readBankAccounts } from '#server/config/bank-accounts.ts'
import {
  type Config,
  type EnvironmentVariables,
  readFlag,
  isLoopback,
  StartProblem,
  readInteger,
} from '#server/config/config.ts'

export interface StripeSettings {
  secretKey: string
  publishableKey: string
  /** Secrets that verify webhook signatures. There are two while a secret is being replaced. */
  webhookSecrets: readonly string[]
  apiUrl: string
}

/** Keys as PEM: the portal's private key, and Alipay's public key, which verifies its signatures. */
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

export interface GatewaySettings {
  stripe: StripeSettings | null
  alipay: AlipaySettings | null
  globalAlipay: GlobalAlipaySettings | null
}

export interface PaymentConfig extends GatewaySettings {
  /** The provider's accounts for bank transfers, at most one per currency. Without one, no transfer is offered. */
  bankAccounts: readonly BankAccount[]
  /** Enables simulated payments by the provider's staff (S-22). */
  simulate: boolean
  /** Maximum number of payments that one user may start in ten minutes. A company may start three times as many (S-25). */
  maxPaymentsPerUser: number
  /** The payment sandbox on this machine, which replaces all gateways. Null if there is no sandbox. */
  sandbox: SandboxSettings | null
}

export interface SandboxSettings {
  /** Port of the sandbox. 0 means the port of the last start, or any free port at the first start. */
  port: number
  /** Address of the sandbox for browsers. Null if browsers use its port on this machine. */
  url: string | null
}

/** Throws StartProblem if a setting is invalid. */
export function readPaymentSettings(env: EnvironmentVariables, { demo }: Pick<Config, 'demo'>): PaymentConfig {
  const gateways = { stripe: readStripe(env), alipay: readAlipay(env), globalAlipay: readGlobalAlipay(env) }
  const simulate = readFlag(env, 'SIMULATED_PAYMENT', demo)
  const hasKeys = Object.values(gateways).some((gateway) => gateway !== null)
  const isSandboxEnabled = readFlag(env, 'PAYMENT_SANDBOX', demo && !hasKeys)
  if (isSandboxEnabled && !demo)
    throw new StartProblem(
      'PAYMENT_SANDBOX works only in the demo, because it takes no real money: set DEMO=1, or unset PAYMENT_SANDBOX.',
    )
  if (isSandboxEnabled && hasKeys)
    throw new StartProblem(
      'PAYMENT_SANDBOX replaces all payment gateways: unset it, or unset the keys of Stripe and Alipay.',
    )
  const url = env.PAYMENT_SANDBOX_URL ? readAddress(env, 'PAYMENT_SANDBOX_URL', '') : null
  const port = readInteger(env, 'PAYMENT_SANDBOX_PORT', 0, 0, 65_535)
  const maxPaymentsPerUser = readInteger(env, 'PAYMENTS_PER_USER', 20, 1, 1_000_000)
  const bankAccounts = readBankAccounts(env, { demo })
  const sandbox = isSandboxEnabled ? { port, url } : null
  return { ...gateways, bankAccounts, simulate, maxPaymentsPerUser, sandbox }
}

/** Returns null if none of the variables is set. Throws StartProblem if only some are set. */
function readAllOrNone<const N extends string>(
  env: EnvironmentVariables,
  names: readonly N[],
): Record<N, string> | null {
  const presentNames = names.filter((name) => env[name])
  if (presentNames.length === 0) return null
  const missingNames = names.filter((name) => !env[name])
  if (missingNames.length > 0)
    throw new StartProblem(`${presentNames.join(', ')} needs ${missingNames.join(', ')} as well.`)
  return Object.fromEntries(names.map((name) => [name, env[name]?.trim()])) as Record<N, string>
}

function requireShape(name: string, value: string, shape: RegExp, example: string): string {
  if (shape.test(value)) return value
  throw new StartProblem(`${name} must look like ${example}.`)
}

function readStripe(env: EnvironmentVariables): StripeSettings | null {
  const values = readAllOrNone(env, ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'])
  if (!values) return null
  const secretKey = requireShape(
    'STRIPE_SECRET_KEY',
    values.STRIPE_SECRET_KEY,
    /^[sr]k_(test|live)_\w+$/,
    'sk_test_... or sk_live_...',
  )
  const publishableKey = requireShape(
    'STRIPE_PUBLISHABLE_KEY',
    values.STRIPE_PUBLISHABLE_KEY,
    /^pk_(test|live)_\w+$/,
    'pk_test_... or pk_live_...',
  )
  if (getKeyMode(secretKey) !== getKeyMode(publishableKey))
    throw new StartProblem('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys, or both test keys.')
  const webhookSecrets = values.STRIPE_WEBHOOK_SECRET.split(',').map((secret) =>
    requireShape(
      'STRIPE_WEBHOOK_SECRET',
      secret.trim(),
      /^whsec_\w+$/,
      'whsec_..., or two of them separated by a comma',
    ),
  )
  return {
    secretKey,
    publishableKey,
    webhookSecrets,
    apiUrl: readAddress(env, 'STRIPE_API_URL', 'https://api.stripe.com'),
  }
}

const getKeyMode = (key: string) => key.split('_')[1]

function readAlipay(env: EnvironmentVariables): AlipaySettings | null {
  const names = ['ALIPAY_APP_ID', 'ALIPAY_SELLER_ID', 'ALIPAY_PRIVATE_KEY', 'ALIPAY_PUBLIC_KEY'] as const
  const values = readAllOrNone(env, names)
  if (!values) return null
  return {
    appId: requireShape('ALIPAY_APP_ID', values.ALIPAY_APP_ID, /^\d{10,32}$/, '2021000000000000, digits only'),
    sellerId: requireShape('ALIPAY_SELLER_ID', values.ALIPAY_SELLER_ID, /^2088\d{12}$/, '2088000000000000, 16 digits'),
    privateKey: readPrivateKey('ALIPAY_PRIVATE_KEY', values.ALIPAY_PRIVATE_KEY),
    publicKey: readPublicKey('ALIPAY_PUBLIC_KEY', values.ALIPAY_PUBLIC_KEY),
    gatewayUrl: readAddress(env, 'ALIPAY_GATEWAY_URL', 'https://openapi.alipay.com/gateway.do'),
  }
}

function readGlobalAlipay(env: EnvironmentVariables): GlobalAlipaySettings | null {
  const names = ['GLOBAL_ALIPAY_PARTNER', 'GLOBAL_ALIPAY_PRIVATE_KEY', 'GLOBAL_ALIPAY_PUBLIC_KEY'] as const
  const values = readAllOrNone(env, names)
  if (!values) return null
  return {
    partner: requireShape(
      'GLOBAL_ALIPAY_PARTNER',
      values.GLOBAL_ALIPAY_PARTNER,
      /^2088\d{12}$/,
      '2088000000000000, 16 digits',
    ),
    privateKey: readPrivateKey('GLOBAL_ALIPAY_PRIVATE_KEY', values.GLOBAL_ALIPAY_PRIVATE_KEY),
    publicKey: readPublicKey('GLOBAL_ALIPAY_PUBLIC_KEY', values.GLOBAL_ALIPAY_PUBLIC_KEY),
    gatewayUrl: readAddress(env, 'GLOBAL_ALIPAY_GATEWAY_URL', 'https://intlmapi.alipay.com/gateway.do'),
  }
}

const stripPem = (text: string) => text.replace(/-----[A-Z ]+-----|\\n|\s/g, '')
const toPem = (text: string, label: string) => `-----BEGIN ${label}-----\n${stripPem(text)}\n-----END ${label}-----\n`

/** Accepts one line of base64, as Alipay's key tool writes it, or PEM. The key may be in PKCS #8 or PKCS #1. */
function readPrivateKey(name: string, text: string): string {
  const key = findFirstKey(['PRIVATE KEY', 'RSA PRIVATE KEY'], (label) => createPrivateKey(toPem(text, label)))
  if (!isStrong(key))
    throw new StartProblem(`${name} must be an RSA private key of 2048 bits or more, in base64 or PEM.`)
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function readPublicKey(name: string, text: string): string {
  const key = findFirstKey(['PUBLIC KEY'], (label) => createPublicKey(toPem(text, label)))
  if (!isStrong(key))
    throw new StartProblem(
      `${name} must be the RSA public key that Alipay shows for the application, in base64 or PEM.`,
    )
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

const isStrong = (key: KeyObject | null): key is KeyObject =>
  key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048

function findFirstKey(labels: readonly string[], readKey: (label: string) => KeyObject): KeyObject | null {
  for (const label of labels) {
    try {
      return readKey(label)
    } catch {
      // Try the next format. After the last one the result is null.
    }
  }
  return null
}

/** Keys and payments are sent to this address, so it needs TLS unless it is on this machine. */
function readAddress(env: EnvironmentVariables, name: string, defaultValue: string): string {
  const text = env[name] || defaultValue
  const url = URL.canParse(text) ? new URL(text) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe) return url.href.replace(/\/$/, '')
  throw new StartProblem(`${name} must be an https address, or an http address of this machine.`)
}
