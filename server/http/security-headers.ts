/** Sets the headers of every response, errors and 304 included (H-01 to H-05, H-11), so that no route can forget them. */
import type { FastifyReply, FastifyRequest } from 'fastify'

export const dataPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

interface ShellSettings {
  styleNonce: string
  hasCardFields: boolean
  /** Origin of the payment sandbox, in whose frame cards are entered in the demo. Null if there is no sandbox. */
  cardFrameOrigin: string | null
}

/** Sources that Stripe's script needs according to its documentation. Allowed only if Stripe is configured. */
const stripeSources = {
  script: ' https://js.stripe.com https://*.js.stripe.com',
  frame: ' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  connect: ' https://api.stripe.com',
}

/** Builds the policy of the app shell. The style nonce is fixed per build, because the worker serves the shell with its stored headers. */
const buildShellPolicy = ({ styleNonce, hasCardFields, cardFrameOrigin }: ShellSettings) =>
  [
    "default-src 'none'",
    `script-src 'self'${hasCardFields ? stripeSources.script : ''}`,
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${hasCardFields ? stripeSources.connect : ''}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    `frame-src 'self'${hasCardFields ? stripeSources.frame : ''}${cardFrameOrigin ? ` ${cardFrameOrigin}` : ''}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types default${hasCardFields ? ' stripe' : ''}`,
  ].join('; ')

/** Browser features that the portal disables. Only names that browsers support: other names cause a warning with each response. */
const disabledFeatures = [
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
const ownFeatures = ['clipboard-write', 'publickey-credentials-get', 'publickey-credentials-create', 'screen-wake-lock']
const permissionsPolicy = [
  ...disabledFeatures.map((name) => `${name}=()`),
  ...ownFeatures.map((name) => `${name}=(self)`),
].join(', ')

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissionsPolicy,
  'x-frame-options': 'DENY',
}

export const workerPath = '/saas/sw.js'
export const isApi = (path: string) => /^\/(api|public|health)(\/|$)/.test(path)
export const getPath = (url: string) => url.split('?', 1)[0] ?? url

export function setSecurityHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: ShellSettings & { tls: boolean },
) {
  const path = getPath(request.url)
  const frameOptions = reply.getHeader('x-frame-options')
  reply.headers(commonHeaders)
  // Some routes set their own value, because their documents are shown in the portal's frames.
  if (frameOptions !== undefined) reply.header('x-frame-options', frameOptions)
  if (settings.tls) reply.header('strict-transport-security', 'max-age=63072000; includeSubDomains')
  // Some routes set their own policy for their kind of document.
  if (!reply.hasHeader('content-security-policy'))
    reply.header('content-security-policy', choosePolicy(path, String(reply.getHeader('content-type') ?? ''), settings))
  // Responses with personal data must be stored neither by proxies nor by the browser.
  if (isApi(path) || reply.statusCode >= 400) {
    if (!reply.hasHeader('cache-control') || reply.statusCode >= 400) reply.header('cache-control', 'no-store')
    reply.header('vary', buildVary(reply))
  }
  if (reply.statusCode === 401) reply.header('www-authenticate', 'Bearer')
}

function choosePolicy(path: string, type: string, settings: ShellSettings): string {
  if (isApi(path)) return dataPolicy
  if (path === workerPath) return "default-src 'self'; base-uri 'none'; frame-ancestors 'none'"
  // A 304 has no content type, and its headers replace those of the stored response, so the path is checked too.
  return type.startsWith('text/html') || path.endsWith('.html') ? buildShellPolicy(settings) : dataPolicy
}

function buildVary(reply: FastifyReply): string {
  const currentVary = String(reply.getHeader('vary') ?? '')
  return [currentVary, 'Authorization', 'Sec-Fetch-Site'].filter(Boolean).join(', ')
}
