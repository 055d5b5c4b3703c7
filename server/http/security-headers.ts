/** Headers of every answer, errors and 304 included (H-01 to H-05, H-11). One table, so that nothing is left to a route. */
import type { FastifyReply, FastifyRequest } from 'fastify'

export const dataPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

interface Shell {
  styleNonce: string
  /** Cards are typed into Stripe's own fields. */
  cards: boolean
  /** In the demo they are typed into a frame of the payment sandbox; null: there is none. */
  cardFrameOrigin: string | null
}

/** What Stripe's script asks for by its papers, and no more; let in only where Stripe has keys. */
const stripe = {
  script: ' https://js.stripe.com https://*.js.stripe.com',
  frame: ' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  connect: ' https://api.stripe.com',
}

/** The style nonce is fixed per build, because the worker replays the stored shell with its header. */
const shellPolicy = ({ styleNonce, cards, cardFrameOrigin }: Shell) =>
  [
    "default-src 'none'",
    `script-src 'self'${cards ? stripe.script : ''}`,
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${cards ? stripe.connect : ''}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    `frame-src 'self'${cards ? stripe.frame : ''}${cardFrameOrigin ? ` ${cardFrameOrigin}` : ''}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types default${cards ? ' stripe' : ''}`,
  ].join('; ')

/** Only names that browsers know: they complain of any other with each answer. */
const off = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
const own = ['clipboard-write', 'publickey-credentials-get', 'publickey-credentials-create', 'screen-wake-lock']
const permissions = [...off.map((name) => `${name}=()`), ...own.map((name) => `${name}=(self)`)].join(', ')

const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissions,
  'x-frame-options': 'DENY',
}

export const workerPath = '/saas/sw.js'
export const isApi = (path: string) => /^\/(api|public|health)(\/|$)/.test(path)
export const pathOf = (url: string) => url.split('?', 1)[0] ?? url

export function protect(request: FastifyRequest, reply: FastifyReply, app: Shell & { tls: boolean }) {
  const path = pathOf(request.url)
  const framed = reply.getHeader('x-frame-options')
  reply.headers(everywhere)
  // A route whose documents are shown in our own frames has said so.
  if (framed !== undefined) reply.header('x-frame-options', framed)
  if (app.tls) reply.header('strict-transport-security', 'max-age=63072000; includeSubDomains')
  // A route that answers documents of its own kind has said its policy already.
  if (!reply.hasHeader('content-security-policy'))
    reply.header('content-security-policy', policyFor(path, String(reply.getHeader('content-type') ?? ''), app))
  // What an answer says about a person is never kept by anything between, and never by the browser.
  if (isApi(path) || reply.statusCode >= 400) {
    if (!reply.hasHeader('cache-control') || reply.statusCode >= 400) reply.header('cache-control', 'no-store')
    reply.header('vary', vary(reply))
  }
  if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer')
}

function policyFor(path: string, type: string, app: Shell): string {
  if (isApi(path)) return dataPolicy
  if (path === workerPath) return "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"
  // A 304 has no type, and its headers take the place of the stored ones: a page keeps its policy by its name as well.
  return type.startsWith('text/html') || path.endsWith('.html') ? shellPolicy(app) : dataPolicy
}

function vary(reply: FastifyReply): string {
  const said = String(reply.getHeader('vary') ?? '')
  return [said, 'Authorization', 'Sec-Fetch-Site'].filter(Boolean).join(', ')
}
