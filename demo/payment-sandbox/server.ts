/**
 * A payment gateway on this machine that speaks as Stripe and Alipay do, for trying and for tests: the real drivers
 * walk their whole way to it, over real HTTP, with real signatures. It takes no money and counts it all the same.
 */
import { fastify as createFastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHmac } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { StartProblem } from '#server/config/config.ts'
import { alipayApi } from '#demo/payment-sandbox/alipay-api.ts'
import {
  type AlipayGate,
  balances,
  type Books,
  type Call,
  type SandboxBooks,
} from '#demo/payment-sandbox/payment-store.ts'
import { type Calls, startCalls } from '#demo/payment-sandbox/webhooks.ts'
import { cardFramePath, serveCardFrame } from '#demo/payment-sandbox/card-frame-routes.ts'
import { cardPayments } from '#demo/payment-sandbox/card-payments.ts'
import { serveControl } from '#demo/payment-sandbox/test-control.ts'
import { openJournal } from '#demo/payment-sandbox/journal.ts'
import { type SandboxKeys, sandboxKeys } from '#demo/payment-sandbox/keys.ts'
import { alipayPath, bankPath, cardPath, servePages } from '#demo/payment-sandbox/page-routes.ts'
import type { Moods } from '#demo/payment-sandbox/settings.ts'
import { stripeApi } from '#demo/payment-sandbox/stripe-api.ts'
import type { PaymentSandbox, SandboxPlace } from '#server/composition/open-payments.ts'
import type { Gateways } from '#server/config/payment-config.ts'

export interface Sandbox extends PaymentSandbox {
  keys: SandboxKeys
  calls: Calls
  moods: Moods
  balances(): ReturnType<typeof balances>
}

/** Builds before named it otherwise; what it holds was paid, so it is taken over. */
function journalIn(folder: string): string {
  const [path, former] = [join(folder, 'journal.jsonl'), join(folder, 'ledger.jsonl')]
  if (existsSync(former) && !existsSync(path)) renameSync(former, path)
  return path
}

export async function openSandbox({ dataDir, portalUrl, log, clock, ...settings }: SandboxPlace): Promise<Sandbox> {
  const folder = join(dataDir, 'payment-sandbox')
  const keys = await sandboxKeys(join(folder, 'keys.json'))
  const books: SandboxBooks = openJournal<Books>(journalIn(folder))
  const moods: Moods = { loseAnswers: 0, fail: 0 }
  const calls = startCalls({
    books,
    log,
    clock,
    headersFor: (call, now) => headersFor(call, now, keys),
    isAcknowledged,
  })
  const fastify = createFastify({ logger: false, bodyLimit: 65_536, exposeHeadRoutes: false })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  fastify.addHook('onSend', async (request, reply) => {
    reply.headers(everywhere)
    // The card fields say themselves whose frame they may be shown in.
    if (request.routeOptions.url !== cardFramePath) reply.header('x-frame-options', 'DENY')
  })

  let url = settings.url ?? ''
  const links = {
    authenticate: (intent: Parameters<typeof bankPath>[0]) => url + bankPath(intent),
    checkout: (session: Parameters<typeof cardPath>[0]) => `${url}${cardPath(session)}?lang=${session.locale}`,
  }
  const cards = cardPayments(calls, () => `${portalUrl}/public/payment/stripe`, clock, links)
  const stripe = stripeApi(books, cards, clock, links)
  const alipay = alipayApi(books, calls, keys, clock)

  fastify.all('/v1/*', (request, reply) => {
    if (request.headers.authorization !== `Bearer ${keys.stripe.secretKey}`)
      return reply.code(401).send({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } })
    if (fails(moods, reply)) return reply
    const [path = '', query] = request.url.slice('/v1/'.length).split('?')
    const idempotencyKey = request.headers['idempotency-key']?.toString() ?? null
    const asked = {
      method: request.method,
      path,
      query: new URLSearchParams(query),
      body: textOf(request),
      idempotencyKey,
    }
    const { status, body, isReplayed } = stripe.answer(asked)
    calls.wake()
    if (isLost(moods, request)) return reply
    if (isReplayed) reply.header('idempotent-replayed', 'true')
    return reply.code(status).type('application/json').send(body)
  })
  for (const [path, gate] of Object.entries(gates)) {
    fastify.get(path, (request, reply) => {
      const fields = Object.fromEntries(new URLSearchParams(request.url.split('?')[1]))
      const trade = isCalledHome(fields.notify_url) ? alipay.open(gate, fields) : null
      return reply.redirect(trade ? alipayPath(trade) : `/pay/${gate}/none`, 303)
    })
    fastify.post(path, (request, reply) => {
      if (fails(moods, reply)) return reply
      const fields = Object.fromEntries(new URLSearchParams(`${request.url.split('?')[1] ?? ''}&${textOf(request)}`))
      const body = alipay.answer(gate, fields)
      if (isLost(moods, request)) return reply
      return reply.type('text/plain; charset=utf-8').send(body)
    })
  }
  const isCalledHome = (to: string | undefined) =>
    to !== undefined && URL.canParse(to) && new URL(to).origin === new URL(portalUrl).origin
  servePages(fastify, { books, cards, alipay, calls })
  serveCardFrame(fastify, { books, publishableKey: keys.stripe.publishableKey, clock })
  serveControl(fastify, { books, calls, moods, keys })

  const local = await listen(fastify, folder, settings.port)
  url ||= `http://${new URL(portalUrl).hostname}:${local}`
  calls.wake()
  return {
    gateways: gatewaysAt(`http://127.0.0.1:${local}`, url, keys),
    keys,
    cardFrame: url + cardFramePath,
    calls,
    moods,
    balances: () => balances(books),
    async close() {
      await calls.close()
      await fastify.close()
      books.close()
    },
  }
}

