/**
 * Names a browser, and opens nothing: only by it a sign-in is told from one on a device never used before. The `__Host-`
 * prefix keeps sibling hosts, where customers' services live, from planting one.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#server/config/config.ts'
import { isCrossSite, isSameOrigin } from '#server/http/cross-site.ts'

/** As long as browsers keep any cookie. */
export const deviceDays = 400

const nameOf = (tls: boolean) => (tls ? '__Host-portal-device' : 'portal-device')

export const setDeviceCookie = (value: string, tls: boolean): string =>
  [
    `${nameOf(tls)}=${value}`,
    `Max-Age=${deviceDays * 86_400}`,
    'Path=/',
    'HttpOnly',
    ...(tls ? ['Secure'] : []),
    'SameSite=Strict',
  ].join('; ')

/** Null where there is none of ours. */
export function deviceCookieOf({ cookie, ...headers }: IncomingHttpHeaders, tls: boolean): string | null {
  return isSameOrigin(headers) ? readCookie(cookie, tls) : null
}

/**
 * SHA-256 of that cookie, also where a person typed the address or an older browser does not say who asks; null: it has none. It
 * opens nothing: it only tells whether a request comes from the browser that made an earlier one.
 */
export function browserOf({ cookie, ...headers }: IncomingHttpHeaders, { tls, publicUrl }: Config): string | null {
  const value = isCrossSite(headers, publicUrl) ? null : readCookie(cookie, tls)
  return value === null ? null : hash('sha256', `browser ${value}`, 'hex')
}

function readCookie(cookie: string | undefined, tls: boolean): string | null {
  if (!cookie) return null
  for (const pair of cookie.split(';')) {
    const [, found, value] = /^\s*([^=\s]+)=([\w-]{32})\s*$/.exec(pair) ?? []
    if (found === nameOf(tls) && value) return value
  }
  return null
}
