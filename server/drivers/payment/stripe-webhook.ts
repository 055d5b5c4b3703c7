/** Verifies Stripe's webhook calls. The signature covers the bytes and the time (S-95). */
import type { Stripe } from 'stripe'
import type { PaymentNotice } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem } from '#server/drivers/payment/payment-problem.ts'
import type { StripeSettings } from '#server/config/payment-config.ts'

/** Maximum age of a signature in seconds. Stripe signs each repeated call again. */
const toleranceSeconds = 300

export function readStripeNotice(
  stripe: Stripe,
  { webhookSecrets, secretKey }: StripeSettings,
  raw: Buffer,
  headers: Record<string, string | string[] | undefined>,
  now: number,
): PaymentNotice | null {
  const event = verifyEvent(stripe, webhookSecrets, raw, String(headers['stripe-signature'] ?? ''), now)
  // Stripe's test mode and live mode may call the same URL. A test payment must not pay an order.
  if (event.livemode !== /_live_/.test(secretKey)) throw new NoticeProblem('mode')
  const object = event.data.object as NoticeObject
  const kind = findKind(event.type)
  // A refund and a dispute name the payment that they are about.
  const gatewayId = kind === 'payment' ? object.id : object.payment_intent
  const key = kind === 'payment' ? object.metadata?.key : null
  if (kind === null || typeof gatewayId !== 'string' || key === undefined || (key !== null && typeof key !== 'string'))
    return null
  return { id: event.id, kind, key, gatewayId, refundNames: [], refundSum: null }
}

interface NoticeObject {
  id?: unknown
  payment_intent?: unknown
  metadata?: { key?: unknown } | null
}

function findKind(type: string): PaymentNotice['kind'] | null {
  if (/^(payment_intent|checkout\.session)\./.test(type)) return 'payment'
  if (/^(charge\.refund(ed|\.)|refund\.)/.test(type)) return 'refund'
  return type.startsWith('charge.dispute.') ? 'dispute' : null
}

/** Tries all secrets, because two are valid while a secret is being replaced. */
function verifyEvent(
  stripe: Stripe,
  secrets: readonly string[],
  raw: Buffer,
  header: string,
  now: number,
): Stripe.Event {
  let problem: NoticeProblem = new NoticeProblem('signature')
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(raw, header, secret, toleranceSeconds, undefined, now)
    } catch (error) {
      const message = error instanceof Error ? error.message : ''
      if (error instanceof SyntaxError) problem = new NoticeProblem('form')
      else if (message.startsWith('Timestamp outside')) problem = new NoticeProblem('stale')
    }
  }
  throw problem
}
