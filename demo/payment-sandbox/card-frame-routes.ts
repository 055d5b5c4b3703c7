/** Serves card fields in place of Stripe's Payment Element, so that the portal never receives a card number (decision 78). */
import type { FastifyInstance } from 'fastify'
import { readFileSync } from 'node:fs'
import { languages } from '#domain/accounts/users.ts'
import { isLoopback } from '#server/config/config.ts'
import { renderCardFramePage } from '#demo/payment-sandbox/card-frame-page.ts'
import { buildCardToken, findCardError, readCardInput, toApiToken } from '#demo/payment-sandbox/card-tokens.ts'
import type { SandboxStore } from '#demo/payment-sandbox/sandbox-store.ts'

export const cardFramePath = '/card-fields'

interface CardFrameContext {
  store: SandboxStore
  publishableKey: string
  /** Epoch ms. */
  clock: () => number
}

const readAsset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

export function serveCardFrame(fastify: FastifyInstance, { store, publishableKey, clock }: CardFrameContext): void {
  const script = readAsset('card-fields.js')
  const css = readAsset('card-fields.css')
  fastify.get(`${cardFramePath}.js`, (_, reply) => reply.type('text/javascript; charset=utf-8').send(script))
  fastify.get(`${cardFramePath}.css`, (_, reply) => reply.type('text/css; charset=utf-8').send(css))

  fastify.get<{ Querystring: Record<string, unknown> }>(cardFramePath, ({ query, protocol, host }, reply) => {
    const shop = String(query.shop)
    const nonce = String(query.nonce)
    // The sandbox serves only the demo, whose pages all have a local origin.
    if (!isLocalOrigin(shop) || !/^[\w-]{16,64}$/.test(nonce)) return reply.code(404).send()
    const language = languages.find((knownLanguage) => knownLanguage === query.lang) ?? 'en'
    return reply
      .header('content-security-policy', `${buildPolicy(`${protocol}://${host}`)}; frame-ancestors ${shop}`)
      .type('text/html; charset=utf-8')
      .send(renderCardFramePage({ language, shop, nonce, publishableKey, now: clock() }))
  })

  // The frame sends a plain form without custom headers, as Stripe's script does. So its opaque origin needs no CORS preflight.
  fastify.post('/v1/tokens', ({ body }, reply) => {
    reply.header('access-control-allow-origin', '*')
    const fields = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
    if (fields.get('key') !== publishableKey)
      return reply.code(401).send({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } })
    const card = readCardInput(fields)
    const now = clock()
    const error = findCardError(card, now)
    if (error) return reply.code(402).send({ error })
    const token = buildCardToken('tok', card.number, now)
    store.put({ tokens: [token] })
    return reply.send(toApiToken(token))
  })
}

/**
 * `sandbox` in this policy denies the script the cookies and storage of other servers on this host, even outside a frame. It makes the origin
 * opaque, and for WebKit 'self' is then no address, so the own one is named too.
 */
function buildPolicy(ownOrigin: string): string {
  const own = isLocalOrigin(ownOrigin) ? `'self' ${ownOrigin}` : "'self'"
  return `default-src 'none'; script-src ${own}; style-src ${own}; connect-src ${own}; base-uri 'none'; form-action 'none'; sandbox allow-scripts`
}

function isLocalOrigin(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null
  return url !== null && url.origin === origin && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)
}
