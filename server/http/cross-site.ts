/** Detects requests of other origins, which must not change anything (S-55): by Sec-Fetch-Site, or by Origin if that header is missing. */
import { isIP } from 'node:net'
import { isLoopback } from '#server/config/config.ts'
import type { IncomingHttpHeaders } from 'node:http'

export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (typeof site === 'string') return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && origin !== `${new URL(publicUrl).protocol}//${headers.host}`
}

/**
 * Returns true if the Host header can mean this portal. Prevents DNS rebinding, in which another host name briefly resolves to this
 * address; that is impossible for IP addresses and `localhost`. Requests without a Host header (HTTP/1.0 health checks) do not come from a
 * page.
 */
export function isOurHost(host: string | undefined, publicUrl: string): boolean {
  if (host === undefined) return true
  if (!URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
  return isAddress || isLoopback(hostname) || hostname === new URL(publicUrl).hostname
}

export const isSameOrigin = (headers: IncomingHttpHeaders) => headers['sec-fetch-site'] === 'same-origin'

/**
 * Returns true if a websocket may be opened. Browsers always send the page's origin. Requests without Origin and Fetch Metadata come from
 * programs, which need a token, because cookies are not read (S-59).
 */
export const canOpenSocket = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  headers.origin === undefined ? headers['sec-fetch-site'] === undefined : isOwnPage(headers, publicUrl)

const isOwnPage = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  headers.origin !== undefined && !isCrossSite({ ...headers, 'sec-fetch-site': undefined }, publicUrl)
