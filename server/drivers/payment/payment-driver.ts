/**
 * Defines the driver of a payment gateway. Notices and returning browsers are not trusted: they only trigger a `query`, whose result is
 * compared (S-95).
 */
import type { Currency, Hundredths } from '#domain/money.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface Money {
  amount: Hundredths
  currency: Currency
}

export interface PaymentStartInput {
  /** Key of the payment, created by `toPaymentKey` and the same at every attempt. The gateway charges only once for it. */
  key: string
  /** Kind and id of what is paid, for people who read the gateway's own lists. */
  order: string
  money: Money
  description: string
  /** URL without a query, because Alipay would sign the query as its own fields. `readReturn` parses what the gateway adds. */
  returnUrl: string
  cancelUrl: string
  /** Card token from the payer's browser (D67). Null if the gateway's own page asks for the card. */
  token: string | null
  language: Language
  device: 'desktop' | 'phone'
}

export type PaymentStartResult =
  /** The payment is done or being processed. */
  | { kind: 'taken'; payment: GatewayPayment }
  /** The payer has to continue on this page. */
  | { kind: 'redirect'; url: string; gatewayId: string | null }
  | { kind: 'declined'; code: 'CARD_INVALID'; reason: string }

export interface GatewayPayment {
  key: string
  gatewayId: string
  /** `open`: the payer has not finished. `failed`: the payment was refused, and the gateway does not continue by itself. */
  status: 'open' | 'processing' | 'paid' | 'failed' | 'closed'
  amount: Hundredths
  /** The portal's currency code, or the gateway's code if the portal does not know it. */
  currency: string
}

export interface PaymentAttempt {
  key: string
  /** Id of the payment at the gateway. Null if the response of the start was lost. */
  gatewayId: string | null
  /** Start of the payment in epoch ms. It may be earlier than the real start, never later. */
  startedAt: number
}

/** Request to refund a payment, or a part of it. */
export interface RefundRequest {
  /** Key of the refund, the same at every attempt. The gateway refunds only once for it, and refuses it with another amount. */
  refundKey: string
  payment: PaymentAttempt
  /** At most what is left of the payment. */
  amount: Hundredths
  currency: string
  /** Shown to people who read the gateway's lists. */
  reason: string
}

export interface RefundResult {
  /** `pending`: accepted but not finished. `failed`: the refund will not be executed. */
  status: 'done' | 'pending' | 'failed'
  reference: string
}

/** A refund that the gateway has: of the portal, or made on the gateway's own pages. */
export interface GatewayRefund {
  /** The refund's number at the gateway. */
  reference: string
  /** `refundKey` of a refund that the portal sent. Null if the gateway does not know it. */
  key: string | null
  amount: Hundredths
  status: RefundResult['status']
  /** The gateway's code of the reason if it failed. */
  failure: string | null
}

export interface RecentRefund extends GatewayRefund {
  /** Key of the payment. */
  paymentKey: string
}

export interface GatewayRefunds {
  /** All refunds, or those that the gateway can name. */
  refunds: readonly GatewayRefund[]
  /** Sum of all refunds that are done, for a gateway that cannot list them. Null if `refunds` is complete, or the sum is unknown. */
  total: Hundredths | null
}

export interface GatewayDispute {
  reference: string
  amount: Hundredths
  /** The portal's currency code, or the gateway's code if the portal does not know it. It may differ from the payment's. */
  currency: string
  /** The gateway's code. */
  reason: string
  /** A question of the bank before a dispute. The payment is still complete, and a refund may settle it. */
  isInquiry: boolean
  state: 'open' | 'won' | 'lost' | 'closed'
  /** Time until which the gateway accepts evidence, epoch ms. */
  respondBy: number | null
}

export interface PaymentNotice {
  /** Id of the notice, the same if the gateway repeats it. */
  id: string
  /** `refund` and `dispute` are about a payment that was made. */
  kind: 'payment' | 'refund' | 'dispute'
  /** Null if the notice names the payment only by `gatewayId`. */
  key: string | null
  gatewayId: string
  /** Names of refunds in the notice, for a gateway that lists refunds by name only. */
  refundNames: readonly string[]
  /** Sum of all refunds in a notice without `refundNames`. Null if the notice has no sum. */
  refundSum: Hundredths | null
}

/** The payment of a returning browser. */
export interface ReturnedPayment {
  key: string
  gatewayId: string
}

export interface PaymentDriver {
  start(input: PaymentStartInput): Promise<PaymentStartResult>
  /** Returns the current state at the gateway, or null if the gateway has no such payment. Throws PaymentProblem. */
  query(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Closes an open payment, so that nobody pays for a cancelled order. Returns its state; a payment that was made stays paid. */
  close(attempt: PaymentAttempt): Promise<GatewayPayment | null>
  /** Refunds the amount. Throws PaymentProblem. If the problem is not final, call `queryRefund` before a retry. */
  refund(request: RefundRequest): Promise<RefundResult>
  /**
   * Returns the state of exactly the refund with this key. Returns null if the gateway has no such refund, or has no such query; it then accepts
   * the same request again without a second effect.
   */
  queryRefund(request: RefundRequest): Promise<RefundResult | null>
  /**
   * Returns all refunds of the payment. `names`, `sum`: names of refunds and the sum of all refunds that a notice contained, for a gateway
   * that cannot list them. Throws PaymentProblem, also if a named refund is not found yet.
   */
  readRefunds(attempt: PaymentAttempt, names: readonly string[], sum?: Hundredths | null): Promise<GatewayRefunds>
  /**
   * Returns refunds that the gateway has created since `from`, in epoch ms, with the keys of their payments. Empty for a gateway that cannot list
   * them. Throws PaymentProblem.
   */
  listRecentRefunds(from: number): Promise<readonly RecentRefund[]>
  /** Returns all disputes about the payment. Throws PaymentProblem. */
  readDisputes(attempt: PaymentAttempt): Promise<readonly GatewayDispute[]>
  /** Reads a notice. `raw` must be the unchanged bytes. Returns null if it is about something else. Throws NoticeProblem. */
  readNotice(raw: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentNotice | null>
  /** Reads the query with which a browser returns. Returns null if it contains nothing of this gateway. Throws NoticeProblem. */
  readReturn(query: URLSearchParams): Promise<ReturnedPayment | null>
  /** Response body that confirms a notice, so that the gateway stops repeating it. */
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