const gates: Record<string, AlipayGate> = {
  '/alipay/gateway.do': 'alipay',
  '/global-alipay/gateway.do': 'globalAlipay',
}

const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const textOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body.toString('utf8') : '')

function fails(moods: Moods, reply: FastifyReply): boolean {
  if (moods.fail <= 0) return false
  moods.fail -= 1
  // Said so, because the drivers' libraries would try again by themselves.
  void reply
    .code(500)
    .header('stripe-should-retry', 'false')
    .send({ error: { type: 'api_error', message: 'Told to fail' } })
  return true
}

function isLost(moods: Moods, request: FastifyRequest): boolean {
  if (moods.loseAnswers <= 0) return false
  moods.loseAnswers -= 1
  request.raw.socket.destroy()
  return true
}

/** Stripe signs time and bytes with each attempt; Alipay's signature is in the form. */
function headersFor({ gate, body }: Call, now: number, { stripe }: SandboxKeys): Record<string, string> {
  if (gate !== 'stripe') return { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const time = Math.floor(now / 1000)
  const signature = createHmac('sha256', stripe.webhookSecret).update(`${time}.${body}`).digest('hex')
  return { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${time},v1=${signature}` }
}

const isAcknowledged = ({ gate }: Call, status: number, answer: string) =>
  gate === 'stripe' ? status >= 200 && status < 300 : status === 200 && answer.trim() === 'success'

function gatewaysAt(local: string, url: string, keys: SandboxKeys): Gateways {
  const alipayKeys = { privateKey: keys.shop.privateKey, publicKey: keys.gateway.publicKey }
  return {
    stripe: { ...keys.stripe, webhookSecrets: [keys.stripe.webhookSecret], apiUrl: local },
    alipay: { ...alipayKeys, appId: keys.appId, sellerId: keys.sellerId, gatewayUrl: `${url}/alipay/gateway.do` },
    globalAlipay: { ...alipayKeys, partner: keys.partner, gatewayUrl: `${url}/global-alipay/gateway.do` },
  }
}

/** On this machine alone, and where it was the last time: pages that are open still lead there after a restart. */
async function listen(fastify: FastifyInstance, folder: string, wanted: number): Promise<number> {
  const path = join(folder, 'port')
  const before = Number(await readFile(path, 'utf8').catch(() => '0'))
  const host = '127.0.0.1'
  const isThere = await fastify.listen({ port: wanted || before, host }).then(
    () => true,
    () => false,
  )
  if (!isThere && wanted !== 0)
    throw new StartProblem(`PAYMENT_SANDBOX_PORT ${wanted} is in use: stop what listens there, or set another number.`)
  if (!isThere) await fastify.listen({ port: 0, host })
  const { port } = fastify.server.address() as AddressInfo
  await writeFile(path, String(port), { mode: 0o600 })
  return port
}
