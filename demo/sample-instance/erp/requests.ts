import { type IncomingMessage, readText, type ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { parseLanguage, createTranslate, type PageView } from '#demo/sample-instance/erp/pages.ts'
import type { SampleSession } from '#demo/sample-instance/erp/users.ts'

export const maxBodyBytes = 64 * 1024

type CookieKind = 'session' | 'device'
const deviceSeconds = 400 * 86_400

/** Returns the name of the cookie. Over TLS the `__Host-` prefix makes browsers accept it from this exact host only. */
const getCookieName = (kind: CookieKind, isSecure: boolean) => `${isSecure ? '__Host-' : ''}sample_${kind}`

const formatCookie = (kind: CookieKind, value: string, isSecure: boolean, maxAge: number | null): string =>
  `${getCookieName(kind, isSecure)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${
    maxAge === null ? '' : `; Max-Age=${maxAge}`
  }`

/** An empty `value` deletes the cookie. */
export const formatSessionCookie = (value: string, isSecure: boolean): string =>
  formatCookie('session', value, isSecure, value === '' ? 0 : null)

/** Builds the cookie that marks a browser in which a user has signed in. It grants no access. */
export const formatDeviceCookie = (value: string, isSecure: boolean): string =>
  formatCookie('device', value, isSecure, deviceSeconds)

export interface InstanceRequest {
  method: 'GET' | 'POST'
  path: string
  query: URLSearchParams
  form: URLSearchParams
  site: 'www' | 'admin'
  host: string
  /** Value of the session cookie; empty if it is missing. */
  cookie: string
  /** Value of the device cookie; empty if it is missing or malformed. */
  device: string
  /** Client address, as reported by the gateway. */
  address: string
  /** True if the gateway reports that the client uses TLS. */
  isSecure: boolean
  session: SampleSession | null
  view: PageView
}

export interface InstanceResponse {
  status: number
  /** HTML, unless the headers name another type. Empty for a redirect. */
  body: string
  headers?: Record<string, string | string[]>
}

export const createPageResponse = (
  body: string,
  status = 200,
  headers: InstanceResponse['headers'] = {},
): InstanceResponse => ({ status, body, headers })
export const createRedirect = (to: string, headers: Record<string, string | string[]> = {}): InstanceResponse => ({
  status: 303,
  body: '',
  headers: { location: to, ...headers },
})

/** Distinguishes the two sites of the instance by the header `Host`. */
export interface InstanceSites {
  getSite(host: string): 'www' | 'admin'
  /** Returns the host of the other site. */
  getOtherHost(host: string): string
}

export const sitesByPrefix: InstanceSites = {
  getSite: (host) => (host.startsWith('admin.') ? 'admin' : 'www'),
  getOtherHost: (host) => host.replace(/^(?:www|admin)\./, host.startsWith('admin.') ? 'www.' : 'admin.'),
}

/** Both URLs have different hosts. Other hosts than these are the public site. */
export function createSites(publicUrl: URL, adminUrl: URL): InstanceSites {
  const isAdmin = (host: string) => host.toLowerCase() === adminUrl.host
  return {
    getSite: (host) => (isAdmin(host) ? 'admin' : 'www'),
    getOtherHost: (host) => (isAdmin(host) ? publicUrl.host : adminUrl.host),
  }
}

/** Returns null if the method is not supported. Rejects if the body is too large. */
export async function readRequest(
  request: IncomingMessage,
  { code, sites }: { code: string; sites: InstanceSites },
  findSession: (cookie: string) => Promise<SampleSession | null>,
): Promise<InstanceRequest | null> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method !== 'GET' && method !== 'POST') return null
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://instance')
  const host = request.headers.host ?? ''
  const site = sites.getSite(host)
  const form = new URLSearchParams(method === 'POST' ? await readText(request, maxBodyBytes) : '')
  const isSecure = request.headers['x-forwarded-proto'] === 'https'
  const cookie = readCookie(request.headers.cookie, getCookieName('session', isSecure))
  const device = devicePattern.exec(readCookie(request.headers.cookie, getCookieName('device', isSecure)))?.[0] ?? ''
  const session = cookie === '' ? null : await findSession(cookie)
  const language = parseLanguage(request.headers['accept-language'])
  const otherSite = sites.getOtherHost(host)
  const view = { language, translate: createTranslate(language), code, site, otherSite, path, session } as const
  const address = getGatewayClient(request)
  return { method, path, query, form, site, host, cookie, device, address, isSecure, session, view }
}

/** Returns the address that the gateway reports, which is the last one. Without a gateway it is the address of the connection. */
function getGatewayClient({ headers, socket }: IncomingMessage): string {
  const forwardedFor = String(headers['x-forwarded-for'] ?? '')
  return forwardedFor.split(',').at(-1)?.trim() || (socket.remoteAddress ?? '')
}

const devicePattern = /^[\w-]{43}$/

function readCookie(header: string | undefined, cookieKey: string): string {
  for (const pair of (header ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === cookieKey) return value
  }
  return ''
}

/** Returns false for a form of another site, by `Sec-Fetch-Site` or `Origin`. Called before the request is processed. */
export function isOwnForm({ headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': fetchSite } = headers
  if (fetchSite !== undefined) return fetchSite === 'same-origin'
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === headers.host)
}

const commonHeaders = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

export function sendResponse(
  response: ServerResponse,
  { status, body, headers }: InstanceResponse,
  isHead: boolean,
): void {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-length': length }).end(isHead ? '' : body)
}
