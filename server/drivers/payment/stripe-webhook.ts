/** What Stripe calls us with: signed over the bytes, with the time in it (S-95). */
import type { Stripe } from 'stripe'
import type { PaymentNotice } from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem } from '#server/drivers/payment/payment-problem.ts'
import type { StripeSettings } from '#server/config/payment-config.ts'

/** Seconds; Stripe signs each repeat anew. */
const toleranceSeconds = 300

export function readStripeNotice(
  stripe: Stripe,
  { webhookSecrets, secretKey }: StripeSettings,
  raw: Buffer,
  headers: Record<string, string | string[] | undefined>,
  now: number,
): PaymentNotice | null {
  const event = verifyEvent(stripe, webhookSecrets, raw, String(headers['stripe-signature'] ?? ''), now)
  // Both modes may call one address; test money must not pay.
  if (event.livemode !== /_live_/.test(secretKey)) throw new NoticeProblem('mode')
  const object = event.data.object as { id?: unknown; metadata?: { key?: unknown } | null }
  const key = object.metadata?.key
  if (!/^(payment_intent|checkout\.session)\./.test(event.type)) return null
  return typeof key === 'string' && typeof object.id === 'string' ? { id: event.id, key, gatewayId: object.id } : null
}

/** While a secret is being changed there are two. */
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
