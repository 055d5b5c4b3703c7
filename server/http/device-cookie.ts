/**
 * Names a browser, and opens nothing: only by it a sign-in is told from one on a device never used before. The `__Host-`
 * prefix keeps sibling hosts, where customers' services live, from planting one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isSameOrigin } from '#server/http/cross-site.ts'

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
  if (!cookie || !isSameOrigin(headers)) return null
  for (const pair of cookie.split(';')) {
    const [, found, value] = /^\s*([^=\s]+)=([\w-]{32})\s*$/.exec(pair) ?? []
    if (found === nameOf(tls) && value) return value
  }
  return null
}
