/**
 * What a way of paying must do. Nothing here is ever believed twice: a notice or a return only says that it is worth
 * asking, and what counts is the answer to `query`, compared with what was to be paid (S-95).
 */
import type { Currency, Hundredths } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface Money {
  amount: Hundredths
  currency: Currency
}

export interface PaymentStartInput {
  /**
   * Ours, the same at every attempt of one payment, made by `toPaymentKey`. The gateway takes money once for it, however often
   * it is begun.
   */
  key: string
  /** What is paid, for people who read the gateway's own lists. */
  order: string
  money: Money
  description: string
  /** Where the browser comes back to, without a query: Alipay would sign that as its own. What it adds is for `readReturn`. */
  returnUrl: string
  cancelUrl: string
  /** What the payer's browser was given by the gateway for a card (D67); null: the gateway asks for the card itself. */
  token: string | null
  language: Language
  device: 'desktop' | 'phone'
}

export type PaymentStartResult =
  /** Paid, or on its way to be. */
  | { kind: 'taken'; payment: GatewayPayment }
  /** The payer goes on there. */
  | { kind: 'redirect'; url: string; gatewayId: string | null }
  | { kind: 'declined'; code: 'CARD_INVALID'; reason: string }

/** What the gateway says of a payment. */
export interface GatewayPayment {
  key: string
  gatewayId: string
  /** `open`: the payer has not done their part; `failed`: it was refused and nothing more happens by itself. */
  status: 'open' | 'processing' | 'paid' | 'failed' | 'closed'
  amount: Hundredths
  /** As we write it; the gateway's own name where it is none of ours. */
  currency: string
}

/** A payment that was begun. */
export interface PaymentAttempt {
  key: string
  /** Null: its answer never came. */
  gatewayId: string | null
  /** Epoch ms, not later than it was. */
  startedAt: number
}

/** All of a payment is given back. */
export interface RefundRequest {
  /** Ours, the same at every try of one refund: the gateway gives money back once for it. */
  refundKey: string
  payment: PaymentAttempt
  amount: Hundredths
  /** As we write it. */
  currency: string
  /** For people who read the gateway's lists. */
  reason: string
}

export interface RefundResult {
  /** `pending`: the gateway has taken it on and is not done; `failed`: it will not be done. */
  status: 'done' | 'pending' | 'failed'
  /** The gateway's own name for it. */
  reference: string
}

export interface PaymentNotice {
  /** The same when the gateway repeats it. */
  id: string
  key: string
  gatewayId: string
}

export interface PaymentDriver {
  /** Throws PaymentProblem. */
  start(input: PaymentStartInput): Promise<PaymentStartResult>
  /** What the gateway knows now; null: it knows of none. Throws PaymentProblem. */
  query(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Ends what is still open, so that nothing is paid for an order that is gone. What was paid stays so, and is said. */
  close(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Gives the payment back. Throws PaymentProblem: where it is not final, ask `queryRefund` before it is tried again. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** What the gateway knows of a refund, also of one that people made in its own pages; null: it knows of none. */
  queryRefund(request: RefundRequest): Promise<RefundResult | null>
  /** By the bytes as they came; null: about something else. Throws NoticeProblem. */
  readNotice(raw: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentNotice | null>
  /** By what the browser brought back; null: it brought nothing of ours. Throws NoticeProblem. */
  readReturn(query: URLSearchParams): Promise<PaymentNotice | null>
  /** What the gateway must read to stop repeating a notice. */
  acknowledgement: string
}

/** Of an intent or another id: what all gateways take as a name, Alipay's 64 letters, digits and underscores being the least. */
export const toPaymentKey = (id: string): string => id.replace(/[^\w]/g, '').slice(0, 64)

/** In what a payment is not the one that was to be made; null: it is. Nothing is applied unless it is null. */
export function findPaymentDifference(
  payment: GatewayPayment,
  expected: Money & { key: string },
): 'key' | 'amount' | 'currency' | null {
  if (payment.key !== expected.key) return 'key'
  if (payment.currency !== expected.currency) return 'currency'
  return payment.amount === expected.amount ? null : 'amount'
}

/** Adds to an address, whatever it already carries. */
export function withQuery(address: string, fields: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value)
  return url.href
}
