/**
 * Cards by Stripe. A token of the browser is charged at once, with 3-D Secure where the bank wants it; without one the
 * card is asked for on Stripe's own page. Card numbers never come here (S-95).
 */
import { Stripe } from 'stripe'
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  type Asked,
  type Beginning,
  type Begun,
  type Payment,
  type PaymentDriver,
  type RefundRequest,
  withQuery,
} from '#server/drivers/payment/driver.ts'
import { NoticeProblem, PaymentProblem } from '#server/drivers/payment/errors.ts'
import { readStripeNotice } from '#server/drivers/payment/stripe-webhook.ts'
import { asPayment, asRefund, currencyCodes, sessionAsPayment } from '#server/drivers/payment/stripe-payment.ts'
import type { StripeSettings } from '#server/config/payment-config.ts'

/** In ms; an answer that does not come is asked for again with the same key, so it is charged once. */
const patience = { timeout: 20_000, maxNetworkRetries: 2 }
/** Between our clock and theirs, in seconds, when a payment is looked for by its time. */
const clockSlack = 600

export function stripePayment(settings: StripeSettings, clock: () => number): PaymentDriver {
  const stripe = new Stripe(settings.secretKey, { ...addressOf(settings.apiUrl), ...patience, telemetry: false })
  const intentOf = (id: string) => said(stripe.paymentIntents.retrieve(id))
  const sessionOf = (id: string) => said(stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] }))

  /** A paid one first: money that was taken must be seen. Then the page, by which its intent is closed as well. */
  async function find({ key, begunAt }: Asked): Promise<Payment | null> {
    const created = { gte: Math.floor(begunAt / 1000) - clockSlack }
    const found: Payment[] = []
    await said(
      (async () => {
        for await (const session of stripe.checkout.sessions.list({ created, limit: 100 }))
          if (session.metadata?.key === key) found.push(sessionAsPayment(session))
        for await (const intent of stripe.paymentIntents.list({ created, limit: 100 }))
          if (intent.metadata.key === key) found.push(asPayment(intent))
      })(),
    )
    return found.find(({ status }) => status === 'paid') ?? found[0] ?? null
  }

  async function query(asked: Asked): Promise<Payment | null> {
    const { gatewayId } = asked
    if (gatewayId?.startsWith('pi_')) return asPayment(await intentOf(gatewayId))
    if (gatewayId?.startsWith('cs_')) return sessionAsPayment(await sessionOf(gatewayId))
    return await find(asked)
  }

  async function close(asked: Asked): Promise<Payment | null> {
    const now = await query(asked)
    if (!now || (now.status !== 'open' && now.status !== 'failed')) return now
    const ending: Promise<unknown> = now.gatewayId.startsWith('cs_')
      ? stripe.checkout.sessions.expire(now.gatewayId)
      : stripe.paymentIntents.cancel(now.gatewayId)
    // Paid in this very moment: then it cannot be ended, and says so below.
    await said(ending).catch((error: unknown) => {
      if (!(error instanceof PaymentProblem && error.final)) throw error
    })
    return await query({ ...asked, gatewayId: now.gatewayId })
  }

  async function intentIdOf({ payment }: RefundRequest): Promise<string> {
    const id = payment.gatewayId ?? (await find(payment))?.gatewayId ?? ''
    if (id.startsWith('pi_')) return id
    const { payment_intent: intent } = await sessionOf(id)
    return (typeof intent === 'string' ? intent : intent?.id) ?? ''
  }

  return {
    async refund(request) {
      const { refundKey: key, amount } = request
      const made = await said(
        stripe.refunds.create(
          { payment_intent: await intentIdOf(request), amount: Number(amount), metadata: { key } },
          { idempotencyKey: `${key}-refund` },
        ),
      )
      return asRefund(made)
    },
    async queryRefund(request) {
      const payment_intent = await intentIdOf(request)
      const { data } = await said(stripe.refunds.list({ payment_intent, limit: 100 }))
      const own = data.find(({ metadata }) => metadata?.key === request.refundKey)
      if (own) return asRefund(own)
      const done = data.filter(({ status }) => status === 'succeeded')
      const sum = done.reduce((all, { amount }) => all + BigInt(amount), 0n)
      const [first] = done
      return first && sum >= request.amount ? asRefund(first) : null
    },
    begin: (beginning) => (beginning.token === null ? askForCard(stripe, beginning) : charge(stripe, beginning)),
    query,
    close,
    readNotice: async (raw, headers) => readStripeNotice(stripe, settings, raw, headers, clock()),
    async readReturn(fields) {
      const [intent, session] = [fields.get('payment_intent'), fields.get('session_id')]
      if (session?.startsWith('cs_')) return noticeOf(sessionAsPayment(await sessionOf(session)))
      if (!intent?.startsWith('pi_')) return null
      const known = await intentOf(intent)
      // An intent's id is no secret, so whoever comes back shows what only the payer's browser was given.
      if (!sameSecret(fields.get('payment_intent_client_secret'), known.client_secret))
        throw new NoticeProblem('signature')
      return noticeOf(asPayment(known))
    },
    acknowledgement: '',
  }
}

const noticeOf = ({ key, gatewayId }: Payment) => ({ id: gatewayId, key, gatewayId })

