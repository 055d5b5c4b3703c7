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

export interface Beginning {
  /**
   * Ours, the same at every attempt of one payment, made by `keyOf`. The gateway takes money once for it, however often
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

export type Begun =
  /** Paid, or on its way to be. */
  | { kind: 'taken'; payment: Payment }
  /** The payer goes on there. */
  | { kind: 'redirect'; url: string; gatewayId: string | null }
  | { kind: 'declined'; code: 'CARD_INVALID'; reason: string }

/** What the gateway says of a payment. */
export interface Payment {
  key: string
  gatewayId: string
  /** `open`: the payer has not done their part; `failed`: it was refused and nothing more happens by itself. */
  status: 'open' | 'processing' | 'paid' | 'failed' | 'closed'
  amount: Hundredths
  /** As we write it; the gateway's own name where it is none of ours. */
  currency: string
}

/** A payment that was begun. */
export interface Asked {
  key: string
  /** Null: its answer never came. */
  gatewayId: string | null
  /** Epoch ms, not later than it was. */
  begunAt: number
}

/** All of a payment is given back. */
export interface RefundRequest {
  /** Ours, the same at every try of one refund: the gateway gives money back once for it. */
  refundKey: string
  payment: Asked
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

export interface Notice {
  /** The same when the gateway repeats it. */
  id: string
  key: string
  gatewayId: string
}

export interface PaymentDriver {
  /** Throws PaymentProblem. */
  begin(beginning: Beginning): Promise<Begun>
  /** What the gateway knows now; null: it knows of none. Throws PaymentProblem. */
  query(asked: Asked): Promise<Payment | null>
  /** Ends what is still open, so that nothing is paid for an order that is gone. What was paid stays so, and is said. */
  close(asked: Asked): Promise<Payment | null>
  /** Gives the payment back. Throws PaymentProblem: where it is not final, ask `queryRefund` before it is tried again. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** What the gateway knows of a refund, also of one that people made in its own pages; null: it knows of none. */
  queryRefund(request: RefundRequest): Promise<RefundResult | null>
  /** By the bytes as they came; null: about something else. Throws NoticeProblem. */
  readNotice(raw: Buffer, headers: Record<string, string | string[] | undefined>): Promise<Notice | null>
  /** By what the browser brought back; null: it brought nothing of ours. Throws NoticeProblem. */
  readReturn(query: URLSearchParams): Promise<Notice | null>
  /** What the gateway must read to stop repeating a notice. */
  acknowledgement: string
}

/** Of an intent or another id: what all gateways take as a name, Alipay's 64 letters, digits and underscores being the least. */
export const keyOf = (id: string): string => id.replace(/[^\w]/g, '').slice(0, 64)

/** In what a payment is not the one that was to be made; null: it is. Nothing is applied unless it is null. */
export function differenceOf(payment: Payment, due: Money & { key: string }): 'key' | 'amount' | 'currency' | null {
  if (payment.key !== due.key) return 'key'
  if (payment.currency !== due.currency) return 'currency'
  return payment.amount === due.amount ? null : 'amount'
}

/** Adds to an address, whatever it already carries. */
export function withQuery(address: string, fields: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value)
  return url.href
}
