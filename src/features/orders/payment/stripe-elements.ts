/**
 * The port to Stripe's Payment Element: fields for a card in a frame of Stripe's, which gives a token for what was typed.
 * Its script comes from js.stripe.com and from nowhere else, as Stripe asks, and only where the server's policy lets it in
 * because Stripe is set up (S-95, docs/operating.md).
 */
import { type Currency, readAmount } from '#domain/money.ts'
import { languageNow } from '#ui/i18n/i18n.ts'

export interface CardFields {
  show(place: HTMLElement): void
  /** The problem is in the payer's language. */
  token(): Promise<{ token: string } | { problem: string }>
  close(): void
}

/** As much of Stripe's script as is used. */
interface Stripe {
  elements(options: object): Elements
  createConfirmationToken(options: {
    elements: Elements
  }): Promise<{ confirmationToken?: { id: string }; error?: Refusal }>
}
interface Elements {
  create(type: 'payment', options: object): { mount(place: HTMLElement): void; destroy(): void }
  submit(): Promise<{ error?: Refusal }>
}
interface Refusal {
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
function looks() {
  const style = getComputedStyle(document.documentElement)
  const value = (name: string) => style.getPropertyValue(name).trim()
  const [colorPrimary, colorBackground, colorText, colorDanger, fontFamily, borderRadius] = [
    '--accent',
    '--surface',
    '--text',
    '--danger',
    '--font',
    '--radius',
  ].map(value)
  return { variables: { colorPrimary, colorBackground, colorText, colorDanger, fontFamily, borderRadius } }
}

/** Rejects where the script cannot be had. */
export async function openCardFields(
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
    appearance: looks(),
  })
  const field = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } })
  const refused = ({ message }: Refusal) => ({ problem: message ?? '' })
  return {
    show: (place) => field.mount(place),
    async token() {
      const { error } = await elements.submit()
      if (error) return refused(error)
      const made = await stripe.createConfirmationToken({ elements })
      return made.confirmationToken ? { token: made.confirmationToken.id } : refused(made.error ?? {})
    },
    close: () => field.destroy(),
  }
}
