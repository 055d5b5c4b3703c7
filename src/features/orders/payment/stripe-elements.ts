/**
 * Card fields in a frame of Stripe (Payment Element), which returns a token. As Stripe requires, its script comes only from js.stripe.com.
 * The server's policy allows it only if Stripe is set up (S-95, docs/operating.md).
 */
import { type Currency, readAmount } from '#domain/money.ts'
import { subscribeToTheme } from '#ui/display/theme.ts'
import { getLanguage } from '#ui/i18n/messages.ts'
import {
  type CardFields,
  type CardTokenResult,
  readFieldStyles,
  reuseCardToken,
} from '#features/orders/payment/card-fields.ts'

interface Stripe {
  elements(options: object): StripeElements
  createConfirmationToken(options: {
    elements: StripeElements
  }): Promise<{ confirmationToken?: { id: string }; error?: StripeError }>
}
interface StripeElements {
  create(type: 'payment', options: object): PaymentElement
  update(options: object): void
  submit(): Promise<{ error?: StripeError }>
}
interface PaymentElement {
  mount(container: HTMLElement): void
  on(event: 'change', listener: () => void): void
  destroy(): void
}
interface StripeError {
  type?: string
  message?: string
}

const address = 'https://js.stripe.com/v3/'

interface TrustedTypePolicies {
  createPolicy(name: 'stripe', rules: { createScriptURL(): string }): { createScriptURL(url: string): string }
}

/** The server allows this Trusted Types policy only if Stripe is set up. Otherwise this throws. */
function createTrustedUrl(): string {
  const policies = (globalThis as { trustedTypes?: TrustedTypePolicies }).trustedTypes
  return policies
    ? policies.createPolicy('stripe', { createScriptURL: () => address }).createScriptURL(address)
    : address
}

const getStripe = () => (globalThis as { Stripe?: (key: string) => Stripe }).Stripe

let scriptPromise: Promise<void> | null = null

/** Loaded once per page. If loading fails, the card is entered on Stripe's own page. */
function fetchScript(): Promise<void> {
  scriptPromise ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = createTrustedUrl()
    script.async = true
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error('could not load the script of the card fields'))
    })
    document.head.append(script)
  })
  return scriptPromise
}

/** RMB is called cny only at the gateway (D24). */
const stripeCurrencies: Record<Currency, string> = { HKD: 'hkd', USD: 'usd', RMB: 'cny' }

function buildAppearance() {
  const values = readFieldStyles(['--accent', '--surface', '--text', '--danger', '--font', '--radius'])
  return {
    variables: {
      colorPrimary: values['--accent'],
      colorBackground: values['--surface'],
      colorText: values['--text'],
      colorDanger: values['--danger'],
      fontFamily: values['--font'],
      borderRadius: values['--radius'],
    },
  }
}

/** Returns whether neither another card nor a corrected number would fix the error. */
const isGatewayError = ({ type }: StripeError) =>
  type !== undefined && type !== 'card_error' && type !== 'validation_error'

/** Error messages about Stripe itself are not shown to the payer. */
const toResult = (error: StripeError): CardTokenResult =>
  isGatewayError(error) ? { kind: 'failed' } : { kind: 'invalid', message: error.message ?? '' }

/** Rejects if the script cannot be loaded. */
export async function openStripeElements(
  container: HTMLElement,
  key: string,
  { amount, currency }: { amount: string; currency: Currency },
): Promise<CardFields> {
  await fetchScript()
  const stripe = getStripe()?.(key)
  if (!stripe) throw new Error('the script of the card fields did not define Stripe')
  const elements = stripe.elements({
    mode: 'payment',
    amount: Number(readAmount(amount)),
    currency: stripeCurrencies[currency],
    paymentMethodTypes: ['card'],
    locale: getLanguage(),
    appearance: buildAppearance(),
  })
  const field = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } })
  const tokens = reuseCardToken(async () => {
    const { error } = await elements.submit()
    if (error) return toResult(error)
    const tokenResponse = await stripe.createConfirmationToken({ elements })
    const token = tokenResponse.confirmationToken?.id
    return token ? { kind: 'token', token } : toResult(tokenResponse.error ?? {})
  })
  field.on('change', tokens.dropToken)
  const unsubscribeLooks = subscribeToTheme(() => elements.update({ appearance: buildAppearance() }))
  field.mount(container)
  return {
    ...tokens,
    setAmount(newAmount) {
      tokens.dropToken()
      elements.update({ amount: Number(readAmount(newAmount)) })
    },
    close() {
      unsubscribeLooks()
      field.destroy()
    },
  }
}
