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

const getCookieName = (tls: boolean) => (tls ? '__Host-portal-device' : 'portal-device')

export const buildDeviceCookie = (value: string, tls: boolean): string =>
  [
    `${getCookieName(tls)}=${value}`,
    `Max-Age=${deviceDays * 86_400}`,
    'Path=/',
    'HttpOnly',
    ...(tls ? ['Secure'] : []),
    'SameSite=Strict',
  ].join('; ')

/** Null where there is none of ours. */
export function readDeviceCookie({ cookie, ...headers }: IncomingHttpHeaders, tls: boolean): string | null {
  return isSameOrigin(headers) ? readCookie(cookie, tls) : null
}

/**
 * SHA-256 of that cookie, also where a person typed the address or an older browser does not say who asks; null: it has none. It
 * opens nothing: it only tells whether a request comes from the browser that made an earlier one.
 */
export function hashBrowserCookie(
  { cookie, ...headers }: IncomingHttpHeaders,
  { tls, publicUrl }: Config,
): string | null {
  const value = isCrossSite(headers, publicUrl) ? null : readCookie(cookie, tls)
  return value === null ? null : hash('sha256', `browser ${value}`, 'hex')
}

function readCookie(cookie: string | undefined, tls: boolean): string | null {
  if (!cookie) return null
  for (const pair of cookie.split(';')) {
    const [, name, value] = /^\s*([^=\s]+)=([\w-]{32})\s*$/.exec(pair) ?? []
    if (name === getCookieName(tls) && value) return value
  }
  return null
}
