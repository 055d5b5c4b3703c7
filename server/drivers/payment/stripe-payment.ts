import type { Stripe } from 'stripe'
import type { Currency } from '#domain/money.ts'
import type {
  GatewayDispute,
  GatewayPayment,
  GatewayRefund,
  RefundResult,
} from '#server/drivers/payment/payment-driver.ts'

/** Stripe's code of each currency (D24). All three currencies have hundredths. */
export const currencyCodes: Record<Currency, string> = { HKD: 'hkd', USD: 'usd', RMB: 'cny' }

const currenciesByCode: Record<string, Currency> = { hkd: 'HKD', usd: 'USD', cny: 'RMB' }
const toCurrency = (code: string) => currenciesByCode[code] ?? code.toUpperCase()

export function toPayment(intent: Stripe.PaymentIntent): GatewayPayment {
  return {
    key: intent.metadata.key ?? '',
    gatewayId: intent.id,
    status: toPaymentStatus(intent),
    amount: BigInt(intent.status === 'succeeded' ? intent.amount_received : intent.amount),
    currency: toCurrency(intent.currency),
  }
}

function toPaymentStatus({ status, last_payment_error }: Stripe.PaymentIntent): GatewayPayment['status'] {
  if (status === 'succeeded') return 'paid'
  if (status === 'processing') return 'processing'
  if (status === 'canceled') return 'closed'
  return status === 'requires_payment_method' && last_payment_error ? 'failed' : 'open'
}

/**
 * Converts a session. The payment has the id of the session, not of its intent: the session can be closed, and the payer can try another
 * card in it.
 */
export function toSessionPayment(session: Stripe.Checkout.Session): GatewayPayment {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null
  const isPaid = session.payment_status === 'paid'
  const unpaidStatus = session.status === 'expired' ? 'closed' : session.status === 'complete' ? 'processing' : 'open'
  return {
    key: session.metadata?.key ?? '',
    gatewayId: session.id,
    status: isPaid ? 'paid' : unpaidStatus,
    amount: BigInt((isPaid ? intent?.amount_received : null) ?? session.amount_total ?? 0),
    currency: toCurrency(session.currency ?? ''),
  }
}

export function toRefundResult({ id, status }: Stripe.Refund): RefundResult {
  if (status === 'succeeded') return { status: 'done', reference: id }
  return { status: status === 'failed' || status === 'canceled' ? 'failed' : 'pending', reference: id }
}

export const toGatewayRefund = (refund: Stripe.Refund): GatewayRefund => ({
  reference: refund.id,
  key: refund.metadata?.key ?? null,
  amount: BigInt(refund.amount),
  status: toRefundResult(refund).status,
  failure: refund.failure_reason ?? null,
})

/** Final states of a dispute. Every other state of Stripe means that it is open. */
const disputeStates: Record<string, GatewayDispute['state']> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed',
  prevented: 'closed',
}

/** Converts a dispute. Stripe's time is in seconds. */
export const toGatewayDispute = ({
  id,
  amount,
  currency,
  reason,
  status,
  evidence_details,
}: Stripe.Dispute): GatewayDispute => ({
  reference: id,
  amount: BigInt(amount),
  currency: toCurrency(currency),
  reason,
  isInquiry: status.startsWith('warning_'),
  state: disputeStates[status] ?? 'open',
  respondBy: evidence_details?.due_by ? evidence_details.due_by * 1000 : null,
})
