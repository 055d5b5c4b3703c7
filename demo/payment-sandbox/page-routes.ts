/** The sandbox's pages: what is shown, and where the payer goes from there. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { type Language, languages } from '#domain/accounts/users.ts'
import { withQuery } from '#server/drivers/payment/driver.ts'
import type { AlipayApi } from '#demo/payment-sandbox/alipay-api.ts'
import type { Intent, SandboxBooks, Session, Trade } from '#demo/payment-sandbox/payment-store.ts'
import type { Calls } from '#demo/payment-sandbox/webhooks.ts'
import type { CardPayments } from '#demo/payment-sandbox/card-payments.ts'
import { alipayPage, bankPage, cardPage, gonePage } from '#demo/payment-sandbox/pages.ts'
import { languageOf } from '#server/problems/problem-body.ts'

interface Parts {
  books: SandboxBooks
  cards: CardPayments
  alipay: AlipayApi
  calls: Calls
}

/** Unguessable ids stand in the first two; the third is what the shop's signed address leads to. */
export const cardPath = (session: Session) => `/pay/card/${session.id}`
export const bankPath = (intent: Intent) => `/pay/bank/${intent.client_secret}`
export const alipayPath = ({ gate, outTradeNo }: Trade) => `/pay/${gate}/${outTradeNo}`

export function servePages(fastify: FastifyInstance, { books, cards, alipay, calls }: Parts): void {
  const css = readFileSync(new URL('sandbox.css', import.meta.url), 'utf8')
  fastify.get('/sandbox.css', (_, reply) => reply.type('text/css; charset=utf-8').send(css))

  /** A redirect behind a form counts as its target, so the shop's origin is let in. */
  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    shop: string,
    page: (shown: Shown) => string,
    status = 200,
  ) {
    const language = languageFor(request)
    const origin = URL.canParse(shop) ? ` ${new URL(shop).origin}` : ''
    reply
      .code(status)
      .header('content-security-policy', `${policy}; form-action 'self'${origin}`)
      .type('text/html; charset=utf-8')
    const here = new URL(request.url, 'http://here')
    here.searchParams.delete('lang')
    return reply.send(page({ language, here: here.pathname + here.search }))
  }
  const gone = (request: FastifyRequest, reply: FastifyReply, word: 'gone' | 'closed' = 'gone') =>
    show(request, reply, '', (shown) => gonePage(shown, word), 404)

  const sessionOfIntent = (intent: Intent) => books.all('sessions').find((one) => one.intent === intent.id)
  const success = ({ successUrl, id }: Session) => successUrl.replaceAll('{CHECKOUT_SESSION_ID}', id)

  /** Where a card payment stands decides where its payer goes. */
  function onwards(intent: Intent, session: Session | undefined): string {
    if (intent.status === 'requires_action') return bankPath(intent)
    const isPaid = intent.status === 'succeeded'
    if (session) return isPaid ? success(session) : withQueryPath(cardPath(session), 'declined')
    return withQuery(intent.return_url ?? '', {
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: isPaid ? 'succeeded' : 'failed',
    })
  }

  function settle(intent: Intent, session: Session | undefined): string {
    const status = intent.status === 'succeeded' ? 'complete' : 'open'
    const after = session ? ({ ...session, status, intent: intent.id } satisfies Session) : undefined
    books.put(cards.changes(intent, after))
    calls.wake()
    return onwards(intent, after)
  }

  fastify.get<{ Params: { id: string }; Querystring: { declined?: string } }>('/pay/card/:id', (request, reply) => {
    const session = books.get('sessions', request.params.id)
    if (session?.status === 'complete') return reply.redirect(success(session), 303)
    if (!session) return gone(request, reply)
    if (session.status === 'expired') return gone(request, reply, 'closed')
    const isDeclined = request.query.declined !== undefined
    return show(request, reply, session.successUrl, (shown) => cardPage(shown, session, isDeclined))
  })
  fastify.post<{ Params: { id: string } }>('/pay/card/:id', (request, reply) => {
    const session = books.get('sessions', request.params.id)
    if (session?.status !== 'open') return reply.redirect(request.url, 303)
    const { amount, currency, description, intentMetadata: metadata } = session
    const begun = session.intent === null ? null : books.get('intents', session.intent)
    // A second click on the first payment's way to the bank begins no second one.
    if (begun?.status === 'requires_action') return reply.redirect(bankPath(begun), 303)
    const intent = begun ?? cards.makeIntent({ amount, currency, description, metadata, return_url: null })
    return reply.redirect(settle(cards.pay(intent, formOf(request).get('card') ?? ''), session), 303)
  })

  const intentBySecret = (secret: string) => {
    const intent = books.get('intents', secret.split('_secret_')[0] ?? '')
    return intent?.client_secret === secret ? intent : null
  }
  fastify.get<{ Params: { secret: string } }>('/pay/bank/:secret', (request, reply) => {
    const intent = intentBySecret(request.params.secret)
    if (!intent) return gone(request, reply)
    const session = sessionOfIntent(intent)
    if (intent.status === 'canceled') return gone(request, reply, 'closed')
    if (intent.status !== 'requires_action') return reply.redirect(onwards(intent, session), 303)
    const shop = session?.successUrl ?? intent.return_url ?? ''
    return show(request, reply, shop, (shown) => bankPage(shown, intent))
  })
  fastify.post<{ Params: { secret: string } }>('/pay/bank/:secret', (request, reply) => {
    const intent = intentBySecret(request.params.secret)
    if (intent?.status !== 'requires_action') return reply.redirect(request.url, 303)
    const isOwner = formOf(request).get('answer') === 'yes'
    return reply.redirect(settle(cards.authenticate(intent, isOwner), sessionOfIntent(intent)), 303)
  })

  for (const gate of ['alipay', 'globalAlipay'] as const) {
    const path = `/pay/${gate}/:number`
    fastify.get<{ Params: { number: string } }>(path, (request, reply) => {
      const trade = books.get('trades', `${gate}:${request.params.number}`)
      if (!trade) return gone(request, reply)
      if (trade.status === 'TRADE_SUCCESS') return reply.redirect(alipay.returnTo(trade), 303)
      if (trade.status === 'TRADE_CLOSED') return gone(request, reply, 'closed')
      return show(request, reply, trade.returnUrl, (shown) => alipayPage(shown, trade))
    })
    fastify.post<{ Params: { number: string } }>(path, (request, reply) => {
      const trade = books.get('trades', `${gate}:${request.params.number}`)
      if (trade?.status !== 'WAIT_BUYER_PAY') return reply.redirect(request.url, 303)
      // Alipay itself signs nothing for somebody who turns back.
      if (formOf(request).get('answer') !== 'pay') return reply.redirect(trade.quitUrl ?? trade.returnUrl, 303)
      const paid = alipay.pay(trade)
      calls.wake()
      return reply.redirect(alipay.returnTo(paid), 303)
    })
  }
}

type Shown = Parameters<typeof cardPage>[0]

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const formOf = ({ body }: FastifyRequest) => new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')

const withQueryPath = (path: string, name: string) => `${path}?${name}=`

function languageFor(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: string }
  return languages.find((one) => one === lang) ?? languageOf(request.headers['accept-language'])
}
