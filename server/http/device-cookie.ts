/**
 * Reads and builds the device cookie. It identifies a browser, to detect sign-ins from a new device, and grants no access. The `__Host-`
 * prefix prevents sibling hosts, where customers' services run, from setting it.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#server/config/config.ts'
import { isCrossSite, isSameOrigin } from '#server/http/cross-site.ts'

/** Lifetime of the cookie in days, the longest that browsers allow. */
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

/** Returns null if there is no valid cookie, or if the request is not from the same origin. */
export function readDeviceCookie({ cookie, ...headers }: IncomingHttpHeaders, tls: boolean): string | null {
  return isSameOrigin(headers) ? readCookie(cookie, tls) : null
}

/**
 * Returns the SHA-256 of the device cookie, or null if the cookie is missing or the request is cross-site. Also accepts requests without an
 * origin (typed address, older browser), because the hash only shows whether two requests come from the same browser.
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
