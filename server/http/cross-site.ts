/** A page of another origin may not make us change anything (S-55): told by Sec-Fetch-Site, in its absence by Origin. */
import type { IncomingHttpHeaders } from 'node:http'

export function isCrossSite(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (typeof site === 'string') return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  if (origin === undefined) return false
  return origin !== new URL(publicUrl).origin && hostOf(origin) !== headers.host
}

/** A browser says neither Origin nor Host falsely, so an equal pair is the same site whatever name we are reached by. */
const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

export const isSameOrigin = (headers: IncomingHttpHeaders) => headers['sec-fetch-site'] === 'same-origin'

/** A page of ours says so itself: without an Origin, or with another one, there is no telling (S-59). */
export const isOwnPage = (headers: IncomingHttpHeaders, publicUrl: string): boolean =>
  headers.origin !== undefined && !isCrossSite({ ...headers, 'sec-fetch-site': undefined }, publicUrl)
