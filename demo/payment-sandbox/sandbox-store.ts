/** Defines the tables of the sandbox. Amounts are in hundredths; currency codes are those of each gateway. */
import type { Language } from '#domain/accounts/users.ts'
import type { SandboxJournal } from '#demo/payment-sandbox/journal.ts'

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
  /** Number of the card that waits until its owner is authenticated by the bank. Null if no card waits. */
  card: string | null
}

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
  /** Id of the session's payment. Null until a card was tried. */
  intent: string | null
}

export type AlipayGatewayName = 'alipay' | 'globalAlipay'

/** The id consists of the gateway and the shop's trade number. */
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

export interface SandboxRefund {
  /** Stripe's refund id, or for Alipay the gateway and the shop's refund name. */
  id: string
  gate: 'stripe' | AlipayGatewayName
  /** Id of the intent or the trade. */
  of: string
  created: number
  amount: number
  currency: string
  metadata: Record<string, string>
  /** True while queries of its name do not find it yet, as at Alipay. */
  isHidden?: boolean
  /** Stripe's reason if the bank has sent the money back. */
  failure?: string
}

/** A dispute of a card payment, with Stripe's states. */
export interface SandboxDispute {
  id: string
  /** Id of the intent. */
  of: string
  /** Epoch seconds. */
  created: number
  amount: number
  currency: string
  reason: string
  status: 'warning_needs_response' | 'needs_response' | 'won' | 'lost' | 'warning_closed'
  /** Epoch seconds. */
  dueBy: number
}

/** Token for a test card. It can be used for one payment. */
export interface CardToken {
  id: string
  /** Epoch seconds. */
  created: number
  number: string
  isUsed: boolean
}

/** The stored response of an idempotency key, returned again if the key is repeated (Stripe's `Idempotency-Key`). */
export interface StoredStripeResponse {
  id: string
  /** Hash of method, path and body. */
  print: string
  status: number
  body: string
}

export interface WebhookCall {
  id: string
  gate: 'stripe' | AlipayGatewayName
  url: string
  /** Body of the call, the same at every attempt. The signature of a Stripe call is in a header and new at every attempt. */
  body: string
  attempts: number
  /** Epoch ms. Null if no further attempt is due. */
  nextAt: number | null
}

export interface SandboxTables {
  intents: SandboxIntent
  sessions: CheckoutSession
  trades: AlipayTrade
  refunds: SandboxRefund
  disputes: SandboxDispute
  tokens: CardToken
  answers: StoredStripeResponse
  calls: WebhookCall
}

export type SandboxStore = SandboxJournal<SandboxTables>

/** Refunds that have not failed. */
const listDoneRefunds = (store: SandboxStore) => store.list('refunds').filter(({ failure }) => failure === undefined)

export const sumSandboxRefunds = (store: SandboxStore, paymentId: string): number =>
  listDoneRefunds(store)
    .filter((refund) => refund.of === paymentId)
    .reduce((sum, { amount }) => sum + amount, 0)

/** Money that banks took back after lost disputes. */
export const sumLostDisputes = (store: SandboxStore, paymentId: string): number =>
  store
    .list('disputes')
    .filter(({ of, status }) => of === paymentId && status === 'lost')
    .reduce((sum, { amount }) => sum + amount, 0)

/** Payments minus refunds and lost disputes of each gateway, in hundredths by currency. Tests compare them with the paid orders. */
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
  for (const { gate: gateway, currency, amount } of listDoneRefunds(store)) add(gateway, currency, -amount)
  for (const { status, currency, amount } of store.list('disputes'))
    if (status === 'lost') add('stripe', currency, -amount)
  return sums
}
