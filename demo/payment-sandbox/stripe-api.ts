/** Stripe's API, as much of it as a shop needs that takes cards: payment intents, checkout sessions, idempotency keys. */
import { createHash } from 'node:crypto'
import { findCardAmountFault } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type StoredStripeResponse,
  type SandboxRefund,
  sumSandboxRefunds,
  type SandboxIntent,
  type SandboxStore,
  type CheckoutSession,
} from '#demo/payment-sandbox/sandbox-store.ts'
import {
  toApiIntent,
  toApiSession,
  type CardPayments,
  type SandboxChanges,
  type PaymentLinks,
  createId,
} from '#demo/payment-sandbox/card-payments.ts'
import { buildConfirmationToken, toApiToken } from '#demo/payment-sandbox/card-tokens.ts'
import { findCardNumber } from '#demo/payment-sandbox/test-cards.ts'

export interface StripeRequest {
  method: string
  /** Behind `/v1/`. */
  path: string
  query: URLSearchParams
  /** A form with names like `metadata[key]`. */
  body: string
  idempotencyKey: string | null
}

interface StripeOutcome {
  status: number
  body: object
  changes?: SandboxChanges
}

export interface StripeApi {
  /** Written down when it answers; the same key again gets the same answer. */
  handleRequest(request: StripeRequest): { status: number; body: string; isReplayed: boolean }
}

