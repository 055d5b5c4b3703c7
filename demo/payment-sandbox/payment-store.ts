/** What the sandbox keeps of payments. Amounts are hundredths; currencies as each gateway writes them. */
import type { Language } from '#domain/accounts/users.ts'
import type { Journal } from '#demo/payment-sandbox/journal.ts'

/** A payment intent of Stripe. */
export interface Intent {
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
export interface Session {
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

export type AlipayGate = 'alipay' | 'globalAlipay'

/** A trade of Alipay; the id is gate and the shop's own number. */
export interface Trade {
  id: string
  gate: AlipayGate
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
export interface GivenBack {
  /** The gateway's own name; of Alipay the gate and the shop's name of the refund. */
  id: string
  gate: 'stripe' | AlipayGate
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
export interface Answered {
  id: string
  /** Of method, path and body. */
  print: string
  status: number
  body: string
}

/** A call to the shop. */
export interface Call {
  id: string
  gate: 'stripe' | AlipayGate
  url: string
  /** As it is sent; Stripe's is signed anew each time. */
  body: string
  attempts: number
  /** Epoch ms; null: nothing more is to be done. */
  nextAt: number | null
}

export interface Books {
  intents: Intent
  sessions: Session
  trades: Trade
  refunds: GivenBack
  tokens: CardToken
  answers: Answered
  calls: Call
}

export type SandboxBooks = Journal<Books>

/** What of an intent or a trade was given back. */
export const givenBack = (books: SandboxBooks, of: string): number =>
  books
    .all('refunds')
    .filter((one) => one.of === of)
    .reduce((sum, { amount }) => sum + amount, 0)

/** What each gateway took and did not give back, in hundredths by currency: the other side of every order that was paid. */
export function balances(books: SandboxBooks): Record<'stripe' | AlipayGate, Record<string, number>> {
  const sums = { stripe: {}, alipay: {}, globalAlipay: {} } as Record<'stripe' | AlipayGate, Record<string, number>>
  const add = (gate: 'stripe' | AlipayGate, currency: string, amount: number) => {
    sums[gate][currency] = (sums[gate][currency] ?? 0) + amount
  }
  for (const { status, currency, amount } of books.all('intents'))
    if (status === 'succeeded') add('stripe', currency, amount)
  for (const { id, gate, status, currency, amount } of books.all('trades'))
    if (status === 'TRADE_SUCCESS' || (status === 'TRADE_CLOSED' && givenBack(books, id) > 0))
      add(gate, currency, amount)
  for (const { gate, currency, amount } of books.all('refunds')) add(gate, currency, -amount)
  return sums
}
