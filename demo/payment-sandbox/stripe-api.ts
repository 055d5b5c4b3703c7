/** Stripe's API, as much of it as a shop needs that takes cards: payment intents, checkout sessions, idempotency keys. */
import { createHash } from 'node:crypto'
import { cardAmountFault } from '#demo/payment-sandbox/amount-limits.ts'
import {
  type Answered,
  type GivenBack,
  givenBack,
  type Intent,
  type SandboxBooks,
  type Session,
} from '#demo/payment-sandbox/payment-store.ts'
import {
  apiIntent,
  apiSession,
  type CardPayments,
  type Changes,
  type Links,
  newId,
} from '#demo/payment-sandbox/card-payments.ts'
import { buildConfirmationToken, toApiToken } from '#demo/payment-sandbox/card-tokens.ts'
import { cardOfToken } from '#demo/payment-sandbox/test-cards.ts'

export interface Asked {
  method: string
  /** Behind `/v1/`. */
  path: string
  query: URLSearchParams
  /** A form with names like `metadata[key]`. */
  body: string
  idempotencyKey: string | null
}

interface Outcome {
  status: number
  body: object
  changes?: Changes
}

export interface StripeApi {
  /** Written down when it answers; the same key again gets the same answer. */
  answer(asked: Asked): { status: number; body: string; isReplayed: boolean }
}

