import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { type Language, languages } from '#domain/accounts/users.ts'
import { withQuery } from '#server/drivers/payment/payment-driver.ts'
import type { AlipayApi } from '#demo/payment-sandbox/alipay-api.ts'
import type { SandboxIntent, SandboxStore, CheckoutSession, AlipayTrade } from '#demo/payment-sandbox/sandbox-store.ts'
import type { WebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import type { CardPayments } from '#demo/payment-sandbox/card-payments.ts'
import { renderAlipayPage, renderBankPage, renderCardPage, renderGonePage } from '#demo/payment-sandbox/pages.ts'
import { parseLanguage } from '#server/problems/problem-body.ts'

interface PageRouteContext {
  store: SandboxStore
  cards: CardPayments
  alipay: AlipayApi
  webhooks: WebhookSender
}

/** Paths of the payment pages. The first two contain unguessable ids. The shop's signed URL redirects to the third. */
export const getCardPath = (session: CheckoutSession) => `/pay/card/${session.id}`
export const getBankPath = (intent: SandboxIntent) => `/pay/bank/${intent.client_secret}`
export const getAlipayPath = ({ gate: gateway, outTradeNo }: AlipayTrade) => `/pay/${gateway}/${outTradeNo}`

export function serveSandboxPages(
  fastify: FastifyInstance,
  { store, cards, alipay, webhooks }: PageRouteContext,
): void {
  const css = readFileSync(new URL('sandbox.css', import.meta.url), 'utf8')
  fastify.get('/sandbox.css', (_, reply) => reply.type('text/css; charset=utf-8').send(css))

  /** Sends a page whose forms may redirect to the shop: browsers apply `form-action` to redirects after a form too. */
  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    shop: string,
    renderPage: (view: PageView) => string,
    status = 200,
  ) {
    const language = getLanguage(request)
    const origin = URL.canParse(shop) ? ` ${new URL(shop).origin}` : ''
    reply
      .code(status)
      .header('content-security-policy', `${policy}; form-action 'self'${origin}`)
      .type('text/html; charset=utf-8')
    const url = new URL(request.url, 'http://here')
    url.searchParams.delete('lang')
    return reply.send(renderPage({ language, path: url.pathname + url.search }))
  }
  const sendGonePage = (request: FastifyRequest, reply: FastifyReply, textKey: 'gone' | 'closed' = 'gone') =>
    sendPage(request, reply, '', (view) => renderGonePage(view, textKey), 404)

  const findSessionOfIntent = (intent: SandboxIntent) =>
    store.list('sessions').find((session) => session.intent === intent.id)
  const getSuccessUrl = ({ successUrl, id }: CheckoutSession) => successUrl.replaceAll('{CHECKOUT_SESSION_ID}', id)

  function getNextUrl(intent: SandboxIntent, session: CheckoutSession | undefined): string {
    if (intent.status === 'requires_action') return getBankPath(intent)
    const isPaid = intent.status === 'succeeded'
    if (session) return isPaid ? getSuccessUrl(session) : appendQueryFlag(getCardPath(session), 'declined')
    return withQuery(intent.return_url ?? '', {
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: isPaid ? 'succeeded' : 'failed',
    })
  }

  function settlePayment(intent: SandboxIntent, session: CheckoutSession | undefined): string {
    const updatedSession = session && toPaidSession(session, intent)
    store.put(cards.buildChanges(intent, updatedSession))
    webhooks.wake()
    return getNextUrl(intent, updatedSession)
  }

  fastify.get<{ Params: { id: string }; Querystring: { declined?: string } }>('/pay/card/:id', (request, reply) => {
    const session = store.get('sessions', request.params.id)
    if (session?.status === 'complete') return reply.redirect(getSuccessUrl(session), 303)
    if (!session) return sendGonePage(request, reply)
    if (session.status === 'expired') return sendGonePage(request, reply, 'closed')
    const isDeclined = request.query.declined !== undefined
    return sendPage(request, reply, session.successUrl, (view) => renderCardPage(view, session, isDeclined))
  })
  fastify.post<{ Params: { id: string } }>('/pay/card/:id', (request, reply) => {
    const session = store.get('sessions', request.params.id)
    if (session?.status !== 'open') return reply.redirect(request.url, 303)
    const { amount, currency, description, intentMetadata: metadata } = session
    const existingIntent = session.intent === null ? null : store.get('intents', session.intent)
    // A second click while the first payment waits at the bank must not start a second payment.
    if (existingIntent?.status === 'requires_action') return reply.redirect(getBankPath(existingIntent), 303)
    const intent = existingIntent ?? cards.createIntent({ amount, currency, description, metadata, return_url: null })
    return reply.redirect(settlePayment(cards.payIntent(intent, parseForm(request).get('card') ?? ''), session), 303)
  })

  const findIntentBySecret = (secret: string) => {
    const intent = store.get('intents', secret.split('_secret_')[0] ?? '')
    return intent?.client_secret === secret ? intent : null
  }
  fastify.get<{ Params: { secret: string } }>('/pay/bank/:secret', (request, reply) => {
    const intent = findIntentBySecret(request.params.secret)
    if (!intent) return sendGonePage(request, reply)
    const session = findSessionOfIntent(intent)
    if (intent.status === 'canceled') return sendGonePage(request, reply, 'closed')
    if (intent.status !== 'requires_action') return reply.redirect(getNextUrl(intent, session), 303)
    const shop = session?.successUrl ?? intent.return_url ?? ''
    return sendPage(request, reply, shop, (view) => renderBankPage(view, intent))
  })
  fastify.post<{ Params: { secret: string } }>('/pay/bank/:secret', (request, reply) => {
    const intent = findIntentBySecret(request.params.secret)
    if (intent?.status !== 'requires_action') return reply.redirect(request.url, 303)
    const isOwner = parseForm(request).get('answer') === 'yes'
    return reply.redirect(settlePayment(cards.authenticateIntent(intent, isOwner), findSessionOfIntent(intent)), 303)
  })

  for (const gateway of ['alipay', 'globalAlipay'] as const) {
    const path = `/pay/${gateway}/:number`
    fastify.get<{ Params: { number: string } }>(path, (request, reply) => {
      const alipayTrade = store.get('trades', `${gateway}:${request.params.number}`)
      if (!alipayTrade) return sendGonePage(request, reply)
      if (alipayTrade.status === 'TRADE_SUCCESS') return reply.redirect(alipay.buildReturnUrl(alipayTrade), 303)
      if (alipayTrade.status === 'TRADE_CLOSED') return sendGonePage(request, reply, 'closed')
      return sendPage(request, reply, alipayTrade.returnUrl, (view) => renderAlipayPage(view, alipayTrade))
    })
    fastify.post<{ Params: { number: string } }>(path, (request, reply) => {
      const alipayTrade = store.get('trades', `${gateway}:${request.params.number}`)
      if (alipayTrade?.status !== 'WAIT_BUYER_PAY') return reply.redirect(request.url, 303)
      // A payer who cancels returns to an unsigned URL, as with Alipay.
      const { quitUrl, returnUrl } = alipayTrade
      if (parseForm(request).get('answer') !== 'pay') return reply.redirect(quitUrl ?? returnUrl, 303)
      const paidTrade = alipay.payTrade(alipayTrade)
      webhooks.wake()
      return reply.redirect(alipay.buildReturnUrl(paidTrade), 303)
    })
  }
}

const toPaidSession = (session: CheckoutSession, { id, status }: SandboxIntent): CheckoutSession => ({
  ...session,
  status: status === 'succeeded' ? 'complete' : 'open',
  intent: id,
})

type PageView = Parameters<typeof renderCardPage>[0]

const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const parseForm = ({ body }: FastifyRequest) => new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')

const appendQueryFlag = (path: string, name: string) => `${path}?${name}=`

function getLanguage(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: string }
  return languages.find((knownLanguage) => knownLanguage === lang) ?? parseLanguage(request.headers['accept-language'])
}
