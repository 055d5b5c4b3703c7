/**
 * Card payments as Stripe keeps them. Nothing is written here: what changes is handed back, so that it reaches the
 * journal as one line together with the answer and the calls that tell of it.
 */
import { randomBytes } from 'node:crypto'
import type { Books, Call, Intent, Session } from '#demo/payment-sandbox/payment-store.ts'
import type { Calls } from '#demo/payment-sandbox/webhooks.ts'
import { cardOf, type TestCard } from '#demo/payment-sandbox/test-cards.ts'

export type Changes = { [N in keyof Books]?: Books[N][] }

export const newId = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`

export interface CardPayments {
  makeIntent(asked: Pick<Intent, 'amount' | 'currency' | 'description' | 'metadata' | 'return_url'>): Intent
  /** With the card of that number; unknown numbers are declined as Stripe declines them. */
  pay(intent: Intent, number: string): Intent
  /** What the payer answered to their bank. */
  authenticate(intent: Intent, isOwner: boolean): Intent
  /** With what the shop is told of them. */
  changes(intent: Intent, session?: Session): Changes
}

/** `links.authenticate`: the page on which the payer's bank asks. */
export function cardPayments(calls: Calls, webhookUrl: () => string, clock: () => number, links: Links): CardPayments {
  const event = (type: string, object: object): Call => {
    const id = newId('evt')
    const created = Math.floor(clock() / 1000)
    const body = JSON.stringify({ id, object: 'event', created, livemode: false, type, data: { object } })
    return calls.compose({ id, gate: 'stripe', url: webhookUrl(), body })
  }

  return {
    makeIntent(asked) {
      const id = newId('pi')
      return {
        ...asked,
        id,
        created: Math.floor(clock() / 1000),
        client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
        status: 'requires_payment_method',
        last_payment_error: null,
        card: null,
      }
    },
    pay(intent, number) {
      const card = cardOf(number) ?? { verdict: 'declines', code: 'incorrect_number' }
      if (card.verdict === 'declines') return declined(intent, card)
      if (card.verdict === 'ok') return { ...intent, status: 'succeeded', last_payment_error: null }
      return { ...intent, status: 'requires_action', last_payment_error: null, card: number }
    },
    authenticate(intent, isOwner) {
      if (!isOwner) return declined(intent, { verdict: 'declines', code: 'payment_intent_authentication_failure' })
      const card = cardOf(intent.card ?? '')
      if (card?.verdict === 'asks, then declines') return declined(intent, card)
      return { ...intent, status: 'succeeded', last_payment_error: null, card: null }
    },
    changes(intent, session) {
      const told = [event(eventTypes[intent.status], apiIntent(intent, links))]
      const isComplete = session?.status === 'complete'
      if (isComplete) told.push(event('checkout.session.completed', apiSession(session, intent, links)))
      return { intents: [intent], calls: told, ...(session ? { sessions: [session] } : {}) }
    },
  }
}

export interface Links {
  authenticate(intent: Intent): string
  checkout(session: Session): string
}

const eventTypes: Record<Intent['status'], string> = {
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

function declined(intent: Intent, { code = 'card_declined', declineCode }: TestCard): Intent {
  const message = messages[code] ?? 'Your card was declined.'
  return {
    ...intent,
    status: 'requires_payment_method',
    last_payment_error: { type: 'card_error', code, ...(declineCode ? { decline_code: declineCode } : {}), message },
    card: null,
  }
}

/** As Stripe writes it, as far as it is read. */
export function apiIntent(intent: Intent, links: Links): object {
  const { card: _card, return_url, ...said } = intent
  const url = links.authenticate(intent)
  return {
    ...said,
    object: 'payment_intent',
    livemode: false,
    amount_received: intent.status === 'succeeded' ? intent.amount : 0,
    next_action:
      intent.status === 'requires_action' ? { type: 'redirect_to_url', redirect_to_url: { url, return_url } } : null,
  }
}

export function apiSession(session: Session, intent: Intent | null, links: Links): object {
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
    payment_intent: intent === null ? null : apiIntent(intent, links),
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    url: status === 'open' ? links.checkout(session) : null,
  }
}