export function stripeApi(books: SandboxBooks, cards: CardPayments, clock: () => number, links: Links): StripeApi {
  const intentSaid = (intent: Intent) => apiIntent(intent, links)
  const sessionSaid = (session: Session) =>
    apiSession(session, session.intent === null ? null : books.get('intents', session.intent), links)

  function charge(intent: Intent, fields: URLSearchParams): Outcome {
    const token = tokenOf(fields)
    const stored = token === null ? null : books.get('tokens', token)
    if (stored?.isUsed) return usedToken(stored.id)
    const number = stored?.number ?? (token === null ? null : cardOfToken(token))
    if (number === null) return noSuch(`payment method '${token ?? ''}'`, 'payment_method')
    const charged = cards.pay({ ...intent, return_url: fields.get('return_url') ?? intent.return_url }, number)
    const changes = { ...cards.changes(charged), ...(stored ? { tokens: [{ ...stored, isUsed: true }] } : {}) }
    if (charged.last_payment_error === null) return { status: 200, body: intentSaid(charged), changes }
    const error = { ...charged.last_payment_error, payment_intent: intentSaid(charged) }
    return { status: 402, body: { error }, changes }
  }

  function createIntent(fields: URLSearchParams): Outcome {
    const amount = amountOf(fields.get('amount'))
    if (amount === null) return invalid('amount')
    const fault = cardAmountFault(amount, fields.get('currency') ?? '')
    if (fault) return wrongAmount(fault, 'amount')
    const intent = cards.makeIntent({
      amount,
      currency: fields.get('currency') ?? '',
      description: fields.get('description'),
      metadata: hash(fields, 'metadata'),
      return_url: fields.get('return_url'),
    })
    if (fields.get('confirm') === 'true') return charge(intent, fields)
    return { status: 200, body: intentSaid(intent), changes: { intents: [intent] } }
  }

  function withIntent(id: string, verb: string | undefined, fields: URLSearchParams): Outcome {
    const intent = books.get('intents', id)
    if (!intent) return noSuch(`payment_intent: '${id}'`, 'intent')
    if (verb === undefined) return { status: 200, body: intentSaid(intent) }
    if (intent.status === 'succeeded' || intent.status === 'canceled') return unexpected('payment_intent')
    if (verb === 'confirm') return charge(intent, fields)
    const canceled: Intent = { ...intent, status: 'canceled', card: null }
    return { status: 200, body: intentSaid(canceled), changes: cards.changes(canceled) }
  }

  function createSession(fields: URLSearchParams): Outcome {
    const item = 'line_items[0][price_data]'
    const amount = amountOf(fields.get(`${item}[unit_amount]`))
    if (amount === null) return invalid(`${item}[unit_amount]`)
    const fault = cardAmountFault(amount, fields.get(`${item}[currency]`) ?? '')
    if (fault) return wrongAmount(fault, `${item}[unit_amount]`)
    const session: Session = {
      id: newId('cs_test'),
      created: Math.floor(clock() / 1000),
      amount,
      currency: fields.get(`${item}[currency]`) ?? '',
      description: fields.get(`${item}[product_data][name]`) ?? '',
      metadata: hash(fields, 'metadata'),
      intentMetadata: hash(fields, 'payment_intent_data[metadata]'),
      status: 'open',
      successUrl: fields.get('success_url') ?? '',
      cancelUrl: fields.get('cancel_url') ?? '',
      locale: fields.get('locale')?.startsWith('zh') ? 'zh' : 'en',
      intent: null,
    }
    return { status: 200, body: sessionSaid(session), changes: { sessions: [session] } }
  }

  function withSession(id: string, verb: string | undefined): Outcome {
    const session = books.get('sessions', id)
    if (!session) return noSuch(`checkout session: '${id}'`, 'session')
    if (verb === undefined) return { status: 200, body: sessionSaid(session) }
    if (session.status !== 'open') return unexpected('session')
    const expired: Session = { ...session, status: 'expired' }
    return { status: 200, body: sessionSaid(expired), changes: { ...endOf(session.intent), sessions: [expired] } }
  }

  /** With its page a payment ends too, even one that waits at the bank. */
  function endOf(id: string | null): Changes {
    const intent = id === null ? null : books.get('intents', id)
    return intent ? cards.changes({ ...intent, status: 'canceled', card: null }) : {}
  }

  function createRefund(fields: URLSearchParams): Outcome {
    const id = fields.get('payment_intent') ?? ''
    const intent = books.get('intents', id)
    if (!intent) return noSuch(`payment_intent: '${id}'`, 'payment_intent')
    if (intent.status !== 'succeeded') return unexpected('payment_intent')
    const left = intent.amount - givenBack(books, id)
    const amount = fields.has('amount') ? amountOf(fields.get('amount')) : left
    if (left === 0) return refundRefusal('charge_already_refunded')
    if (amount === null || amount > left) return invalid('amount')
    const refund: GivenBack = {
      id: newId('re'),
      gate: 'stripe',
      of: id,
      created: Math.floor(clock() / 1000),
      amount,
      currency: intent.currency,
      metadata: hash(fields, 'metadata'),
    }
    return { status: 200, body: apiRefund(refund), changes: { refunds: [refund] } }
  }

  function refunds(method: string, id: string | undefined, query: URLSearchParams, fields: URLSearchParams): Outcome {
    if (method === 'POST' && id === undefined) return createRefund(fields)
    const refund = id === undefined ? null : books.get('refunds', id)
    if (refund) return { status: 200, body: apiRefund(refund) }
    if (id !== undefined) return noSuch(`refund: '${id}'`, 'id')
    const all = books.all('refunds').filter(({ gate }) => gate === 'stripe')
    const intent = query.get('payment_intent')
    return page(intent === null ? all : all.filter(({ of }) => of === intent), query, apiRefund)
  }

  function createConfirmationToken(fields: URLSearchParams): Outcome {
    const token = buildConfirmationToken(fields, clock())
    if (!token) return noSuch(`payment method '${fields.get('payment_method') ?? ''}'`, 'payment_method')
    return { status: 200, body: toApiToken(token), changes: { tokens: [token] } }
  }

  function route({ method, path, query, body }: Asked): Outcome {
    const fields = new URLSearchParams(body)
    const [, resource, id, verb] =
      /^(payment_intents|checkout\/sessions|refunds)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? []
    const isIntent = resource === 'payment_intents'
    if (method === 'POST' && path === 'test_helpers/confirmation_tokens') return createConfirmationToken(fields)
    if (!resource) return noSuch(`path: ${path}`, 'path')
    if (resource === 'refunds') return refunds(method, id, query, fields)
    if (method === 'POST' && id === undefined) return isIntent ? createIntent(fields) : createSession(fields)
    if (id !== undefined) return isIntent ? withIntent(id, verb, fields) : withSession(id, verb)
    return isIntent ? page(books.all('intents'), query, intentSaid) : page(books.all('sessions'), query, sessionSaid)
  }

  return {
    answer(asked) {
      const id = asked.method === 'POST' ? asked.idempotencyKey : null
      const print = createHash('sha256').update(`${asked.path}\n${asked.body}`).digest('hex')
      const known = id === null ? null : books.get('answers', id)
      if (known && known.print !== print) return { ...said(otherRequest), isReplayed: false }
      if (known) return { status: known.status, body: known.body, isReplayed: true }
      const outcome = route(asked)
      const { status, body } = said(outcome)
      // What is not understood changes nothing and is not kept, as with Stripe.
      const answers: Answered[] = id === null || !outcome.changes ? [] : [{ id, print, status, body }]
      if (outcome.changes) books.put({ ...outcome.changes, answers })
      return { status, body, isReplayed: false }
    },
  }
}

