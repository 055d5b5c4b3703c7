import { createHash } from 'node:crypto'
import { findCardAmountFault } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type SandboxDispute,
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
  /** Path below `/v1/`. */
  path: string
  query: URLSearchParams
  /** A form with names like `metadata[key]`. */
  body: string
  idempotencyKey: string | null
}

interface StripeContext {
  store: SandboxStore
  cards: CardPayments
  clock: () => number
  links: PaymentLinks
}

interface StripeOutcome {
  status: number
  body: object
  changes?: SandboxChanges
}

interface StripeCall {
  id: string
  query: URLSearchParams
  fields: URLSearchParams
}

type StripeHandler = (context: StripeContext, call: StripeCall) => StripeOutcome

const handlers: Record<string, StripeHandler> = {
  'GET payment_intents': ({ store, links }, { query }) =>
    buildPage(store.list('intents'), query, (intent) => toApiIntent(intent, links)),
  'POST payment_intents': createIntent,
  'GET payment_intents/:id': withIntent(({ links }, intent) => ({ status: 200, body: toApiIntent(intent, links) })),
  'POST payment_intents/:id/confirm': withIntent((context, intent, fields) =>
    isFinal(intent) ? buildStateRefusal('payment_intent') : chargeIntent(context, intent, fields),
  ),
  'POST payment_intents/:id/cancel': withIntent((context, intent) =>
    isFinal(intent) ? buildStateRefusal('payment_intent') : cancelIntent(context, intent),
  ),
  'GET checkout/sessions': (context, { query }) =>
    buildPage(context.store.list('sessions'), query, (session) => toSessionBody(context, session)),
  'POST checkout/sessions': createSession,
  'GET checkout/sessions/:id': withSession((context, session) => ({
    status: 200,
    body: toSessionBody(context, session),
  })),
  'POST checkout/sessions/:id/expire': withSession(expireSession),
  'GET disputes': listDisputes,
  'GET refunds': listRefunds,
  'POST refunds': createRefund,
  'GET refunds/:id': ({ store }, { id }) => {
    const refund = store.get('refunds', id)
    return refund ? { status: 200, body: toApiRefund(refund) } : buildMissingResourceRefusal(`refund: '${id}'`, 'id')
  },
  'POST test_helpers/confirmation_tokens': createConfirmationToken,
}

/** Executes a request. The response is stored before it is sent, so that a repeated key gets the same response. */
export function handleStripeRequest(
  context: StripeContext,
  request: StripeRequest,
): { status: number; body: string; isReplayed: boolean } {
  const { store } = context
  const id = request.method === 'POST' ? request.idempotencyKey : null
  const fingerprint = createHash('sha256').update(`${request.path}\n${request.body}`).digest('hex')
  const storedResponse = id === null ? null : store.get('answers', id)
  if (storedResponse?.print === fingerprint)
    return { status: storedResponse.status, body: storedResponse.body, isReplayed: true }
  const outcome = storedResponse ? otherRequestRefusal : routeRequest(context, request)
  const response = { status: outcome.status, body: JSON.stringify(outcome.body) }
  // As with Stripe, a request that changes nothing does not use up its key.
  if (outcome.changes)
    store.put({ ...outcome.changes, answers: id === null ? [] : [{ id, print: fingerprint, ...response }] })
  return { ...response, isReplayed: false }
}

