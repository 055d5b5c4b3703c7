/** Notices and returning browsers are not trusted: they only trigger a `query`, whose result is compared (S-95). */
import type { Currency, Hundredths } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface Money {
  amount: Hundredths
  currency: Currency
}

export interface PaymentStartInput {
  /** Created by `toPaymentKey`, the same at every attempt of one payment. The gateway charges only once for it. */
  key: string
  /** Describes the purchase for people who read the gateway's own lists. */
  order: string
  money: Money
  description: string
  /** Without a query, which Alipay would sign as its own fields. `readReturn` parses what the gateway adds. */
  returnUrl: string
  cancelUrl: string
  /** Card token from the payer's browser (D67). Null if the gateway's own page asks for the card. */
  token: string | null
  language: Language
  device: 'desktop' | 'phone'
}

export type PaymentStartResult =
  /** Paid or being processed. */
  | { kind: 'taken'; payment: GatewayPayment }
  /** The payer has to continue on this page. */
  | { kind: 'redirect'; url: string; gatewayId: string | null }
  | { kind: 'declined'; code: 'CARD_INVALID'; reason: string }

export interface GatewayPayment {
  key: string
  gatewayId: string
  /** `open`: the payer has not finished. `failed`: refused, and nothing else happens automatically. */
  status: 'open' | 'processing' | 'paid' | 'failed' | 'closed'
  amount: Hundredths
  /** The portal's currency code, or the gateway's code if the portal does not know it. */
  currency: string
}

export interface PaymentAttempt {
  key: string
  /** Null if the response of the start was lost. */
  gatewayId: string | null
  /** Epoch ms, not later than the real start. */
  startedAt: number
}

/** Refunds the complete payment. */
export interface RefundRequest {
  /** The same at every attempt of one refund. The gateway refunds only once for it. */
  refundKey: string
  payment: PaymentAttempt
  amount: Hundredths
  currency: string
  /** Shown to people who read the gateway's lists. */
  reason: string
}

export interface RefundResult {
  /** `pending`: accepted but not finished. `failed`: it will not be executed. */
  status: 'done' | 'pending' | 'failed'
  reference: string
}

export interface PaymentNotice {
  /** The same if the gateway repeats the notice. */
  id: string
  key: string
  gatewayId: string
}

export interface PaymentDriver {
  start(input: PaymentStartInput): Promise<PaymentStartResult>
  /** Current state at the gateway. Returns null if it knows no such payment. Throws PaymentProblem. */
  query(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Closes an open payment, so that nobody pays for a cancelled order. A paid one stays paid and is returned. */
  close(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Refunds the payment. Throws PaymentProblem; if it is not final, call `queryRefund` before a retry. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** State of the refund, even if it was made on the gateway's own pages. Returns null if the gateway knows none. */
  queryRefund(request: RefundRequest): Promise<RefundResult | null>
  /** `raw` must be the unchanged bytes. Returns null if the notice is about something else. Throws NoticeProblem. */
  readNotice(raw: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentNotice | null>
  /** `query` of the returning browser. Returns null if it contains nothing of this gateway. Throws NoticeProblem. */
  readReturn(query: URLSearchParams): Promise<PaymentNotice | null>
  /** Response body after which the gateway stops repeating a notice. */
  acknowledgement: string
}

/** Makes a key that all gateways accept. Alipay is the strictest: 64 letters, digits and underscores. */
export const toPaymentKey = (id: string): string => id.replace(/[^\w]/g, '').slice(0, 64)

/** Returns what differs from the expected payment, or null. A payment that differs is never applied. */
export function findPaymentDifference(
  payment: GatewayPayment,
  expected: Money & { key: string },
): 'key' | 'amount' | 'currency' | null {
  if (payment.key !== expected.key) return 'key'
  if (payment.currency !== expected.currency) return 'currency'
  return payment.amount === expected.amount ? null : 'amount'
}

/** Adds the fields to the URL and keeps its existing query. */
export function withQuery(address: string, fields: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value)
  return url.href
}