const said = ({ status, body }: Outcome) => ({ status, body: JSON.stringify(body) })

const refusal = (status: number, error: Record<string, string>): Outcome => ({ status, body: { error } })
const otherRequest = refusal(400, {
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
})
const invalid = (param: string) =>
  refusal(400, { type: 'invalid_request_error', code: 'parameter_invalid_integer', param, message: `Invalid ${param}` })
const wrongAmount = (code: string, param: string) =>
  refusal(400, { type: 'invalid_request_error', code, param, message: `The ${param} is outside what is taken.` })
const noSuch = (what: string, param: string) =>
  refusal(param === 'payment_method' ? 400 : 404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${what}`,
  })
const usedToken = (id: string) =>
  refusal(400, {
    type: 'invalid_request_error',
    code: 'token_already_used',
    param: 'payment_method_data[card][token]',
    message: `You cannot use a token more than once: ${id}.`,
  })
const unexpected = (what: string) =>
  refusal(400, {
    type: 'invalid_request_error',
    code: `${what}_unexpected_state`,
    message: `This ${what} is in a state in which that is not possible.`,
  })

const refundRefusal = (code: string) =>
  refusal(400, { type: 'invalid_request_error', code, message: 'This charge cannot be refunded.' })

const apiRefund = ({ id, of, created, amount, currency, metadata }: GivenBack): object => ({
  id,
  object: 'refund',
  payment_intent: of,
  created,
  amount,
  currency,
  metadata,
  status: 'succeeded',
})

const tokenOf = (fields: URLSearchParams): string | null =>
  fields.get('payment_method') ?? fields.get('confirmation_token') ?? fields.get('payment_method_data[card][token]')

function amountOf(text: string | null): number | null {
  const amount = Number(text)
  return /^\d{1,12}$/.test(text ?? '') && amount > 0 ? amount : null
}

function hash(fields: URLSearchParams, name: string): Record<string, string> {
  const begins = `${name}[`
  const own = [...fields].filter(([field]) => field.startsWith(begins) && field.endsWith(']'))
  return Object.fromEntries(own.map(([field, value]) => [field.slice(begins.length, -1), value]))
}

/** The newest first, in pages, from a moment on. */
function page<R extends { id: string; created: number }>(
  rows: readonly R[],
  query: URLSearchParams,
  write: (row: R) => object,
): Outcome {
  const from = Number(query.get('created[gte]') ?? 0)
  const limit = Number(query.get('limit') ?? 10)
  const newest = rows.filter(({ created }) => created >= from).toReversed()
  const start = newest.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const data = newest.slice(start, start + limit).map(write)
  return { status: 200, body: { object: 'list', data, has_more: start + limit < newest.length } }
}
