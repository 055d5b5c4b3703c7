/** Stripe's objects in our words. */
import type { Stripe } from 'stripe'
import type { Currency } from '#domain/money.ts'
import type { Payment, RefundResult } from '#server/drivers/payment/driver.ts'

/** RMB is written cny at the gateway alone (D24). All three have hundredths. */
export const currencyCodes: Record<Currency, string> = { HKD: 'hkd', USD: 'usd', RMB: 'cny' }

const ours: Record<string, Currency> = { hkd: 'HKD', usd: 'USD', cny: 'RMB' }
const currencyOf = (code: string) => ours[code] ?? code.toUpperCase()

export function asPayment(intent: Stripe.PaymentIntent): Payment {
  return {
    key: intent.metadata.key ?? '',
    gatewayId: intent.id,
    status: statusOf(intent),
    // What was really taken, where it was.
    amount: BigInt(intent.status === 'succeeded' ? intent.amount_received : intent.amount),
    currency: currencyOf(intent.currency),
  }
}

function statusOf({ status, last_payment_error }: Stripe.PaymentIntent): Payment['status'] {
  if (status === 'succeeded') return 'paid'
  if (status === 'processing') return 'processing'
  if (status === 'canceled') return 'closed'
  return status === 'requires_payment_method' && last_payment_error ? 'failed' : 'open'
}

/** The session's own id stays the payment's: by it the page is closed, and a card that was refused there can be tried again. */
export function sessionAsPayment(session: Stripe.Checkout.Session): Payment {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null
  const isPaid = session.payment_status === 'paid'
  const unpaid = session.status === 'expired' ? 'closed' : session.status === 'complete' ? 'processing' : 'open'
  return {
    key: session.metadata?.key ?? '',
    gatewayId: session.id,
    status: isPaid ? 'paid' : unpaid,
    amount: BigInt((isPaid ? intent?.amount_received : null) ?? session.amount_total ?? 0),
    currency: currencyOf(session.currency ?? ''),
  }
}

export function asRefund({ id, status }: Stripe.Refund): RefundResult {
  if (status === 'succeeded') return { status: 'done', reference: id }
  return { status: status === 'failed' || status === 'canceled' ? 'failed' : 'pending', reference: id }
}