export function createStripeApi(
  store: SandboxStore,
  cards: CardPayments,
  clock: () => number,
  links: PaymentLinks,
): StripeApi {
  const toIntentBody = (intent: SandboxIntent) => toApiIntent(intent, links)
  const toSessionBody = (session: CheckoutSession) =>
    toApiSession(session, session.intent === null ? null : store.get('intents', session.intent), links)

  function chargeIntent(intent: SandboxIntent, fields: URLSearchParams): StripeOutcome {
    const token = readToken(fields)
    const storedToken = token === null ? null : store.get('tokens', token)
    if (storedToken?.isUsed) return buildUsedTokenRefusal(storedToken.id)
    const number = storedToken?.number ?? (token === null ? null : findCardNumber(token))
    if (number === null) return buildMissingResourceRefusal(`payment method '${token ?? ''}'`, 'payment_method')
    const chargedIntent = cards.payIntent(
      { ...intent, return_url: fields.get('return_url') ?? intent.return_url },
      number,
    )
    const changes = {
      ...cards.buildChanges(chargedIntent),
      ...(storedToken ? { tokens: [{ ...storedToken, isUsed: true }] } : {}),
    }
    if (chargedIntent.last_payment_error === null) return { status: 200, body: toIntentBody(chargedIntent), changes }
    const error = { ...chargedIntent.last_payment_error, payment_intent: toIntentBody(chargedIntent) }
    return { status: 402, body: { error }, changes }
  }

  function createIntent(fields: URLSearchParams): StripeOutcome {
    const amount = parseAmount(fields.get('amount'))
    if (amount === null) return buildInvalidParamRefusal('amount')
    const fault = findCardAmountFault(amount, fields.get('currency') ?? '')
    if (fault) return buildAmountRefusal(fault, 'amount')
    const intent = cards.createIntent({
      amount,
      currency: fields.get('currency') ?? '',
      description: fields.get('description'),
      metadata: readHash(fields, 'metadata'),
      return_url: fields.get('return_url'),
    })
    if (fields.get('confirm') === 'true') return chargeIntent(intent, fields)
    return { status: 200, body: toIntentBody(intent), changes: { intents: [intent] } }
  }

  function handleIntent(id: string, verb: string | undefined, fields: URLSearchParams): StripeOutcome {
    const intent = store.get('intents', id)
    if (!intent) return buildMissingResourceRefusal(`payment_intent: '${id}'`, 'intent')
    if (verb === undefined) return { status: 200, body: toIntentBody(intent) }
    if (intent.status === 'succeeded' || intent.status === 'canceled') return buildStateRefusal('payment_intent')
    if (verb === 'confirm') return chargeIntent(intent, fields)
    const canceledIntent: SandboxIntent = { ...intent, status: 'canceled', card: null }
    return { status: 200, body: toIntentBody(canceledIntent), changes: cards.buildChanges(canceledIntent) }
  }

  function createSession(fields: URLSearchParams): StripeOutcome {
    const itemPrefix = 'line_items[0][price_data]'
    const amount = parseAmount(fields.get(`${itemPrefix}[unit_amount]`))
    if (amount === null) return buildInvalidParamRefusal(`${itemPrefix}[unit_amount]`)
    const fault = findCardAmountFault(amount, fields.get(`${itemPrefix}[currency]`) ?? '')
    if (fault) return buildAmountRefusal(fault, `${itemPrefix}[unit_amount]`)
    const session: CheckoutSession = {
      id: createId('cs_test'),
      created: Math.floor(clock() / 1000),
      amount,
      currency: fields.get(`${itemPrefix}[currency]`) ?? '',
      description: fields.get(`${itemPrefix}[product_data][name]`) ?? '',
      metadata: readHash(fields, 'metadata'),
      intentMetadata: readHash(fields, 'payment_intent_data[metadata]'),
      status: 'open',
      successUrl: fields.get('success_url') ?? '',
      cancelUrl: fields.get('cancel_url') ?? '',
      locale: fields.get('locale')?.startsWith('zh') ? 'zh' : 'en',
      intent: null,
    }
    return { status: 200, body: toSessionBody(session), changes: { sessions: [session] } }
  }

  function handleSession(id: string, verb: string | undefined): StripeOutcome {
    const session = store.get('sessions', id)
    if (!session) return buildMissingResourceRefusal(`checkout session: '${id}'`, 'session')
    if (verb === undefined) return { status: 200, body: toSessionBody(session) }
    if (session.status !== 'open') return buildStateRefusal('session')
    const expiredSession: CheckoutSession = { ...session, status: 'expired' }
    return {
      status: 200,
      body: toSessionBody(expiredSession),
      changes: { ...cancelIntent(session.intent), sessions: [expiredSession] },
    }
  }

  /** With its page a payment ends too, even one that waits at the bank. */
  function cancelIntent(id: string | null): SandboxChanges {
    const intent = id === null ? null : store.get('intents', id)
    return intent ? cards.buildChanges({ ...intent, status: 'canceled', card: null }) : {}
  }

  function createRefund(fields: URLSearchParams): StripeOutcome {
    const id = fields.get('payment_intent') ?? ''
    const intent = store.get('intents', id)
    if (!intent) return buildMissingResourceRefusal(`payment_intent: '${id}'`, 'payment_intent')
    if (intent.status !== 'succeeded') return buildStateRefusal('payment_intent')
    const refundableAmount = intent.amount - sumSandboxRefunds(store, id)
    const amount = fields.has('amount') ? parseAmount(fields.get('amount')) : refundableAmount
    if (refundableAmount === 0) return buildRefundRefusal('charge_already_refunded')
    if (amount === null || amount > refundableAmount) return buildInvalidParamRefusal('amount')
    const refund: SandboxRefund = {
      id: createId('re'),
      gate: 'stripe',
      of: id,
      created: Math.floor(clock() / 1000),
      amount,
      currency: intent.currency,
      metadata: readHash(fields, 'metadata'),
    }
    return { status: 200, body: toApiRefund(refund), changes: { refunds: [refund] } }
  }

  function handleRefunds(
    method: string,
    id: string | undefined,
    query: URLSearchParams,
    fields: URLSearchParams,
  ): StripeOutcome {
    if (method === 'POST' && id === undefined) return createRefund(fields)
    const refund = id === undefined ? null : store.get('refunds', id)
    if (refund) return { status: 200, body: toApiRefund(refund) }
    if (id !== undefined) return buildMissingResourceRefusal(`refund: '${id}'`, 'id')
    const stripeRefunds = store.list('refunds').filter(({ gate: gateway }) => gateway === 'stripe')
    const intent = query.get('payment_intent')
    return buildPage(
      intent === null ? stripeRefunds : stripeRefunds.filter(({ of }) => of === intent),
      query,
      toApiRefund,
    )
  }

  function createConfirmationToken(fields: URLSearchParams): StripeOutcome {
    const token = buildConfirmationToken(fields, clock())
    if (!token)
      return buildMissingResourceRefusal(`payment method '${fields.get('payment_method') ?? ''}'`, 'payment_method')
    return { status: 200, body: toApiToken(token), changes: { tokens: [token] } }
  }

  function routeRequest({ method, path, query, body }: StripeRequest): StripeOutcome {
    const fields = new URLSearchParams(body)
    const [, resource, id, verb] =
      /^(payment_intents|checkout\/sessions|refunds)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
    const isIntent = resource === 'payment_intents'
    if (method === 'POST' && path === 'test_helpers/confirmation_tokens') return createConfirmationToken(fields)
    if (!resource) return buildMissingResourceRefusal(`path: ${path}`, 'path')
    if (resource === 'refunds') return handleRefunds(method, id, query, fields)
    if (method === 'POST' && id === undefined) return isIntent ? createIntent(fields) : createSession(fields)
    if (id !== undefined) return isIntent ? handleIntent(id, verb, fields) : handleSession(id, verb)
    return isIntent
      ? buildPage(store.list('intents'), query, toIntentBody)
      : buildPage(store.list('sessions'), query, toSessionBody)
  }

  return {
    handleRequest(request) {
      const id = request.method === 'POST' ? request.idempotencyKey : null
      const fingerprint = createHash('sha256').update(`${request.path}\n${request.body}`).digest('hex')
      const storedResponse = id === null ? null : store.get('answers', id)
      if (storedResponse && storedResponse.print !== fingerprint)
        return { ...toResponse(otherRequestRefusal), isReplayed: false }
      if (storedResponse) return { status: storedResponse.status, body: storedResponse.body, isReplayed: true }
      const outcome = routeRequest(request)
      const { status, body } = toResponse(outcome)
      // What is not understood changes nothing and is not kept, as with Stripe.
      const storedResponses: StoredStripeResponse[] =
        id === null || !outcome.changes ? [] : [{ id, print: fingerprint, status, body }]
      if (outcome.changes) store.put({ ...outcome.changes, answers: storedResponses })
      return { status, body, isReplayed: false }
    },
  }
}

