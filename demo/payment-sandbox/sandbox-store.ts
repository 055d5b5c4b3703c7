/** What the sandbox keeps of payments. Amounts are hundredths; currencies as each gateway writes them. */
import type { Language } from '#domain/accounts/users.ts'
import type { SandboxJournal } from '#demo/payment-sandbox/journal.ts'

/** A payment intent of Stripe. */
export interface SandboxIntent {
  id: string
  created: number
  amount: number
  currency: string
  description: string | null
  metadata: Record<string, string>
  client_secret: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  last_payment_error: { type: 'card_error'; code: string; decline_code?: string; message: string } | null
  return_url: string | null
  /** Of the card that waits for its owner at the bank. */
  card: string | null
}

/** A checkout session of Stripe: its page for cards. */
export interface CheckoutSession {
  id: string
  created: number
  amount: number
  currency: string
  description: string
  metadata: Record<string, string>
  intentMetadata: Record<string, string>
  status: 'open' | 'complete' | 'expired'
  successUrl: string
  cancelUrl: string
  locale: Language
  /** Null until a card was tried. */
  intent: string | null
}

export type AlipayGatewayName = 'alipay' | 'globalAlipay'

/** A trade of Alipay; the id is gate and the shop's own number. */
export interface AlipayTrade {
  id: string
  gate: AlipayGatewayName
  outTradeNo: string
  tradeNo: string
  amount: number
  currency: string
  subject: string
  passback: string | null
  notifyUrl: string
  returnUrl: string
  quitUrl: string | null
  status: 'WAIT_BUYER_PAY' | 'TRADE_SUCCESS' | 'TRADE_CLOSED'
  created: number
}

/** Money that was given back of an intent or a trade. */
export interface SandboxRefund {
  /** The gateway's own name; of Alipay the gate and the shop's name of the refund. */
  id: string
  gate: 'stripe' | AlipayGatewayName
  /** The id of the intent or the trade. */
  of: string
  created: number
  amount: number
  currency: string
  metadata: Record<string, string>
}

/** A token for a test card, good for one payment. */
export interface CardToken {
  id: string
  /** Epoch seconds. */
  created: number
  number: string
  isUsed: boolean
}

/** What was answered to a key, so that it is answered again (Stripe's `Idempotency-Key`). */
export interface StoredStripeResponse {
  id: string
  /** Of method, path and body. */
  print: string
  status: number
  body: string
}

/** A call to the shop. */
export interface WebhookCall {
  id: string
  gate: 'stripe' | AlipayGatewayName
  url: string
  /** As it is sent; Stripe's is signed anew each time. */
  body: string
  attempts: number
  /** Epoch ms; null: nothing more is to be done. */
  nextAt: number | null
}

export interface SandboxTables {
  intents: SandboxIntent
  sessions: CheckoutSession
  trades: AlipayTrade
  refunds: SandboxRefund
  tokens: CardToken
  answers: StoredStripeResponse
  calls: WebhookCall
}

export type SandboxStore = SandboxJournal<SandboxTables>

/** What of an intent or a trade was given back. */
export const sumSandboxRefunds = (store: SandboxStore, paymentId: string): number =>
  store
    .list('refunds')
    .filter((refund) => refund.of === paymentId)
    .reduce((sum, { amount }) => sum + amount, 0)

/** What each gateway took and did not give back, in hundredths by currency: the other side of every order that was paid. */
export function calculateSandboxBalances(
  store: SandboxStore,
): Record<'stripe' | AlipayGatewayName, Record<string, number>> {
  const sums = { stripe: {}, alipay: {}, globalAlipay: {} } as Record<
    'stripe' | AlipayGatewayName,
    Record<string, number>
  >
  const add = (gateway: 'stripe' | AlipayGatewayName, currency: string, amount: number) => {
    sums[gateway][currency] = (sums[gateway][currency] ?? 0) + amount
  }
  for (const { status, currency, amount } of store.list('intents'))
    if (status === 'succeeded') add('stripe', currency, amount)
  for (const { id, gate: gateway, status, currency, amount } of store.list('trades'))
    if (status === 'TRADE_SUCCESS' || (status === 'TRADE_CLOSED' && sumSandboxRefunds(store, id) > 0))
      add(gateway, currency, amount)
  for (const { gate: gateway, currency, amount } of store.list('refunds')) add(gateway, currency, -amount)
  return sums
}
