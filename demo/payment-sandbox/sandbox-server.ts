/** Serves a local gateway that behaves like Stripe and Alipay, so that the real drivers can be used without real money. */
import { fastify as createFastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createHmac } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { StartProblem } from '#server/config/config.ts'
import { AlipayApi } from '#demo/payment-sandbox/alipay-api.ts'
import {
  type AlipayGatewayName,
  calculateSandboxBalances,
  type SandboxTables,
  type WebhookCall,
  type SandboxStore,
} from '#demo/payment-sandbox/sandbox-store.ts'
import { type WebhookSender, startWebhookSender } from '#demo/payment-sandbox/webhook-sender.ts'
import { cardFramePath, serveCardFrame } from '#demo/payment-sandbox/card-frame-routes.ts'
import { createCardPayments } from '#demo/payment-sandbox/card-payments.ts'
import { createGatewayStaff, type GatewayStaff } from '#demo/payment-sandbox/gateway-staff.ts'
import { serveTestControl } from '#demo/payment-sandbox/test-control.ts'
import { openJournal } from '#demo/payment-sandbox/journal.ts'
import { type SandboxKeys, loadSandboxKeys } from '#demo/payment-sandbox/keys.ts'
import { getAlipayPath, getBankPath, getCardPath, serveSandboxPages } from '#demo/payment-sandbox/page-routes.ts'
import type { SandboxFaults } from '#demo/payment-sandbox/sandbox-faults.ts'
import { handleStripeRequest } from '#demo/payment-sandbox/stripe-api.ts'
import type { PaymentSandbox, SandboxOptions } from '#server/composition/open-payments.ts'
import type { GatewaySettings } from '#server/config/payment-config.ts'

export interface SandboxServer extends PaymentSandbox {
  keys: SandboxKeys
  webhooks: WebhookSender
  faults: SandboxFaults
  /** Refunds and disputes that are made at the gateways. */
  staff: GatewayStaff
  getBalances(): ReturnType<typeof calculateSandboxBalances>
}

/** Returns the path of the journal. A journal of earlier builds contains payments, so it is renamed and not lost. */
function prepareJournalPath(folder: string): string {
  const [path, formerPath] = [join(folder, 'journal.jsonl'), join(folder, 'ledger.jsonl')]
  if (existsSync(formerPath) && !existsSync(path)) renameSync(formerPath, path)
  return path
}

export async function openSandbox({
  dataDir,
  portalUrl,
  log,
  clock,
  ...settings
}: SandboxOptions): Promise<SandboxServer> {
  const folder = join(dataDir, 'payment-sandbox')
  const keys = await loadSandboxKeys(join(folder, 'keys.json'))
  const store: SandboxStore = openJournal<SandboxTables>(prepareJournalPath(folder))
  const faults: SandboxFaults = { loseAnswers: 0, fail: 0 }
  const webhooks = startWebhookSender({
    store,
    log,
    clock,
    buildHeaders: (call, now) => buildHeaders(call, now, keys),
    isAcknowledged,
  })
  const fastify = createFastify({ logger: false, bodyLimit: 65_536, exposeHeadRoutes: false })
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  fastify.addHook('onSend', async (request, reply) => {
    reply.headers(commonHeaders)
    // The card frame has its own `frame-ancestors` policy.
    if (request.routeOptions.url !== cardFramePath) reply.header('x-frame-options', 'DENY')
  })

  let url = settings.url ?? ''
  const links = {
    getAuthenticationUrl: (intent: Parameters<typeof getBankPath>[0]) => url + getBankPath(intent),
    getCheckoutUrl: (session: Parameters<typeof getCardPath>[0]) =>
      `${url}${getCardPath(session)}?lang=${session.locale}`,
  }
  const cards = createCardPayments(webhooks, () => `${portalUrl}/public/payment/stripe`, clock, links)
  const stripeContext = { store, cards, clock, links }
  const alipay = new AlipayApi({ store, webhooks, keys, clock })

  fastify.all('/v1/*', (request, reply) => {
    if (request.headers.authorization !== `Bearer ${keys.stripe.secretKey}`)
      return reply.code(401).send({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } })
    if (failIfRequested(faults, reply)) return reply
    const [path = '', query] = request.url.slice('/v1/'.length).split('?')
    const idempotencyKey = request.headers['idempotency-key']?.toString() ?? null
    const stripeRequest = {
      method: request.method,
      path,
      query: new URLSearchParams(query),
      body: readBody(request),
      idempotencyKey,
    }
    const { status, body, isReplayed } = handleStripeRequest(stripeContext, stripeRequest)
    webhooks.wake()
    if (loseAnswerIfRequested(faults, request)) return reply
    if (isReplayed) reply.header('idempotent-replayed', 'true')
    return reply.code(status).type('application/json').send(body)
  })
  for (const [path, gateway] of Object.entries(gatewaysByPath)) {
    fastify.get(path, (request, reply) => {
      const fields = Object.fromEntries(new URLSearchParams(request.url.split('?')[1]))
      const alipayTrade = isPortalUrl(fields.notify_url) ? alipay.openTrade(gateway, fields) : null
      return reply.redirect(alipayTrade ? getAlipayPath(alipayTrade) : `/pay/${gateway}/none`, 303)
    })
    fastify.post(path, (request, reply) => {
      if (failIfRequested(faults, reply)) return reply
      const fields = Object.fromEntries(new URLSearchParams(`${request.url.split('?')[1] ?? ''}&${readBody(request)}`))
      const body = alipay.handleRequest(gateway, fields)
      if (loseAnswerIfRequested(faults, request)) return reply
      return reply.type('text/plain; charset=utf-8').send(body)
    })
  }
  const isPortalUrl = (notifyUrl: string | undefined) =>
    notifyUrl !== undefined && URL.canParse(notifyUrl) && new URL(notifyUrl).origin === new URL(portalUrl).origin
  serveSandboxPages(fastify, { store, cards, alipay, webhooks })
  serveCardFrame(fastify, { store, publishableKey: keys.stripe.publishableKey, clock })
  const staff = createGatewayStaff({ store, cards, alipay, webhooks, clock })
  serveTestControl(fastify, { store, webhooks, faults, staff, keys })

  const localPort = await listenOnPort(fastify, folder, settings.port)
  url ||= `http://${new URL(portalUrl).hostname}:${localPort}`
  webhooks.wake()
  return {
    gateways: buildGateways(`http://127.0.0.1:${localPort}`, url, keys),
    keys,
    cardFrame: url + cardFramePath,
    webhooks,
    faults,
    staff,
    getBalances: () => calculateSandboxBalances(store),
    async close() {
      await webhooks.close()
      await fastify.close()
      store.close()
    },
  }
}