const toResponse = ({ status, body }: StripeOutcome) => ({ status, body: JSON.stringify(body) })

const buildRefusal = (status: number, error: Record<string, string>): StripeOutcome => ({ status, body: { error } })
const otherRequestRefusal = buildRefusal(400, {
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
})
const buildInvalidParamRefusal = (param: string) =>
  buildRefusal(400, {
    type: 'invalid_request_error',
    code: 'parameter_invalid_integer',
    param,
    message: `Invalid ${param}`,
  })
const buildAmountRefusal = (code: string, param: string) =>
  buildRefusal(400, { type: 'invalid_request_error', code, param, message: `The ${param} is outside what is taken.` })
const buildMissingResourceRefusal = (resource: string, param: string) =>
  buildRefusal(param === 'payment_method' ? 400 : 404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${resource}`,
  })
const buildUsedTokenRefusal = (id: string) =>
  buildRefusal(400, {
    type: 'invalid_request_error',
    code: 'token_already_used',
    param: 'payment_method_data[card][token]',
    message: `You cannot use a token more than once: ${id}.`,
  })
const buildStateRefusal = (resource: string) =>
  buildRefusal(400, {
    type: 'invalid_request_error',
    code: `${resource}_unexpected_state`,
    message: `This ${resource} is in a state in which that is not possible.`,
  })

const buildRefundRefusal = (code: string) =>
  buildRefusal(400, { type: 'invalid_request_error', code, message: 'This charge cannot be refunded.' })

const toApiRefund = ({ id, of, created, amount, currency, metadata }: SandboxRefund): object => ({
  id,
  object: 'refund',
  payment_intent: of,
  created,
  amount,
  currency,
  metadata,
  status: 'succeeded',
})

const readToken = (fields: URLSearchParams): string | null =>
  fields.get('payment_method') ?? fields.get('confirmation_token') ?? fields.get('payment_method_data[card][token]')

function parseAmount(text: string | null): number | null {
  const amount = Number(text)
  return /^\d{1,12}$/.test(text ?? '') && amount > 0 ? amount : null
}

function readHash(fields: URLSearchParams, name: string): Record<string, string> {
  const prefix = `${name}[`
  const ownFields = [...fields].filter(([field]) => field.startsWith(prefix) && field.endsWith(']'))
  return Object.fromEntries(ownFields.map(([field, value]) => [field.slice(prefix.length, -1), value]))
}

/** The newest first, in pages, from a moment on. */
function buildPage<Row extends { id: string; created: number }>(
  rows: readonly Row[],
  query: URLSearchParams,
  toBody: (row: Row) => object,
): StripeOutcome {
  const from = Number(query.get('created[gte]') ?? 0)
  const limit = Number(query.get('limit') ?? 10)
  const latestRows = rows.filter(({ created }) => created >= from).toReversed()
  const start = latestRows.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const data = latestRows.slice(start, start + limit).map(toBody)
  return { status: 200, body: { object: 'list', data, has_more: start + limit < latestRows.length } }
}