function addressOf(apiUrl: string) {
  const { hostname, port, protocol } = new URL(apiUrl)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { host: hostname, port: port || (scheme === 'http' ? 80 : 443), protocol: scheme }
}

/** By digest, because equal lengths are what the comparison asks for. */
function sameSecret(given: string | null, known: string | null): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== null && known !== null && timingSafeEqual(digest(given), digest(known))
}

const about = ({ key, order }: Beginning) => ({ key, order })
const charged = ({ money }: Beginning) => ({ amount: Number(money.amount), currency: currencyCodes[money.currency] })

async function charge(stripe: Stripe, beginning: Beginning): Promise<Begun> {
  const { token, key, description, returnUrl } = beginning
  if (token?.startsWith('pi_')) return await payByIntent(stripe, token, beginning)
  const asked = stripe.paymentIntents.create(
    {
      ...charged(beginning),
      ...methodOf(token ?? ''),
      confirm: true,
      description,
      metadata: about(beginning),
      allowed_payment_method_types: ['card'],
      return_url: returnUrl,
    },
    { idempotencyKey: `${key}-card` },
  )
  return await asked.then(outcomeOf, declinedOr)
}

const unknownIntent: Begun = { kind: 'declined', code: 'CARD_INVALID', reason: 'resource_missing' }

/**
 * The payer named it: one that does not exist, or was made for something else, is theirs to change. One of another attempt is followed
 * under the key of that one, and pays nothing here.
 */
async function payByIntent(stripe: Stripe, id: string, { order, key }: Beginning): Promise<Begun> {
  try {
    const intent = await stripe.paymentIntents.retrieve(id)
    const { metadata } = intent
    return metadata.order === order && metadata.key === key ? outcomeOf(intent) : unknownIntent
  } catch (error) {
    return error instanceof Stripe.errors.StripeInvalidRequestError ? unknownIntent : refused(error)
  }
}

const methodOf = (token: string) => {
  if (token.startsWith('ctoken_')) return { confirmation_token: token }
  if (token.startsWith('pm_')) return { payment_method: token }
  return { payment_method_data: { type: 'card' as const, card: { token } } }
}

function outcomeOf(intent: Stripe.PaymentIntent): Begun {
  const url = intent.next_action?.redirect_to_url?.url
  if (intent.status === 'requires_action' && url) return { kind: 'redirect', url, gatewayId: intent.id }
  const payment = asPayment(intent)
  if (payment.status === 'paid' || payment.status === 'processing') return { kind: 'taken', payment }
  const { code, decline_code } = intent.last_payment_error ?? {}
  return { kind: 'declined', code: 'CARD_INVALID', reason: decline_code || code || intent.status }
}

/** Parts of a request that hold what the payer gave. */
const fromPayer = /^(payment_method|payment_method_data|confirmation_token|source)/

function declinedOr(error: unknown): Begun {
  if (error instanceof Stripe.errors.StripeCardError)
    return { kind: 'declined', code: 'CARD_INVALID', reason: error.decline_code || error.code || 'declined' }
  if (error instanceof Stripe.errors.StripeInvalidRequestError && fromPayer.test(error.param ?? ''))
    return { kind: 'declined', code: 'CARD_INVALID', reason: error.code ?? 'invalid' }
  return refused(error)
}

async function askForCard(stripe: Stripe, beginning: Beginning): Promise<Begun> {
  const { key, description, returnUrl, cancelUrl, language } = beginning
  const { amount, currency } = charged(beginning)
  const metadata = about(beginning)
  const asked = stripe.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [{ quantity: 1, price_data: { currency, unit_amount: amount, product_data: { name: description } } }],
      allowed_payment_method_types: ['card'],
      metadata,
      payment_intent_data: { metadata, description },
      // Stripe puts the id in the place of the word, which must not be escaped.
      success_url: withQuery(returnUrl, { session_id: '' }) + '{CHECKOUT_SESSION_ID}',
      cancel_url: cancelUrl,
      locale: language,
    },
    { idempotencyKey: `${key}-checkout` },
  )
  const session = await said(asked)
  // A repeat that comes late finds it used.
  if (session.url === null || session.status !== 'open') return { kind: 'taken', payment: sessionAsPayment(session) }
  return { kind: 'redirect', url: session.url, gatewayId: session.id }
}

const said = <T>(asked: PromiseLike<T>): Promise<T> => Promise.resolve(asked).catch(refused)

const amountFaults: Record<string, 'tooSmall' | 'tooLarge'> = {
  amount_too_small: 'tooSmall',
  amount_too_large: 'tooLarge',
}

/** What Stripe writes about an error can hold what was sent, so only its names are kept. */
function refused(error: unknown): never {
  if (error instanceof PaymentProblem) throw error
  if (!(error instanceof Stripe.errors.StripeError)) throw new PaymentProblem('Stripe was not understood', false)
  const { statusCode, code, param, type } = error
  const final =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 && ![401, 403, 409, 429].includes(statusCode)
  const where = [code, param].filter(Boolean).join(' ')
  const amountFault = amountFaults[code ?? ''] ?? null
  throw new PaymentProblem(
    `Stripe said ${statusCode ?? 'nothing'} (${type}${where && `: ${where}`})`,
    final,
    amountFault,
  )
}
