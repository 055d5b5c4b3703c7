/**
 * Reads and builds the session cookies (D85, K-03, K-10). The token call sets them, and logout clears them. Browsers send each only to
 * routes below its path (K-02). Their values need no encoding.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { cookies, refreshPath } from '#contract/cookies.ts'
import { isSameOrigin } from '#server/http/cross-site.ts'

export interface TokenCookies {
  access: string
  refresh: string
  accessSeconds: number
  refreshSeconds: number
}

const getCookieName = (cookie: { tls: string; plain: string }, tls: boolean) => (tls ? cookie.tls : cookie.plain)

export function buildTokenCookies(tokens: TokenCookies, tls: boolean): string[] {
  const secureAttribute = tls ? ['Secure'] : []
  const access = [
    `${getCookieName(cookies.access, tls)}=${tokens.access}`,
    `Max-Age=${tokens.accessSeconds}`,
    'Path=/',
    ...secureAttribute,
    'SameSite=Strict',
  ]
  const refresh = [
    `${getCookieName(cookies.refresh, tls)}=${tokens.refresh}`,
    `Max-Age=${tokens.refreshSeconds}`,
    `Path=${refreshPath}`,
    'HttpOnly',
    ...secureAttribute,
    'SameSite=Strict',
  ]
  return [access.join('; '), refresh.join('; ')]
}

export const buildClearedCookies = (tls: boolean): string[] =>
  buildTokenCookies({ access: '', refresh: '', accessSeconds: 0, refreshSeconds: 0 }, tls)

/** Returns null if there is no valid refresh cookie, or if the request does not come from a page of the portal's own origin. */
export function readRefreshCookie(headers: IncomingHttpHeaders, tls: boolean): string | null {
  if (!headers.cookie || !isSameOrigin(headers)) return null
  const name = getCookieName(cookies.refresh, tls)
  for (const pair of headers.cookie.split(';')) {
    const [, cookieName, value] = /^\s*([^=\s]+)=([\w-]{1,200})\s*$/.exec(pair) ?? []
    if (cookieName === name && value) return value
  }
  return null
}
