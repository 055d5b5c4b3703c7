/**
 * The port to Stripe's Payment Element: fields for a card in a frame of Stripe's, which gives a token for what was typed.
 * Its script comes from js.stripe.com and from nowhere else, as Stripe asks, and only where the server's policy lets it in
 * because Stripe is set up (S-95, docs/operating.md).
 */
import { type Currency, readAmount } from '#domain/money.ts'
import { languageNow } from '#ui/i18n/i18n.ts'
import {
  type CardFields,
  type CardTokenResult,
  readLooks,
  reuseToken,
  subscribeLooks,
} from '#features/orders/payment/card-fields.ts'

/** As much of Stripe's script as is used. */
interface Stripe {
  elements(options: object): Elements
  createConfirmationToken(options: {
    elements: Elements
  }): Promise<{ confirmationToken?: { id: string }; error?: Refusal }>
}
interface Elements {
  create(type: 'payment', options: object): PaymentElement
  update(options: object): void
  submit(): Promise<{ error?: Refusal }>
}
interface PaymentElement {
  mount(place: HTMLElement): void
  on(event: 'change', listener: () => void): void
  destroy(): void
}
interface Refusal {
  type?: string
  message?: string
}

const address = 'https://js.stripe.com/v3/'

interface Policies {
  createPolicy(name: 'stripe', rules: { createScriptURL(): string }): { createScriptURL(url: string): string }
}

/** The page's own policy knows no script but ours; the server lets this one be made where Stripe is set up. Throws elsewhere. */
function trusted(): string {
  const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes
  return policies
    ? policies.createPolicy('stripe', { createScriptURL: () => address }).createScriptURL(address)
    : address
}

const stripeOf = () => (globalThis as { Stripe?: (key: string) => Stripe }).Stripe

let fetched: Promise<void> | null = null

/** Once for a page; where it failed, Stripe’s own page asks for the card. */
function fetchScript(): Promise<void> {
  fetched ??= new Promise<void>((loaded, failed) => {
    const script = document.createElement('script')
    script.src = trusted()
    script.async = true
    script.addEventListener('load', () => loaded())
    script.addEventListener('error', () => {
      script.remove()
      failed(new Error('the card fields could not be fetched'))
    })
    document.head.append(script)
  })
  return fetched
}

/** RMB is written cny at the gateway alone (D24). */
const codes: Record<Currency, string> = { HKD: 'hkd', USD: 'usd', RMB: 'cny' }

/** In the page's own colours, as they are now. */
function buildAppearance() {
  const values = readLooks(['--accent', '--surface', '--text', '--danger', '--font', '--radius'])
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
const isOfGateway = ({ type }: Refusal) => type !== undefined && type !== 'card_error' && type !== 'validation_error'

/** What Stripe says of itself is not for the payer. */
const toResult = (error: Refusal): CardTokenResult =>
  isOfGateway(error) ? { kind: 'failed' } : { kind: 'invalid', message: error.message ?? '' }

/** Rejects where the script cannot be had. */
export async function openCardFields(
  place: HTMLElement,
  key: string,
  { amount, currency }: { amount: string; currency: Currency },
): Promise<CardFields> {
  await fetchScript()
  const stripe = stripeOf()?.(key)
  if (!stripe) throw new Error('the card fields are not there')
  const elements = stripe.elements({
    mode: 'payment',
    amount: Number(readAmount(amount)),
    currency: codes[currency],
    paymentMethodTypes: ['card'],
    locale: languageNow(),
    appearance: buildAppearance(),
  })
  const field = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } })
  const tokens = reuseToken(async () => {
    const { error } = await elements.submit()
    if (error) return toResult(error)
    const created = await stripe.createConfirmationToken({ elements })
    const token = created.confirmationToken?.id
    return token ? { kind: 'token', token } : toResult(created.error ?? {})
  })
  field.on('change', tokens.dropToken)
  const unsubscribeLooks = subscribeLooks(() => elements.update({ appearance: buildAppearance() }))
  field.mount(place)
  return {
    ...tokens,
    close() {
      unsubscribeLooks()
      field.destroy()
    },
  }
}
