/** A page of another origin may not make us change anything (S-55): told by Sec-Fetch-Site, in its absence by Origin. */
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
 * Whether somebody who asks for this host can mean us: a page of another name, which its owner lets point to our address for a
 * moment, would count as ours (DNS rebinding). An address cannot be made to point elsewhere, nor can `localhost`. Without a
 * Host (HTTP/1.0, of a health check) there is no page that asks.
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
 * Whether a websocket may be opened. Browsers say for each of them which page asks; without an Origin and without Fetch Metadata it is
 * a program, which no page can make ask and which has its token or nothing: cookies are not read (S-59).
 */
export const canOpenSocket = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  headers.origin === undefined ? headers['sec-fetch-site'] === undefined : isOwnPage(headers, publicUrl)

const isOwnPage = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  headers.origin !== undefined && !isCrossSite({ ...headers, 'sec-fetch-site': undefined }, publicUrl)
