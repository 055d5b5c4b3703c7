/**
 * Takes card payments by Stripe. A token from the browser is charged immediately, with 3-D Secure if the bank requires it. Without a token,
 * Stripe's own page asks for the card. The portal never receives card numbers (S-95).
 */
import { Stripe } from 'stripe'
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type PaymentAttempt,
  type PaymentStartInput,
  type PaymentStartResult,
  type GatewayPayment,
  type PaymentDriver,
  type RecentRefund,
  withQuery,
} from '#server/drivers/payment/payment-driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import { readStripeNotice } from '#server/drivers/payment/stripe-webhook.ts'
import {
  currencyCodes,
  toGatewayDispute,
  toGatewayRefund,
  toPayment,
  toRefundResult,
  toSessionPayment,
} from '#server/drivers/payment/stripe-payment.ts'
import type { StripeSettings } from '#server/config/payment-config.ts'

/** Timeout in ms and number of retries. A retry has the same idempotency key, so the card is charged only once. */
const clientOptions = { timeout: 20_000, maxNetworkRetries: 2 }
/** Allowed difference between the portal's and Stripe's clock in seconds, when payments are searched by time. */
const clockSlackSeconds = 600

export function createStripeDriver(settings: StripeSettings, clock: () => number): PaymentDriver {
  const stripe = new Stripe(settings.secretKey, {
    ...toAddressOptions(settings.apiUrl),
    ...clientOptions,
    telemetry: false,
  })
  const fetchIntent = (id: string) => withPaymentProblem(stripe.paymentIntents.retrieve(id))
  const fetchSession = (id: string) =>
    withPaymentProblem(stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] }))

  /**
   * Finds a payment by its key. A paid one is preferred, because charged money must be found; then a session, because its expiry also
   * closes its intent.
   */
  async function findByKey({ key, startedAt }: PaymentAttempt): Promise<GatewayPayment | null> {
    const created = { gte: Math.floor(startedAt / 1000) - clockSlackSeconds }
    const matches: GatewayPayment[] = []
    await withPaymentProblem(
      (async () => {
        for await (const session of stripe.checkout.sessions.list({ created, limit: 100 }))
          if (session.metadata?.key === key) matches.push(toSessionPayment(session))
        for await (const intent of stripe.paymentIntents.list({ created, limit: 100 }))
          if (intent.metadata.key === key) matches.push(toPayment(intent))
      })(),
    )
    return matches.find(({ status }) => status === 'paid') ?? matches[0] ?? null
  }

  async function query(attempt: PaymentAttempt): Promise<GatewayPayment | null> {
    const { gatewayId } = attempt
    if (gatewayId?.startsWith('pi_')) return toPayment(await fetchIntent(gatewayId))
    if (gatewayId?.startsWith('cs_')) return toSessionPayment(await fetchSession(gatewayId))
    return await findByKey(attempt)
  }

  async function close(attempt: PaymentAttempt): Promise<GatewayPayment | null> {
    const payment = await query(attempt)
    if (!payment || (payment.status !== 'open' && payment.status !== 'failed')) return payment
    const closeRequest: Promise<unknown> = payment.gatewayId.startsWith('cs_')
      ? stripe.checkout.sessions.expire(payment.gatewayId)
      : stripe.paymentIntents.cancel(payment.gatewayId)
    // The payment may succeed at the same moment. Then closing fails, and the query below returns the paid payment.
    await withPaymentProblem(closeRequest).catch((error: unknown) => {
      if (!(error instanceof PaymentProblem && error.isFinal)) throw error
    })
    return await query({ ...attempt, gatewayId: payment.gatewayId })
  }

  async function findIntentId(payment: PaymentAttempt): Promise<string> {
    const id = payment.gatewayId ?? (await findByKey(payment))?.gatewayId ?? ''
    if (id.startsWith('pi_')) return id
    const { payment_intent: intent } = await fetchSession(id)
    return (typeof intent === 'string' ? intent : intent?.id) ?? ''
  }

  async function listRefunds(payment: PaymentAttempt): Promise<Stripe.Refund[]> {
    const refunds: Stripe.Refund[] = []
    const payment_intent = await findIntentId(payment)
    await withPaymentProblem(
      (async () => {
        for await (const refund of stripe.refunds.list({ payment_intent, limit: 100 })) refunds.push(refund)
      })(),
    )
    return refunds
  }

  return {
    async refund(request) {
      const { refundKey: key, amount } = request
      const refund = await withPaymentProblem(
        stripe.refunds.create(
          { payment_intent: await findIntentId(request.payment), amount: Number(amount), metadata: { key } },
          { idempotencyKey: `${key}-refund` },
        ),
      )
      return toRefundResult(refund)
    },
    async queryRefund(request) {
      const refunds = await listRefunds(request.payment)
      const ownRefund = refunds.find(({ metadata }) => metadata?.key === request.refundKey)
      return ownRefund ? toRefundResult(ownRefund) : null
    },
    readRefunds: async (attempt) => ({ refunds: (await listRefunds(attempt)).map(toGatewayRefund), total: null }),
    listRecentRefunds: (from) => listRecentRefunds(stripe, from),
    async readDisputes(attempt) {
      const payment_intent = await findIntentId(attempt)
      const { data } = await withPaymentProblem(stripe.disputes.list({ payment_intent, limit: 100 }))
      return data.map(toGatewayDispute)
    },
    start: (input) => (input.token === null ? startCheckout(stripe, input) : charge(stripe, input)),
    query,
    close,
    readNotice: async (raw, headers) => readStripeNotice(stripe, settings, raw, headers, clock()),
    async readReturn(fields) {
      const [intentId, sessionId] = [fields.get('payment_intent'), fields.get('session_id')]
      if (sessionId?.startsWith('cs_')) return toReturnedPayment(toSessionPayment(await fetchSession(sessionId)))
      if (!intentId?.startsWith('pi_')) return null
      const intent = await fetchIntent(intentId)
      // The intent's id is not secret, so the browser must present the client secret, which only the payer received.
      if (!isSameSecret(fields.get('payment_intent_client_secret'), intent.client_secret))
        throw new NoticeProblem('signature')
      return toReturnedPayment(toPayment(intent))
    },
    acknowledgement: '',
  }
}

