/** Executes card payments without storing them. The caller writes the returned changes and its response to the journal in one line. */
import { randomBytes } from 'node:crypto'
import type { SandboxTables, WebhookCall, SandboxIntent, CheckoutSession } from '#demo/payment-sandbox/sandbox-store.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import { findTestCard, type TestCard } from '#demo/payment-sandbox/test-cards.ts'

export type SandboxChanges = { [Table in keyof SandboxTables]?: SandboxTables[Table][] }

export const createId = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`

export interface CardPayments {
  createIntent(
    params: Pick<SandboxIntent, 'amount' | 'currency' | 'description' | 'metadata' | 'return_url'>,
  ): SandboxIntent
  /** Tries to pay with the card number. Unknown numbers are declined, as Stripe does. */
  payIntent(intent: SandboxIntent, number: string): SandboxIntent
  /** `isOwner` is true if the payer confirms the payment on the bank's page. */
  authenticateIntent(intent: SandboxIntent, isOwner: boolean): SandboxIntent
  /** Returns the rows to store, with the webhook calls that notify the shop. */
  buildChanges(intent: SandboxIntent, session?: CheckoutSession): SandboxChanges
  /** Returns the webhook call of an event. The caller stores it. */
  buildEvent(type: string, object: object): WebhookCall
}

export function createCardPayments(
  webhooks: WebhookSender,
  getWebhookUrl: () => string,
  clock: () => number,
  links: PaymentLinks,
): CardPayments {
  const createEventCall = (type: string, object: object): WebhookCall => {
    const id = createId('evt')
    const created = Math.floor(clock() / 1000)
    const body = JSON.stringify({ id, object: 'event', created, livemode: false, type, data: { object } })
    return webhooks.compose({ id, gate: 'stripe', url: getWebhookUrl(), body })
  }

  return {
    buildEvent: createEventCall,
    createIntent(params) {
      const id = createId('pi')
      return {
        ...params,
        id,
        created: Math.floor(clock() / 1000),
        client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
        status: 'requires_payment_method',
        last_payment_error: null,
        card: null,
      }
    },
    payIntent(intent, number) {
      const card = findTestCard(number) ?? { verdict: 'declines', code: 'incorrect_number' }
      if (card.verdict === 'declines') return declineIntent(intent, card)
      if (card.verdict === 'ok') return { ...intent, status: 'succeeded', last_payment_error: null }
      return { ...intent, status: 'requires_action', last_payment_error: null, card: number }
    },
    authenticateIntent(intent, isOwner) {
      if (!isOwner) return declineIntent(intent, { verdict: 'declines', code: 'payment_intent_authentication_failure' })
      const card = findTestCard(intent.card ?? '')
      if (card?.verdict === 'asks, then declines') return declineIntent(intent, card)
      return { ...intent, status: 'succeeded', last_payment_error: null, card: null }
    },
    buildChanges(intent, session) {
      const eventCalls = [createEventCall(eventTypes[intent.status], toApiIntent(intent, links))]
      const isComplete = session?.status === 'complete'
      if (isComplete)
        eventCalls.push(createEventCall('checkout.session.completed', toApiSession(session, intent, links)))
      return { intents: [intent], calls: eventCalls, ...(session ? { sessions: [session] } : {}) }
    },
  }
}

export interface PaymentLinks {
  getAuthenticationUrl(intent: SandboxIntent): string
  getCheckoutUrl(session: CheckoutSession): string
}

const eventTypes: Record<SandboxIntent['status'], string> = {
  requires_payment_method: 'payment_intent.payment_failed',
  requires_action: 'payment_intent.requires_action',
  succeeded: 'payment_intent.succeeded',
  canceled: 'payment_intent.canceled',
}

const messages: Record<string, string> = {
  incorrect_number: 'Your card number is incorrect.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  payment_intent_authentication_failure: 'The payment was not authenticated.',
}

function declineIntent(intent: SandboxIntent, { code = 'card_declined', declineCode }: TestCard): SandboxIntent {
  const message = messages[code] ?? 'Your card was declined.'
  return {
    ...intent,
    status: 'requires_payment_method',
    last_payment_error: { type: 'card_error', code, ...(declineCode ? { decline_code: declineCode } : {}), message },
    card: null,
  }
}

export function toApiIntent(intent: SandboxIntent, links: PaymentLinks): object {
  const { card: _card, return_url, ...apiFields } = intent
  const url = links.getAuthenticationUrl(intent)
  return {
    ...apiFields,
    object: 'payment_intent',
    livemode: false,
    amount_received: intent.status === 'succeeded' ? intent.amount : 0,
    next_action:
      intent.status === 'requires_action' ? { type: 'redirect_to_url', redirect_to_url: { url, return_url } } : null,
  }
}

export function toApiSession(session: CheckoutSession, intent: SandboxIntent | null, links: PaymentLinks): object {
  const { id, created, amount, currency, metadata, status, locale } = session
  return {
    id,
    object: 'checkout.session',
    livemode: false,
    created,
    mode: 'payment',
    amount_total: amount,
    currency,
    metadata,
    locale,
    status,
    payment_status: intent?.status === 'succeeded' ? 'paid' : 'unpaid',
    payment_intent: intent === null ? null : toApiIntent(intent, links),
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    url: status === 'open' ? links.getCheckoutUrl(session) : null,
  }
}