const gatewaysByPath: Record<string, AlipayGatewayName> = {
  '/alipay/gateway.do': 'alipay',
  '/global-alipay/gateway.do': 'globalAlipay',
}

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const readBody = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body.toString('utf8') : '')

function failIfRequested(faults: SandboxFaults, reply: FastifyReply): boolean {
  if (faults.fail <= 0) return false
  faults.fail -= 1
  // Without this header the SDKs of the drivers would retry by themselves.
  void reply
    .code(500)
    .header('stripe-should-retry', 'false')
    .send({ error: { type: 'api_error', message: 'A failure was requested' } })
  return true
}

function loseAnswerIfRequested(faults: SandboxFaults, request: FastifyRequest): boolean {
  if (faults.loseAnswers <= 0) return false
  faults.loseAnswers -= 1
  request.raw.socket.destroy()
  return true
}

/** Builds the headers of one attempt. Stripe signs the time and the body; Alipay's signature is part of the form. */
function buildHeaders(
  { gate: gateway, body }: WebhookCall,
  now: number,
  { stripe }: SandboxKeys,
): Record<string, string> {
  if (gateway !== 'stripe') return { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const time = Math.floor(now / 1000)
  const signature = createHmac('sha256', stripe.webhookSecret).update(`${time}.${body}`).digest('hex')
  return { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${time},v1=${signature}` }
}

const isAcknowledged = ({ gate: gateway }: WebhookCall, status: number, responseText: string) =>
  gateway === 'stripe' ? status >= 200 && status < 300 : status === 200 && responseText.trim() === 'success'

function buildGateways(localUrl: string, url: string, keys: SandboxKeys): GatewaySettings {
  const alipayKeys = { privateKey: keys.shop.privateKey, publicKey: keys.gateway.publicKey }
  return {
    stripe: { ...keys.stripe, webhookSecrets: [keys.stripe.webhookSecret], apiUrl: localUrl },
    alipay: { ...alipayKeys, appId: keys.appId, sellerId: keys.sellerId, gatewayUrl: `${url}/alipay/gateway.do` },
    globalAlipay: { ...alipayKeys, partner: keys.partner, gatewayUrl: `${url}/global-alipay/gateway.do` },
  }
}

/** Listens on the loopback address. Without a configured port it reuses the previous one, because open pages link to it after a restart. */
async function listenOnPort(fastify: FastifyInstance, folder: string, configuredPort: number): Promise<number> {
  const path = join(folder, 'port')
  const previousPort = Number(await readFile(path, 'utf8').catch(() => '0'))
  const host = '127.0.0.1'
  const isListening = await fastify.listen({ port: configuredPort || previousPort, host }).then(
    () => true,
    () => false,
  )
  if (!isListening && configuredPort !== 0)
    throw new StartProblem(
      `PAYMENT_SANDBOX_PORT ${configuredPort} is in use: stop the program that uses it, or set another number.`,
    )
  if (!isListening) await fastify.listen({ port: 0, host })
  const { port } = fastify.server.address() as AddressInfo
  await writeFile(path, String(port), { mode: 0o600 })
  return port
}