/** Of payments that the portal started. `from`: epoch ms. */
async function listRecentRefunds(stripe: Stripe, from: number): Promise<RecentRefund[]> {
  const created = { gte: Math.floor(from / 1000) }
  const refunds: RecentRefund[] = []
  await withPaymentProblem(
    (async () => {
      for await (const refund of stripe.refunds.list({ created, limit: 100, expand: ['data.payment_intent'] }))
        if (typeof refund.payment_intent === 'object' && refund.payment_intent?.metadata.key)
          refunds.push({ ...toGatewayRefund(refund), paymentKey: refund.payment_intent.metadata.key })
    })(),
  )
  return refunds
}

const toReturnedPayment = ({ key, gatewayId }: GatewayPayment) => ({ key, gatewayId })

function toAddressOptions(apiUrl: string) {
  const { hostname, port, protocol } = new URL(apiUrl)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { host: hostname, port: port || (scheme === 'http' ? 80 : 443), protocol: scheme }
}

/** Compares digests, because `timingSafeEqual` requires equal lengths. */
function isSameSecret(secret: string | null, expectedSecret: string | null): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return secret !== null && expectedSecret !== null && timingSafeEqual(digest(secret), digest(expectedSecret))
}

const buildMetadata = ({ key, order }: PaymentStartInput) => ({ key, order })
const toChargedAmount = ({ money }: PaymentStartInput) => ({
  amount: Number(money.amount),
  currency: currencyCodes[money.currency],
})

async function charge(stripe: Stripe, input: PaymentStartInput): Promise<PaymentStartResult> {
  const { token, key, description, returnUrl } = input
  if (token?.startsWith('pi_')) return await payByIntent(stripe, token, input)
  const intentPromise = stripe.paymentIntents.create(
    {
      ...toChargedAmount(input),
      ...toPaymentMethod(token ?? ''),
      confirm: true,
      description,
      metadata: buildMetadata(input),
      allowed_payment_method_types: ['card'],
      return_url: returnUrl,
    },
    { idempotencyKey: `${key}-card` },
  )
  return await intentPromise.then(toStartResult, declineOrThrow)
}

const unknownIntentResult: PaymentStartResult = { kind: 'declined', code: 'CARD_INVALID', reason: 'resource_missing' }