function routeRequest(context: StripeContext, { method, path, query, body }: StripeRequest): StripeOutcome {
  const [, resource, id = '', verb] =
    /^(payment_intents|refunds|disputes|\w+\/(?:sessions|confirmation_tokens))(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ??
    []
  const pattern = [resource, ...(id ? [':id'] : []), ...(verb ? [verb] : [])].join('/')
  const handle = handlers[`${method} ${pattern}`]
  return handle
    ? handle(context, { id, query, fields: new URLSearchParams(body) })
    : buildMissingResourceRefusal(`path: ${path}`, 'path')
}

function withIntent(
  handle: (context: StripeContext, intent: SandboxIntent, fields: URLSearchParams) => StripeOutcome,
): StripeHandler {
  return (context, { id, fields }) => {
    const intent = context.store.get('intents', id)
    return intent ? handle(context, intent, fields) : buildMissingResourceRefusal(`payment_intent: '${id}'`, 'intent')
  }
}

function withSession(handle: (context: StripeContext, session: CheckoutSession) => StripeOutcome): StripeHandler {
  return (context, { id }) => {
    const session = context.store.get('sessions', id)
    return session ? handle(context, session) : buildMissingResourceRefusal(`checkout session: '${id}'`, 'session')
  }
}

const toSessionBody = ({ store, links }: StripeContext, session: CheckoutSession) =>
  toApiSession(session, session.intent === null ? null : store.get('intents', session.intent), links)

const isFinal = ({ status }: SandboxIntent) => status === 'succeeded' || status === 'canceled'

function chargeIntent(
  { store, cards, links }: StripeContext,
  intent: SandboxIntent,
  fields: URLSearchParams,
): StripeOutcome {
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
  const body = toApiIntent(chargedIntent, links)
  if (chargedIntent.last_payment_error === null) return { status: 200, body, changes }
  return { status: 402, body: { error: { ...chargedIntent.last_payment_error, payment_intent: body } }, changes }
}

function createIntent(context: StripeContext, { fields }: StripeCall): StripeOutcome {
  const currency = fields.get('currency') ?? ''
  const refusal = findAmountRefusal(fields, 'amount', currency)
  if (refusal) return refusal
  const intent = context.cards.createIntent({
    amount: Number(fields.get('amount')),
    currency,
    description: fields.get('description'),
    metadata: readHash(fields, 'metadata'),
    return_url: fields.get('return_url'),
  })
  if (fields.get('confirm') === 'true') return chargeIntent(context, intent, fields)
  return { status: 200, body: toApiIntent(intent, context.links), changes: { intents: [intent] } }
}

function cancelIntent({ cards, links }: StripeContext, intent: SandboxIntent): StripeOutcome {
  const canceledIntent: SandboxIntent = { ...intent, status: 'canceled', card: null }
  return { status: 200, body: toApiIntent(canceledIntent, links), changes: cards.buildChanges(canceledIntent) }
}

function createSession(context: StripeContext, { fields }: StripeCall): StripeOutcome {
  const itemPrefix = 'line_items[0][price_data]'
  const currency = fields.get(`${itemPrefix}[currency]`) ?? ''
  const refusal = findAmountRefusal(fields, `${itemPrefix}[unit_amount]`, currency)
  if (refusal) return refusal
  const session: CheckoutSession = {
    id: createId('cs_test'),
    created: Math.floor(context.clock() / 1000),
    amount: Number(fields.get(`${itemPrefix}[unit_amount]`)),
    currency,
    description: fields.get(`${itemPrefix}[product_data][name]`) ?? '',
    metadata: readHash(fields, 'metadata'),
    intentMetadata: readHash(fields, 'payment_intent_data[metadata]'),
    status: 'open',
    successUrl: fields.get('success_url') ?? '',
    cancelUrl: fields.get('cancel_url') ?? '',
    locale: fields.get('locale')?.startsWith('zh') ? 'zh' : 'en',
    intent: null,
  }
  return { status: 200, body: toSessionBody(context, session), changes: { sessions: [session] } }
}

/** Expires the session. Also cancels its payment, even if the payment waits at the bank. */
function expireSession(context: StripeContext, session: CheckoutSession): StripeOutcome {
  if (session.status !== 'open') return buildStateRefusal('session')
  const expiredSession: CheckoutSession = { ...session, status: 'expired' }
  const intent = session.intent === null ? null : context.store.get('intents', session.intent)
  const changes = { ...(intent && cancelIntent(context, intent).changes), sessions: [expiredSession] }
  return { status: 200, body: toSessionBody(context, expiredSession), changes }
}

/** Refuses a refund of more than what is left, and of a payment whose dispute is open or lost. Sends the events of the refund. */
function createRefund({ store, cards, clock }: StripeContext, { fields }: StripeCall): StripeOutcome {
  const id = fields.get('payment_intent') ?? ''
  const intent = store.get('intents', id)
  if (!intent) return buildMissingResourceRefusal(`payment_intent: '${id}'`, 'payment_intent')
  if (intent.status !== 'succeeded') return buildStateRefusal('payment_intent')
  const refundableAmount = intent.amount - sumSandboxRefunds(store, id)
  const amount = fields.has('amount') ? parseAmount(fields.get('amount')) : refundableAmount
  if (hasDispute(store, id)) return buildRefundRefusal('charge_disputed')
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
  return { status: 200, body: toApiRefund(refund), changes: buildRefundChanges({ store, cards }, intent, refund) }
}

const hasDispute = (store: SandboxStore, id: string) =>
  store.list('disputes').some(({ of, status }) => of === id && status !== 'won' && !status.startsWith('warning_'))

/** Returns the refund with its event, which names the charge and its sum of refunds. */
export function buildRefundChanges(
  { store, cards }: Pick<StripeContext, 'store' | 'cards'>,
  { id, amount, currency, metadata, created }: SandboxIntent,
  refund: SandboxRefund,
): SandboxChanges {
  const amount_refunded = sumSandboxRefunds(store, id) + refund.amount
  const charge = {
    id: id.replace('pi_', 'ch_'),
    object: 'charge',
    payment_intent: id,
    created,
    amount,
    amount_refunded,
    refunded: amount_refunded === amount,
    currency,
    metadata,
  }
  return {
    refunds: [refund],
    calls: [cards.buildEvent('charge.refunded', charge), cards.buildEvent('refund.updated', toApiRefund(refund))],
  }
}

export const toApiDispute = ({ id, of, dueBy, ...fields }: SandboxDispute): object => ({
  id,
  object: 'dispute',
  charge: of.replace('pi_', 'ch_'),
  payment_intent: of,
  ...fields,
  evidence_details: { due_by: dueBy, has_evidence: false, past_due: false, submission_count: 0 },
  metadata: {},
  livemode: false,
})

function listDisputes({ store }: StripeContext, { query }: StripeCall): StripeOutcome {
  const intent = query.get('payment_intent')
  const disputes = store.list('disputes').filter(({ of }) => intent === null || of === intent)
  return buildPage(disputes, query, toApiDispute)
}

function listRefunds({ store, links }: StripeContext, { query }: StripeCall): StripeOutcome {
  const isExpanded = [...query].some(([name, value]) => name.startsWith('expand[') && value === 'data.payment_intent')
  const toBody = (refund: SandboxRefund) => {
    const paidIntent = isExpanded ? store.get('intents', refund.of) : null
    return { ...toApiRefund(refund), ...(paidIntent && { payment_intent: toApiIntent(paidIntent, links) }) }
  }
  const intent = query.get('payment_intent')
  const refunds = store
    .list('refunds')
    .filter(({ gate: gateway, of }) => gateway === 'stripe' && (intent === null || of === intent))
  return buildPage(refunds, query, toBody)
}

function createConfirmationToken({ clock }: StripeContext, { fields }: StripeCall): StripeOutcome {
  const token = buildConfirmationToken(fields, clock())
  if (!token)
    return buildMissingResourceRefusal(`payment method '${fields.get('payment_method') ?? ''}'`, 'payment_method')
  return { status: 200, body: toApiToken(token), changes: { tokens: [token] } }
}

function findAmountRefusal(fields: URLSearchParams, param: string, currency: string): StripeOutcome | null {
  const amount = parseAmount(fields.get(param))
  if (amount === null) return buildInvalidParamRefusal(param)
  const fault = findCardAmountFault(amount, currency)
  return fault && buildAmountRefusal(fault, param)
}

const buildRefusal = (
  error: { type?: string; code?: string; param?: string; message: string },
  status = 400,
): StripeOutcome => ({
  status,
  body: { error: { type: 'invalid_request_error', ...error } },
})
const otherRequestRefusal = buildRefusal({
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
})
const buildInvalidParamRefusal = (param: string) =>
  buildRefusal({ code: 'parameter_invalid_integer', param, message: `Invalid ${param}` })
const buildAmountRefusal = (code: string, param: string) =>
  buildRefusal({ code, param, message: `The ${param} is out of range.` })
const buildMissingResourceRefusal = (resource: string, param: string) =>
  buildRefusal(
    { code: 'resource_missing', param, message: `No such ${resource}` },
    param === 'payment_method' ? 400 : 404,
  )
const buildUsedTokenRefusal = (id: string) =>
  buildRefusal({
    code: 'token_already_used',
    param: 'payment_method_data[card][token]',
    message: `You cannot use a token more than once: ${id}.`,
  })
const buildStateRefusal = (resource: string) =>
  buildRefusal({
    code: `${resource}_unexpected_state`,
    message: `The state of this ${resource} does not allow this operation.`,
  })
const buildRefundRefusal = (code: string) => buildRefusal({ code, message: 'This charge cannot be refunded.' })

export const toApiRefund = ({ id, of, created, amount, currency, metadata, failure }: SandboxRefund): object => ({
  id,
  object: 'refund',
  payment_intent: of,
  created,
  amount,
  currency,
  metadata,
  ...(failure === undefined ? { status: 'succeeded' } : { status: 'failed', failure_reason: failure }),
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
