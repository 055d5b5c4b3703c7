/**
 * The port to Stripe's Payment Element: fields for a card in a frame of Stripe's, which gives a token for what was typed.
 * Its script comes from js.stripe.com and from nowhere else, as Stripe asks, and only where the server's policy lets it in
 * because Stripe is set up (S-95, docs/operating.md).
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

/** As much of Stripe's script as is used. */
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

/** The page's own policy knows no script but ours; the server lets this one be made where Stripe is set up. Throws elsewhere. */
function createTrustedUrl(): string {
  const policies = (globalThis as { trustedTypes?: TrustedTypePolicies }).trustedTypes
  return policies
    ? policies.createPolicy('stripe', { createScriptURL: () => address }).createScriptURL(address)
    : address
}

const getStripe = () => (globalThis as { Stripe?: (key: string) => Stripe }).Stripe

let scriptPromise: Promise<void> | null = null

/** Once for a page; where it failed, Stripe’s own page asks for the card. */
function fetchScript(): Promise<void> {
  scriptPromise ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = createTrustedUrl()
    script.async = true
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error('the card fields could not be fetched'))
    })
    document.head.append(script)
  })
  return scriptPromise
}

/** RMB is written cny at the gateway alone (D24). */
const stripeCurrencies: Record<Currency, string> = { HKD: 'hkd', USD: 'usd', RMB: 'cny' }

/** In the page's own colours, as they are now. */
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

/** Errors of Stripe that no other card and no other digit would mend. */
const isGatewayError = ({ type }: StripeError) =>
  type !== undefined && type !== 'card_error' && type !== 'validation_error'

/** What Stripe says of itself is not for the payer. */
const toResult = (error: StripeError): CardTokenResult =>
  isGatewayError(error) ? { kind: 'failed' } : { kind: 'invalid', message: error.message ?? '' }

/** Rejects where the script cannot be had. */
export async function openStripeElements(
  container: HTMLElement,
  key: string,
  { amount, currency }: { amount: string; currency: Currency },
): Promise<CardFields> {
  await fetchScript()
  const stripe = getStripe()?.(key)
  if (!stripe) throw new Error('the card fields are not there')
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
    close() {
      unsubscribeLooks()
      field.destroy()
    },
  }
}