/**
 * Handles an intent whose id the payer supplied. An unknown intent, or one of another order or attempt, is declined like a wrong card. An
 * intent of another attempt is already tracked under the key of that attempt.
 */
async function payByIntent(stripe: Stripe, id: string, { order, key }: PaymentStartInput): Promise<PaymentStartResult> {
  try {
    const intent = await stripe.paymentIntents.retrieve(id)
    const { metadata } = intent
    return metadata.order === order && metadata.key === key ? toStartResult(intent) : unknownIntentResult
  } catch (error) {
    return error instanceof Stripe.errors.StripeInvalidRequestError ? unknownIntentResult : throwPaymentProblem(error)
  }
}

const toPaymentMethod = (token: string) => {
  if (token.startsWith('ctoken_')) return { confirmation_token: token }
  if (token.startsWith('pm_')) return { payment_method: token }
  return { payment_method_data: { type: 'card' as const, card: { token } } }
}

function toStartResult(intent: Stripe.PaymentIntent): PaymentStartResult {
  const url = intent.next_action?.redirect_to_url?.url
  if (intent.status === 'requires_action' && url) return { kind: 'redirect', url, gatewayId: intent.id }
  const payment = toPayment(intent)
  if (payment.status === 'paid' || payment.status === 'processing') return { kind: 'taken', payment }
  const { code, decline_code } = intent.last_payment_error ?? {}
  return { kind: 'declined', code: 'CARD_INVALID', reason: decline_code || code || intent.status }
}

/** Request parameters that contain the payer's data. */
const payerParams = /^(payment_method|payment_method_data|confirmation_token|source)/

function declineOrThrow(error: unknown): PaymentStartResult {
  if (error instanceof Stripe.errors.StripeCardError)
    return { kind: 'declined', code: 'CARD_INVALID', reason: error.decline_code || error.code || 'declined' }
  if (error instanceof Stripe.errors.StripeInvalidRequestError && payerParams.test(error.param ?? ''))
    return { kind: 'declined', code: 'CARD_INVALID', reason: error.code ?? 'invalid' }
  return throwPaymentProblem(error)
}

async function startCheckout(stripe: Stripe, input: PaymentStartInput): Promise<PaymentStartResult> {
  const { key, description, returnUrl, cancelUrl, language } = input
  const { amount, currency } = toChargedAmount(input)
  const metadata = buildMetadata(input)
  const sessionPromise = stripe.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [{ quantity: 1, price_data: { currency, unit_amount: amount, product_data: { name: description } } }],
      allowed_payment_method_types: ['card'],
      metadata,
      payment_intent_data: { metadata, description },
      // Stripe replaces the placeholder, so it must not be URL-encoded.
      success_url: withQuery(returnUrl, { session_id: '' }) + '{CHECKOUT_SESSION_ID}',
      cancel_url: cancelUrl,
      locale: language,
    },
    { idempotencyKey: `${key}-checkout` },
  )
  const session = await withPaymentProblem(sessionPromise)
  // A late repeat of the request may find the session already completed.
  if (session.url === null || session.status !== 'open') return { kind: 'taken', payment: toSessionPayment(session) }
  return { kind: 'redirect', url: session.url, gatewayId: session.id }
}

const withPaymentProblem = <T>(promise: PromiseLike<T>): Promise<T> =>
  Promise.resolve(promise).catch(throwPaymentProblem)

const amountFaults: Record<string, 'tooSmall' | 'tooLarge'> = {
  amount_too_small: 'tooSmall',
  amount_too_large: 'tooLarge',
}

/** Throws a problem with the codes only, because Stripe's error messages can contain request data. */
function throwPaymentProblem(error: unknown): never {
  if (error instanceof PaymentProblem) throw error
  if (!(error instanceof Stripe.errors.StripeError))
    throw new PaymentProblem('the response of Stripe is unreadable', false)
  const { statusCode, code, param, type } = error
  const isFinal =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 && ![401, 403, 409, 429].includes(statusCode)
  const details = [code, param].filter(Boolean).join(' ')
  const amountFault = amountFaults[code ?? ''] ?? null
  throw new PaymentProblem(
    `Stripe returned ${statusCode ?? 'no response'} (${type}${details && `: ${details}`})`,
    isFinal,
    amountFault,
  )
}
